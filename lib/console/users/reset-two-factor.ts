import { requireWritableSite } from "../access/require-operator";
import { findManageable, requireUserManager } from "../access/require-user-manager";
import { recordAudit } from "../audit/record";
import { removeTwoFactor } from "../auth/two-factor/remove";
import type { ConsoleContext } from "../context";

/** Disables 2FA of a user of a lower role who has lost it, and ends their sessions. */
export async function resetTwoFactor(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = requireUserManager(ctx);
  await requireWritableSite(ctx, actor);
  await ctx.store.transaction(async (tx) => {
    await findManageable(tx, actor, id);
    await removeTwoFactor(tx, id);
    await recordAudit(tx, ctx, { action: "2fa.reset", target: id });
  });
}
