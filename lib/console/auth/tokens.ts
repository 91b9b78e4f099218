import { createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "../../ports/clock";

/** 256 random bits, base64url: session IDs, flow tokens and link tokens. */
export function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/**
 * Compares secrets (tokens, codes, digests) in constant time. Both are hashed first, which also hides their lengths.
 * Every secret comparison in this process uses this function.
 */
export function isSameSecret(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

/** SHA-256, base64url: the stored form of a token. */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
