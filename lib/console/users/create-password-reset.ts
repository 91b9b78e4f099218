import type { InviteWithToken } from "../../contracts/console/invites";
import { newId } from "../../gateway/new-id";
import type { InviteRecord } from "../../ports/store";
import { findManageable } from "../access/guards";
import { requireSignedInOperator } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import { digestToken, newToken } from "../auth/tokens";
import type { ConsoleContext } from "../context";
import { toInvite } from "./invites/manage";

const LIFE_MS = 24 * 3_600_000;

/**
 * Creates a one-time link, valid for 24 hours, to set a new password for a user of a lower role, and returns its token,
 * shown only here. An earlier link of the same user is deleted. Throws `not_found`, `forbidden`.
 */
export async function createPasswordReset(ctx: ConsoleContext, id: string): Promise<InviteWithToken> {
  const actor = await requireSignedInOperator(ctx);
  const token = newToken(ctx.random);
  return ctx.store.transaction(async (tx) => {
    const target = await findManageable(tx, actor, id);
    const now = ctx.clock.now();
    const invite: InviteRecord = {
      id: newId(ctx.random, "inv"),
      kind: "password_reset",
      digest: digestToken(token),
      role: target.role,
      email: null,
      userId: target.id,
      passwordVersion: target.passwordVersion,
      madeBy: actor.id,
      createdAt: now,
      expiresAt: now + LIFE_MS,
      usedAt: null,
    };
    await tx.invites.deleteByUser(target.id);
    await tx.invites.insert(invite);
    await recordAudit(tx, ctx, {
      action: "password.reset_link",
      target: target.id,
      detail: { link: invite.id, expires_at: invite.expiresAt },
    });
    return { ...toInvite(invite, { maker: actor, target }), token };
  });
}
