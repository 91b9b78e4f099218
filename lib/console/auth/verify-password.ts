import { AppError } from "../../errors";
import type { UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { canonicalPassword } from "./password-rules";
import { clearThrottles, countWrongPassword, delayOf, ownPasswordSubject } from "./sign-in-throttle";

/**
 * Checks the signed-in user's own password before a sensitive change. Ten wrong ones delay the next as at sign-in, on a
 * separate counter. Throws `step_up_failed`, `rate_limited`, `overloaded`.
 */
export async function verifyOwnPassword(
  ctx: ConsoleContext,
  user: UserRecord,
  password: string,
): Promise<void> {
  const subject = ownPasswordSubject(user.id);
  const delayed = await delayOf(ctx.store, ctx, subject);
  if (delayed !== null) throw delayed;
  const isRight = await ctx.hasher.verify(user.passwordHash, canonicalPassword(password));
  // Checked again: of concurrent guesses, none beyond the tenth may learn whether it was right.
  const refusal = await ctx.store.transaction(async (tx) => {
    const late = await delayOf(tx, ctx, subject);
    if (late !== null) return late;
    if (isRight) {
      await clearThrottles(tx, ctx, [subject]);
      return null;
    }
    await countWrongPassword(tx, ctx, subject);
    await recordAudit(tx, ctx, { action: "password.fail", target: user.id });
    return new AppError("step_up_failed", "The password is wrong.");
  });
  if (refusal !== null) throw refusal;
}
