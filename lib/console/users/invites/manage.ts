import type { CreateInvite, Invite, InviteWithToken } from "../../../contracts/console/invites";
import { HOUR_MS } from "../../../contracts/durations";
import type { ListPage, ListQuery } from "../../../contracts/paging";
import { toTimestamp } from "../../../contracts/timestamp";
import { AppError } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import type { InviteRecord, UserRecord } from "../../../ports/store";
import {
  outranks,
  requireSignedInAdmin,
  requireSignedInOperator,
  requireWritableSite,
} from "../../access/guards";
import { recordAudit } from "../../audit/record";
import { digestToken, newToken } from "../../auth/tokens";
import { userNameKey } from "../../auth/user-name-key";
import type { ConsoleContext, ReadContext } from "../../context";
import { pageQuery } from "../../page-of";
import { requireFreeNames } from "../new-user";
import { type LinkParties, mayStillGrant } from "./link";

const named = (user: UserRecord | null) => (user === null ? null : { id: user.id, username: user.username });

/** A link as the API returns it, field by field; never its digest. */
export function toInvite(invite: InviteRecord, parties: LinkParties): Invite {
  return {
    id: invite.id,
    kind: invite.kind,
    role: invite.role,
    email: invite.email,
    user: named(parties.target),
    made_by: named(parties.maker),
    created_at: toTimestamp(invite.createdAt),
    expires_at: toTimestamp(invite.expiresAt),
    works: mayStillGrant(invite, parties),
  };
}

/**
 * Creates a one-time link to register with a lower role than the caller's, and returns its token, shown only here.
 * Throws `forbidden`, `conflict` (e-mail taken).
 */
export async function createInvite(ctx: ConsoleContext, input: CreateInvite): Promise<InviteWithToken> {
  const actor = requireSignedInAdmin(ctx);
  if (!outranks(actor, input))
    throw new AppError("forbidden", "You may only invite users with a lower role than yours.");
  await requireWritableSite(ctx, actor);
  const token = newToken(ctx.random);
  const now = ctx.clock.now();
  const invite: InviteRecord = {
    id: newId(ctx.random, "inv"),
    kind: "invite",
    digest: digestToken(token),
    role: input.role,
    email: input.email ?? null,
    userId: null,
    passwordVersion: null,
    madeBy: actor.id,
    createdAt: now,
    expiresAt: now + input.expires_hours * HOUR_MS,
    usedAt: null,
  };
  await ctx.store.transaction(async (tx) => {
    await requireFreeNames(tx, { email: invite.email === null ? null : userNameKey(invite.email) }, null);
    await tx.invites.insert(invite);
    await recordAudit(tx, ctx, {
      action: "invite.create",
      target: invite.id,
      detail: { role: invite.role, email: invite.email, expires_at: invite.expiresAt },
    });
  });
  return { ...toInvite(invite, { maker: actor, target: null }), token };
}

/** Unused links, newest first, for administrators. */
export async function listInvites(ctx: ReadContext, query: ListQuery): Promise<ListPage<Invite>> {
  requireSignedInAdmin(ctx);
  const page = await ctx.store.invites.listOpen({
    ...pageQuery(query),
    now: ctx.clock.now(),
  });
  const ids = new Set(page.items.flatMap((one) => [one.madeBy, one.userId ?? one.madeBy]));
  const users = await ctx.store.users.findMany([...ids]);
  const items = page.items.map((one) =>
    toInvite(one, {
      maker: users.get(one.madeBy) ?? null,
      target: one.userId === null ? null : (users.get(one.userId) ?? null),
    }),
  );
  return { items, next_cursor: page.nextCursor };
}

/** Revokes a link. Throws `not_found`; `forbidden` for one that grants or resets an equal or a higher role. */
export async function revokeInvite(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = await requireSignedInOperator(ctx);
  await ctx.store.transaction(async (tx) => {
    const invite = await tx.invites.findById(id);
    const isOpen = invite !== null && invite.usedAt === null && invite.expiresAt > ctx.clock.now();
    if (!isOpen) throw new AppError("not_found", "Open link not found.");
    if (!outranks(actor, invite))
      throw new AppError("forbidden", "Only a user with a higher role than this link's may revoke it.");
    await tx.invites.delete(id);
    await recordAudit(tx, ctx, {
      action: "invite.revoke",
      target: id,
      detail: { kind: invite.kind, role: invite.role, email: invite.email, user: invite.userId },
    });
  });
}
