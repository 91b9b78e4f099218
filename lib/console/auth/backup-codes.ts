import type { Cipher } from "../../ports/cipher";
import type { Random } from "../../ports/clock";

/** Crockford's base32: no I, L, O or U. 32 divides 256, so a byte modulo 32 is fair. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BACKUP_CODE_COUNT = 10;

/** Ten new codes `XXXXX-XXXXX` of 50 random bits. */
export function newBackupCodes(random: Random): string[] {
  return Array.from({ length: BACKUP_CODE_COUNT }, () => {
    const text = Array.from(random.bytes(10), (byte) => ALPHABET[byte % 32]).join("");
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
