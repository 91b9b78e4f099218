/** Counters of calls in a sliding minute and of calls at once. In memory, for this process. */
export interface RateLimiter {
  /**
   * Takes `cost` from `limit` per `windowMs` under `bucket`. Exact at the boundary: of `limit + 1` simultaneous
   * calls one is refused. `retryAfterMs` tells when one unit is free again.
   */
  take(
    bucket: string,
    limit: number,
    windowMs: number,
    cost?: number,
  ): { allowed: boolean; remaining: number; resetMs: number; retryAfterMs: number };
  /** A place among `limit` calls at once; null when there is none. Call the releaser exactly once. */
  enter(bucket: string, limit: number): (() => void) | null;
  /** The same, waiting up to `waitMs` in a bounded queue for one to become free; null when none did, or `signal` aborts. */
  enterSoon(bucket: string, limit: number, waitMs: number, signal: AbortSignal): Promise<(() => void) | null>;
}
