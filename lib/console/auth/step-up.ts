import type { TwoFactorMethod } from "../../contracts/console/two-factor";
import { AppError } from "../../errors";
import type { Repositories, TwoFactorRecord, UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { takeOwnPasswordCheck } from "./attempt-limit";
import { canonicalPassword } from "./password-rules";
import { clearThrottles, countWrongPassword, delayOf, ownPasswordSubject } from "./sign-in-throttle";
import { consumeCode, countCodeAttempt, matchCode } from "./two-factor/codes";

/**
 * Checks the signed-in user's own password before a sensitive change. Ten wrong passwords delay the next check as at
 * sign-in, with a separate counter. Throws `step_up_failed`, `rate_limited`, `overloaded`.
 */
export async function verifyOwnPassword(
  ctx: ConsoleContext,
  user: UserRecord,
  password: string,
): Promise<void> {
  const subject = ownPasswordSubject(user.id);
  const delayed = await delayOf(ctx.store, ctx, subject);
  if (delayed !== null) throw delayed;
  await takeOwnPasswordCheck(ctx, user.id);
  const isRight = await ctx.hasher.verify(user.passwordHash, canonicalPassword(password));
  // Checked again, because no concurrent guess beyond the tenth may learn whether it was right.
  const refusal = await ctx.store.transaction(async (tx) => {
    const late = await delayOf(tx, ctx, subject);
    if (late !== null) return late;
    if (isRight) {
      await clearThrottles(tx, ctx, [subject]);
      return null;
    }
    await countWrongPassword(tx, ctx, subject);
    await recordAudit(tx, ctx, { action: "password.fail", target: user.id });
    return new AppError("step_up_failed", "Incorrect password.");
  });
  if (refusal !== null) throw refusal;
}

type Outcome<T> = { isProven: true; value: T } | { isProven: false };

/**
 * Verifies the signed-in user's password and 2FA code, then runs `change` in the transaction that consumes the code.
 * Throws `step_up_failed` (403: the session stays valid), `rate_limited`, and what `change` throws.
 */
export async function stepUp<T>(
  ctx: ConsoleContext,
  user: UserRecord,
  twoFactor: TwoFactorRecord,
  proof: { password: string; code: string },
  change: (tx: Repositories, method: TwoFactorMethod) => Promise<T>,
): Promise<T> {
  await verifyOwnPassword(ctx, user, proof.password);
  return verifyOwnCode(ctx, user, twoFactor, proof.code, change);
}

/**
 * The second half of `stepUp`, for a caller with work between it and `verifyOwnPassword`, which must come first. Throws
 * `step_up_failed`, `rate_limited`, and what `change` throws.
 */
export async function verifyOwnCode<T>(
  ctx: ConsoleContext,
  user: UserRecord,
  twoFactor: TwoFactorRecord,
  code: string,
  change: (tx: Repositories, method: TwoFactorMethod) => Promise<T>,
): Promise<T> {
  await countCodeAttempt(ctx, user.id);
  const matched = matchCode(ctx, twoFactor, code);
  const outcome = await ctx.store.transaction(async (tx): Promise<Outcome<T>> => {
    const method = await consumeCode(tx, twoFactor, matched);
    if (method !== null) return { isProven: true, value: await change(tx, method) };
    await recordAudit(tx, ctx, { action: "2fa.fail", target: user.id });
    return { isProven: false };
  });
  if (outcome.isProven) return outcome.value;
  throw new AppError("step_up_failed", "The code is incorrect or was already used.");
}

/** The user's enabled two-factor record. Throws `conflict` when 2FA is off. */
export async function requireTwoFactor(ctx: ConsoleContext, userId: string): Promise<TwoFactorRecord> {
  const twoFactor = await ctx.store.twoFactors.find(userId);
  if (twoFactor?.state !== "enabled") {
    throw new AppError("conflict", "Two-factor authentication is not enabled.");
  }
  return twoFactor;
}
