import type { Repositories, UserRecord } from "../../ports/store";
import { requireWritableSite } from "../access/require-operator";
import { findManageable, requireUserManager } from "../access/require-user-manager";
import { recordAudit } from "../audit/record";
import { clearThrottles, throttleSubjects } from "../auth/sign-in-throttle";
import type { ConsoleContext } from "../context";

/** Clears the delays of a user's sign-in and password and the lock of their two-factor sign-in. */
export async function liftLocks(
  tx: Repositories,
  ctx: Pick<ConsoleContext, "cipher">,
  user: UserRecord,
): Promise<void> {
  await tx.twoFactors.clearFailures(user.id);
  await clearThrottles(tx, ctx, throttleSubjects(user));
}

/** Unlocks a user of a lower role. Throws `not_found`, `forbidden`. */
export async function unlockUser(ctx: ConsoleContext, id: string): Promise<void> {
  const actor = requireUserManager(ctx);
  await requireWritableSite(ctx, actor);
  await ctx.store.transaction(async (tx) => {
    await liftLocks(tx, ctx, await findManageable(tx, actor, id));
    await recordAudit(tx, ctx, { action: "user.unlock", target: id });
  });
}
