import { recordAudit } from "../audit/record";
import { nameDigest } from "../auth/login-throttle";
import type { ConsoleContext } from "../context";
import { findManageable, requireUserManager } from "./require-manager";

/** Lifts the delay of a user's name and the lock of their second step. */
export async function unlockUser(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = requireUserManager(ctx);
  await ctx.store.transaction(async (tx) => {
    const target = await findManageable(tx, actor, id);
    await tx.twoFactors.clearFailures(id);
    for (const name of [target.username, target.email]) {
      if (name !== null) await tx.loginThrottles.clear(nameDigest(ctx, name));
    }
    await recordAudit(tx, ctx, { action: "user.unlock", target: id });
  });
}
