import { AppError } from "../../../errors";
import { outranks } from "../../access/guards";
import { requireWritableSite } from "../../access/require-operator";
import { requireUserManager } from "../../access/require-user-manager";
import { recordAudit } from "../../audit/record";
import type { ConsoleContext } from "../../context";

/** Revokes a link. Throws `not_found`; `forbidden` for one that grants or resets an equal or a higher role. */
export async function revokeInvite(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = requireUserManager(ctx);
  await requireWritableSite(ctx, actor);
  await ctx.store.transaction(async (tx) => {
    const invite = await tx.invites.findById(id);
    const isOpen = invite !== null && invite.usedAt === null && invite.expiresAt > ctx.clock.now();
    if (!isOpen) throw new AppError("not_found", "There is no such open link.");
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
