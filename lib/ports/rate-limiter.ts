export interface RateState {
  allowed: boolean;
  remaining: number;
  resetMs: number;
  retryAfterMs: number;
}

/** Counts calls per sliding minute and concurrent calls. In memory, for this process. */
export interface RateLimiter {
  /**
   * Takes `cost` from `limit` per `windowMs` under `bucket`. Exact at the limit: of `limit + 1` simultaneous calls one
   * is refused. `retryAfterMs` says when one unit is free again.
   */
  take(bucket: string, limit: number, windowMs: number, cost?: number): RateState;
  /**
   * The same for a bucket that is named after a client address. There is no end of addresses, so the least recently used
   * of many is forgotten; a bucket of `take` is kept for its whole window.
   */
  takeOfAddress(bucket: string, limit: number, windowMs: number): RateState;
  /** Takes one of `limit` slots; null when none is free. Call the release function exactly once. */
  enter(bucket: string, limit: number): (() => void) | null;
  /** The same, waiting up to `waitMs` in a bounded queue; null when no slot became free, or `signal` aborts. */
  enterSoon(bucket: string, limit: number, waitMs: number, signal: AbortSignal): Promise<(() => void) | null>;
}
