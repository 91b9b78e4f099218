import { readCode, type TwoFactorMethod } from "../../contracts/console/totp-code";
import { AppError } from "../../errors";
import type { Repositories, TwoFactorRecord } from "../../ports/store";
import type { ConsoleContext } from "../context";
import { tooMany } from "./attempt-limit";
import { digestBackupCode } from "./backup-codes";
import { matchTotp } from "./totp";

/** Ten wrong codes in a row, over all flows and both kinds, lock the second step 15 minutes, doubling to a day. */
export const LOCK_RULE = { threshold: 10, baseMs: 15 * 60_000, maxMs: 24 * 3_600_000 };

/** Where a user's sealed secret stands; binds the ciphertext to its row. */
export function secretAad(userId: string): string {
  return `two_factors/${userId}/secret`;
}

/** The 429 of a locked second step; null when it is free. */
export function lockOf(ctx: Pick<ConsoleContext, "clock">, lockedUntil: number | null): AppError | null {
  const waitMs = (lockedUntil ?? 0) - ctx.clock.now();
  return waitMs > 0 ? tooMany("Too many wrong codes: the second step is locked.", waitMs) : null;
}

/** Counts one attempt on the account before its code is looked at. Throws `rate_limited` while locked. */
export async function countCodeAttempt(ctx: ConsoleContext, userId: string): Promise<void> {
  const counted = await ctx.store.twoFactors.countAttempt(userId, ctx.clock.now(), LOCK_RULE);
  if (!counted.allowed) {
    throw lockOf(ctx, counted.lockedUntil) ?? tooMany("Too many wrong codes.", 1000);
  }
}

/** A code found to be right and not yet used up. */
export type MatchedCode = { method: "totp"; step: number } | { method: "backup_code"; digest: string };

/** What a well-formed code stands for; null when it is a wrong TOTP code. A backup code is only known by using it up. */
export function matchCode(
  ctx: Pick<ConsoleContext, "cipher" | "clock">,
  secondFactor: TwoFactorRecord,
  text: string,
): MatchedCode | null {
  const read = readCode(text);
  if (read === null)
    throw new AppError("invalid", "code: must be six digits or a backup code.", { param: "code" });
  if (read.method === "backup_code") {
    return { method: "backup_code", digest: digestBackupCode(ctx.cipher, secondFactor.userId, read.code) };
  }
  const secret = ctx.cipher.decrypt("totp", secretAad(secondFactor.userId), secondFactor.encryptedSecret);
  const step = matchTotp(secret, read.code, ctx.clock.now(), secondFactor.lastStep);
  return step === null ? null : { method: "totp", step };
}

/** Uses the code up inside the transaction of what it opens; null when it is wrong or was used before. */
export async function consumeCode(
  tx: Repositories,
  secondFactor: TwoFactorRecord,
  matched: MatchedCode | null,
): Promise<TwoFactorMethod | null> {
  if (matched === null) return null;
  const { userId, enrolmentId } = secondFactor;
  const wasFresh =
    matched.method === "totp"
      ? await tx.twoFactors.consumeStep(userId, enrolmentId, matched.step)
      : await tx.twoFactors.consumeBackupCode(userId, matched.digest);
  if (!wasFresh) return null;
  await tx.twoFactors.clearFailures(userId);
  return matched.method;
}
