import { randomFillSync } from "node:crypto";
import type { Random } from "../../ports/clock";

/** A call to the system's generator costs more than a thousand bytes of its output, so they are drawn ahead. */
const POOL_BYTES = 8_192;

/** Bytes of the system's generator, each handed out once, and numbers for routing draws. */
export function createSystemRandom(): Random {
  let pool = new Uint8Array(0);
  let used = 0;
  return {
    bytes(length) {
      if (length > POOL_BYTES / 8) return randomFillSync(new Uint8Array(length));
      if (used + length > pool.byteLength) {
        // A new pool: what was handed out of the old one is still its holders'.
        pool = randomFillSync(new Uint8Array(POOL_BYTES));
        used = 0;
      }
      used += length;
      return pool.subarray(used - length, used);
    },
    fraction: () => Math.random(),
  };
}
