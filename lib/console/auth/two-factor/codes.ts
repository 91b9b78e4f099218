import { readCode, type TwoFactorMethod } from "../../../contracts/console/two-factor";
import { DAY_MS } from "../../../contracts/durations";
import { AppError, invalidField } from "../../../errors";
import type { Cipher } from "../../../ports/cipher";
import type { Random } from "../../../ports/clock";
import { lockLeftMs } from "../../../ports/lock-left";
import type { Repositories, TwoFactorRecord } from "../../../ports/store";
import type { ConsoleContext } from "../../context";
import { tooManyAttempts } from "../attempt-limit";
import { matchTotp } from "../totp";

/** Crockford's base32: no I, L, O or U. 32 divides 256, so a byte modulo 32 is fair. */
const BACKUP_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BACKUP_CODE_COUNT = 10;

/** Ten new codes `XXXXX-XXXXX` of 50 random bits. */
export function newBackupCodes(random: Random): string[] {
  return Array.from({ length: BACKUP_CODE_COUNT }, () => {
    const text = Array.from(random.bytes(10), (byte) => BACKUP_ALPHABET[byte % 32]).join("");
    return `${text.slice(0, 5)}-${text.slice(5)}`;
  });
}

/**
 * The stored form of a user's backup code: an HMAC under the instance secret. `code` as returned by readCode, or as
 * shown.
 */
export function digestBackupCode(cipher: Cipher, userId: string, code: string): string {
  return cipher.digest("backup-code", `${userId}:${code.replaceAll("-", "")}`);
}

/**
 * Ten wrong codes in a row, over all flows and both methods, lock two-factor sign-in for 15 minutes, doubling to a day.
 */
const LOCK_RULE = { threshold: 10, baseMs: 15 * 60_000, maxMs: DAY_MS };

/** The AAD of a user's encrypted TOTP secret: binds the ciphertext to its row. */
export function secretAad(userId: string): string {
  return `two_factors/${userId}/secret`;
}

/** When the lock ends; null when there is none. */
export function lockedUntil(ctx: Pick<ConsoleContext, "clock">, until: number | null): number | null {
  return lockLeftMs(until, ctx.clock.now(), LOCK_RULE.maxMs) > 0 ? until : null;
}

/** The 429 of a user whose two-factor sign-in is locked; null when it is not. */
export function lockOf(ctx: Pick<ConsoleContext, "clock">, until: number | null): AppError | null {
  const waitMs = (lockedUntil(ctx, until) ?? 0) - ctx.clock.now();
  return waitMs > 0 ? tooManyAttempts("Too many wrong codes: two-factor sign-in is locked.", waitMs) : null;
}

/** Counts one attempt on the account before its code is checked. Throws `rate_limited` while locked. */
export async function countCodeAttempt(ctx: ConsoleContext, userId: string): Promise<void> {
  const counted = await ctx.store.twoFactors.countAttempt(userId, ctx.clock.now(), LOCK_RULE);
  if (!counted.allowed) {
    throw lockOf(ctx, counted.lockedUntil) ?? tooManyAttempts("Too many wrong codes.", 1000);
  }
}

/** The code that a request must have while 2FA is on. Throws `invalid` when it is missing or malformed. */
export function requireCode(code: string | undefined): string {
  if (code !== undefined && readCode(code) !== null) return code;
  throw invalidField("code", "Enter a code from your authenticator app or a backup code.");
}

/** A matching code that is not used up yet. */
export type MatchedCode = { method: "totp"; step: number } | { method: "backup_code"; digest: string };

/** The match of a well-formed code; null for a wrong TOTP code. A backup code is verified only when it is consumed. */
export function matchCode(
  ctx: Pick<ConsoleContext, "cipher" | "clock">,
  twoFactor: TwoFactorRecord,
  text: string,
): MatchedCode | null {
  const read = readCode(text);
  if (read === null)
    throw new AppError("invalid", "code: Must be a six-digit code or a backup code.", { param: "code" });
  if (read.method === "backup_code") {
    return { method: "backup_code", digest: digestBackupCode(ctx.cipher, twoFactor.userId, read.code) };
  }
  const secret = ctx.cipher.decrypt("totp", secretAad(twoFactor.userId), twoFactor.encryptedSecret);
  const step = matchTotp(secret, read.code, ctx.clock.now(), twoFactor.lastStep);
  return step === null ? null : { method: "totp", step };
}

/** Consumes the code inside the transaction that depends on it; null when it is wrong or was used before. */
export async function consumeCode(
  tx: Repositories,
  twoFactor: TwoFactorRecord,
  matched: MatchedCode | null,
): Promise<TwoFactorMethod | null> {
  if (matched === null) return null;
  const { userId, enrolmentId } = twoFactor;
  const wasFresh =
    matched.method === "totp"
      ? await tx.twoFactors.consumeStep(userId, enrolmentId, matched.step)
      : await tx.twoFactors.consumeBackupCode(userId, matched.digest);
  if (!wasFresh) return null;
  await tx.twoFactors.clearFailures(userId);
  return matched.method;
}
