import type { TwoFactorMethod } from "../../contracts/console/totp-code";
import { AppError } from "../../errors";
import type { Repositories, TwoFactorRecord, UserRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { consumeCode, countCodeAttempt, matchCode } from "./match-code";
import { verifyOwnPassword } from "./verify-password";

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
  await countCodeAttempt(ctx, user.id);
  const matched = matchCode(ctx, twoFactor, proof.code);
  const outcome = await ctx.store.transaction(async (tx): Promise<Outcome<T>> => {
    const method = await consumeCode(tx, twoFactor, matched);
    if (method !== null) return { isProven: true, value: await change(tx, method) };
    await recordAudit(tx, ctx, { action: "2fa.fail", target: user.id });
    return { isProven: false };
  });
  if (outcome.isProven) return outcome.value;
  throw new AppError("step_up_failed", "The code is wrong or was used before.");
}

/** The user's enabled two-factor record. Throws `conflict` when 2FA is off. */
export async function requireTwoFactor(ctx: ConsoleContext, userId: string): Promise<TwoFactorRecord> {
  const twoFactor = await ctx.store.twoFactors.find(userId);
  if (twoFactor?.state !== "enabled") {
    throw new AppError("conflict", "Two-factor authentication is not enabled.");
  }
  return twoFactor;
}
