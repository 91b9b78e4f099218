import type { Random } from "../ports/clock";
import { firstUsageId } from "../ports/store/ledger";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/**
 * The largest multiple of 62 in a byte's range: higher bytes are skipped, so that all characters are equally likely.
 */
const UNBIASED_BYTE_LIMIT = 248;

/** `length` base62 characters, each equally likely. */
export function randomBase62(random: Random, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random.bytes(length + 8)) {
      if (byte < UNBIASED_BYTE_LIMIT && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** `value` in base62, left-padded with zeros. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text;
  return text.padStart(length, "0");
}

/** An opaque id such as `usr_4kQ…` of 131 random bits. */
export function newId(random: Random, prefix: string): string {
  return `${prefix}_${randomBase62(random, 22)}`;
}

/**
 * A new ID of a ledger entry of the time `at`. IDs sort by time, so that an index of millions of entries grows at its
 * end.
 */
export function newUsageId(random: Random, at: number): string {
  return firstUsageId(at) + Buffer.from(random.bytes(9)).toString("base64url");
}
