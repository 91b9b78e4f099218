import type { CreateInvite, InviteWithToken } from "../../../contracts/console/invites";
import { AppError } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import type { InviteRecord } from "../../../ports/store";
import { outranks } from "../../access/guards";
import { requireWritableSite } from "../../access/require-operator";
import { requireUserManager } from "../../access/require-user-manager";
import { recordAudit } from "../../audit/record";
import { digestToken, newToken } from "../../auth/tokens";
import { userNameKey } from "../../auth/user-name-key";
import type { ConsoleContext } from "../../context";
import { requireFreeNames } from "../require-free-names";
import { toInvite } from "./to-invite";

const HOUR_MS = 3_600_000;

/**
 * Creates a one-time link to register with a lower role than the caller's, and returns its token, shown only here.
 * Throws `forbidden`, `conflict` (e-mail taken).
 */
export async function createInvite(ctx: ConsoleContext, input: CreateInvite): Promise<InviteWithToken> {
  const actor = requireUserManager(ctx);
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
