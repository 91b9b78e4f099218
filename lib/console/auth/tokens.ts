import { createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "../../ports/clock";

/** 256 random bits, base64url: session ids, flows and tickets. */
export function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/**
 * Compares secrets (tokens, codes, their digests) in a time that tells nothing of where they differ: both are hashed
 * first, so their lengths do not show either. Every comparison of a secret in this process goes through here.
 */
export function isSameSecret(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}

/** SHA-256, base64url: what the store keeps of a token. */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
