import { requireWritableSite } from "../access/require-operator";
import { findManageable, requireUserManager } from "../access/require-user-manager";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";

/** Deletes a user of a lower role with their sessions and keys. Throws `not_found`, `forbidden`. */
export async function deleteUser(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = requireUserManager(ctx);
  await requireWritableSite(ctx, actor);
  await ctx.store.transaction(async (tx) => {
    const target = await findManageable(tx, actor, id);
    await tx.sessions.deleteByUser(id);
    await tx.flows.deleteByUser(id);
    await tx.users.delete(id);
    await recordAudit(tx, ctx, {
      action: "user.delete",
      target: id,
      detail: { username: target.username, role: target.role },
    });
  });
}
