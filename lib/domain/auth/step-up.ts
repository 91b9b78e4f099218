import { AppError } from "../../errors";
import type { Repositories, TwoFactorRecord, UserRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { consumeCode, countCodeAttempt, type MatchedCode, matchCode } from "./match-code";
import { verifyOwnPassword } from "./verify-password";

/** Password and code proven; the code is used up by `consume` inside the change's transaction. */
export interface SteppedUp {
  /** Throws `step_up_failed` when the code was wrong or used meanwhile. */
  consume(tx: Repositories): Promise<"totp" | "backup_code">;
}

/**
 * Asks the signed-in user for password and second factor before a change of consequence.
 * Throws `step_up_failed` (403: the session itself goes on), `rate_limited`.
 */
export async function stepUp(
  ctx: ConsoleContext,
  user: UserRecord,
  secondFactor: TwoFactorRecord,
  proof: { password: string; code: string },
): Promise<SteppedUp> {
  await verifyOwnPassword(ctx, user, proof.password);
  await countCodeAttempt(ctx, user.id);
  const matched: MatchedCode | null = matchCode(ctx, secondFactor, proof.code);
  if (matched === null) throw wrongCode();
  return {
    async consume(tx) {
      const method = await consumeCode(tx, secondFactor, matched);
      if (method === null) throw wrongCode();
      return method;
    },
  };
}

function wrongCode(): AppError {
  return new AppError("step_up_failed", "The code is wrong or was used before.");
}

/** The user's second factor in force. Throws `conflict` when there is none. */
export async function requireTwoFactor(ctx: ConsoleContext, userId: string): Promise<TwoFactorRecord> {
  const secondFactor = await ctx.store.twoFactors.find(userId);
  if (secondFactor?.state !== "enabled") {
    throw new AppError("conflict", "The second factor is not on.");
  }
  return secondFactor;
}
