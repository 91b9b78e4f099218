import type { InspectInvite, InviteFacts } from "../../../contracts/console/invites";
import { toTimestamp } from "../../../contracts/timestamp";
import { AppError } from "../../../errors";
import type { InviteRecord, Repositories, UserRecord } from "../../../ports/store";
import { outranks } from "../../access/guards";
import { takeAttempt } from "../../auth/attempt-limit";
import { digestToken } from "../../auth/tokens";
import type { ConsoleContext } from "../../context";
import { hasTwoFactor } from "../to-user";

/** The users of a link: its creator and, for a reset, the user whose password it resets; null: deleted. */
export interface LinkParties {
  maker: UserRecord | null;
  target: UserRecord | null;
}

/** A valid link with its users. */
interface LiveLink {
  invite: InviteRecord;
  maker: UserRecord;
  /** Null for an invite. */
  target: UserRecord | null;
}

/** The same error for a link that is unknown, used, revoked, expired, or whose creator lost the permission. */
export function invalidLinkError(): AppError {
  return new AppError(
    "not_found",
    "This link is no longer valid: it was used, revoked or has expired. Ask an administrator for a new one.",
  );
}

/**
 * True while the link's creator may still grant it: they are enabled and their role is higher than the granted role, or
 * than that of the user whose password it resets, and that user's password is unchanged.
 */
export function mayStillGrant(invite: InviteRecord, { maker, target }: LinkParties): boolean {
  if (maker === null || !maker.enabled) return false;
  if (invite.kind === "invite") return outranks(maker, invite);
  return (
    target?.enabled === true && target.passwordVersion === invite.passwordVersion && outranks(maker, target)
  );
}

/** The valid link at `now`; null when it is invalid. */
export async function findLiveLink(
  store: Pick<Repositories, "invites" | "users">,
  digest: string,
  kind: InviteRecord["kind"] | null,
  now: number,
): Promise<LiveLink | null> {
  const invite = await store.invites.findByDigest(digest);
  if (invite === null || invite.usedAt !== null || invite.expiresAt <= now) return null;
  return kind === null || invite.kind === kind ? withParties(store, invite) : null;
}

/**
 * Consumes the link inside the transaction that depends on it. Throws `not_found`, which rolls the transaction back.
 */
export async function consumeLink(
  tx: Pick<Repositories, "invites" | "users">,
  digest: string,
  now: number,
): Promise<LiveLink> {
  const invite = await tx.invites.consume(digest, now);
  const live = invite === null ? null : await withParties(tx, invite);
  if (live === null) throw invalidLinkError();
  return live;
}

async function withParties(
  store: Pick<Repositories, "users">,
  invite: InviteRecord,
): Promise<LiveLink | null> {
  const maker = await store.users.findById(invite.madeBy);
  const target = invite.userId === null ? null : await store.users.findById(invite.userId);
  return maker !== null && mayStillGrant(invite, { maker, target }) ? { invite, maker, target } : null;
}

/** What a link is for. Throws the same `not_found` for every invalid link, `rate_limited`. */
export async function inspectInvite(ctx: ConsoleContext, { token }: InspectInvite): Promise<InviteFacts> {
  await takeAttempt(ctx, "link", "loginAttemptsPerMinute");
  const live = await findLiveLink(ctx.store, digestToken(token), null, ctx.clock.now());
  if (live === null) throw invalidLinkError();
  const { invite, maker, target } = live;
  const expires_at = toTimestamp(invite.expiresAt);
  if (target === null) {
    return { kind: "invite", role: invite.role, email: invite.email, made_by: maker.displayName, expires_at };
  }
  const two_factor_enabled = await hasTwoFactor(ctx.store, target.id);
  return { kind: "password_reset", username: target.username, two_factor_enabled, expires_at };
}
