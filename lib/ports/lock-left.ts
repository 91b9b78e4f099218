import { MINUTE_MS } from "../contracts/durations";

/** How far the clocks of instances may differ. */
const CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

/**
 * How long a lock with this end lasts from `now` on, in milliseconds; 0 when it is over. No lock is set for longer than
 * `maxMs`: one that ends later is of a clock that was set back since, and counts as over.
 */
export function lockLeftMs(until: number | null, now: number, maxMs: number): number {
  const leftMs = (until ?? now) - now;
  return leftMs > 0 && leftMs <= maxMs + CLOCK_DIFFERENCE_MS ? leftMs : 0;
}
