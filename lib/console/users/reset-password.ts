import { AppError } from "../../errors";
import type { Instance } from "../../ports/instance";
import type { UserRecord } from "../../ports/store";
import { type ActorContext, recordAudit } from "../audit/record";
import { canonicalPassword, requireGoodPassword } from "../auth/password-rules";
import type { ConsoleContext } from "../context";
import { liftLocks } from "./manage";

interface Resetter extends ActorContext, Pick<ConsoleContext, "store" | "hasher" | "cipher"> {
  instance: Pick<Instance, "passwordMinimum">;
}

/**
 * Sets a user's password without the present one, for an authorised caller. Ends their sessions and pending sign-ins
 * and clears their delays; 2FA stays on. Throws `invalid`, `conflict` (changed by another request).
 */
export async function resetPassword(ctx: Resetter, user: UserRecord, password: string): Promise<void> {
  requireGoodPassword(ctx.instance, password, user, "password");
  const passwordHash = await ctx.hasher.hash(canonicalPassword(password), "login");
  await ctx.store.transaction(async (tx) => {
    const changed = await tx.users.update(user, { passwordHash, passwordVersion: user.passwordVersion + 1 });
    if (changed === null)
      throw new AppError("conflict", "The user was changed by another request. Try again.");
    await tx.sessions.deleteByUser(user.id);
    await tx.flows.deleteByUser(user.id);
    await liftLocks(tx, ctx, user);
    await recordAudit(tx, ctx, { action: "password.reset", target: user.id });
  });
}
