import { MINUTE_MS } from "../contracts/durations";

/** How far the clocks of instances may differ. */
const CLOCK_DIFFERENCE_MS = 5 * MINUTE_MS;

/**
 * Milliseconds from `now` to the end of a lock (`until`); 0 when the lock is over. No lock is set for longer than
 * `maxMs`: a later end shows that the clock was set back after the lock was set, and such a lock counts as over.
 */
export function lockLeftMs(until: number | null, now: number, maxMs: number): number {
  const leftMs = (until ?? now) - now;
  return leftMs > 0 && leftMs <= maxMs + CLOCK_DIFFERENCE_MS ? leftMs : 0;
}
