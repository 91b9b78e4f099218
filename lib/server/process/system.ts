import { randomFillSync } from "node:crypto";
import type { Clock, Random } from "../../ports/clock";

/** Saved before Next replaces it with a function that looks for a page render in progress on every call. */
const { now } = Date;
export const systemClock: Clock = { now, monotonic: () => performance.now() };

/** Bytes drawn ahead: one call of the system's generator costs more than a thousand bytes of its output. */
const POOL_BYTES = 8_192;

/** Bytes of the system's generator, each returned once, and fractions for routing draws. */
function createSystemRandom(): Random {
  let pool = new Uint8Array(0);
  let used = 0;
  return {
    bytes(length) {
      if (length > POOL_BYTES / 8) return randomFillSync(new Uint8Array(length));
      if (used + length > pool.byteLength) {
        // A new array: callers still hold views of the old one.
        pool = randomFillSync(new Uint8Array(POOL_BYTES));
        used = 0;
      }
      used += length;
      return pool.subarray(used - length, used);
    },
    fraction: () => Math.random(),
  };
}

export const systemRandom: Random = createSystemRandom();
