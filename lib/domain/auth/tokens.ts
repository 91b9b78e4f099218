import { createHash } from "node:crypto";
import type { Random } from "../../ports/clock";

/** 256 random bits, base64url: session ids, flows and tickets. */
export function newToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString("base64url");
}

/** SHA-256, base64url: what the store keeps of a token. */
export function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
