import { AppError } from "../../../errors";
import type { InviteRecord, Repositories, UserRecord } from "../../../ports/store";
import { outranks } from "../../access/guards";

/** A link with who made it and, for a reset, whose password it resets; null: gone. */
export interface LinkParties {
  maker: UserRecord | null;
  target: UserRecord | null;
}

/** What a link that opens something stands on. */
export interface LiveLink {
  invite: InviteRecord;
  maker: UserRecord;
  /** Null for an invite. */
  target: UserRecord | null;
}

/** One and the same answer for a link that is unknown, used, revoked, has run out, or has lost who stood behind it. */
export function deadLink(): AppError {
  return new AppError(
    "not_found",
    "This link opens nothing: it was used or revoked, or its time is up. Ask an administrator for a new one.",
  );
}

/**
 * True while who made the link may still give what it gives: they are enabled and stand above the role it gives, or
 * above the user whose password it resets; and that user still has the password it was made for.
 */
export function isBacked(invite: InviteRecord, { maker, target }: LinkParties): boolean {
  if (maker === null || !maker.enabled) return false;
  if (invite.kind === "invite") return outranks(maker, invite);
  return (
    target?.enabled === true && target.passwordVersion === invite.passwordVersion && outranks(maker, target)
  );
}

/** The link as it stands at `now`; null when it opens nothing. */
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

/** Uses the link up inside the transaction of what it opens. Throws `not_found`, which rolls the use back. */
export async function consumeLink(
  tx: Pick<Repositories, "invites" | "users">,
  digest: string,
  now: number,
): Promise<LiveLink> {
  const invite = await tx.invites.consume(digest, now);
  const live = invite === null ? null : await withParties(tx, invite);
  if (live === null) throw deadLink();
  return live;
}

async function withParties(
  store: Pick<Repositories, "users">,
  invite: InviteRecord,
): Promise<LiveLink | null> {
  const maker = await store.users.findById(invite.madeBy);
  const target = invite.userId === null ? null : await store.users.findById(invite.userId);
  return maker !== null && isBacked(invite, { maker, target }) ? { invite, maker, target } : null;
}
