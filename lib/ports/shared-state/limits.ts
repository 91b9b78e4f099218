import type { StopSignal } from "../stop-signal";

/** A value at once where the state is in memory, later where it is on another machine. */
export type MaybePromise<T> = T | Promise<T>;

export interface RateState {
  /** True when the cost was taken; for a cost of 0, when one unit is free. */
  allowed: boolean;
  remaining: number;
  /** Milliseconds until the whole limit is free again. */
  resetMs: number;
  retryAfterMs: number;
}

/** At most `limit` units at once, or per window, under the name `bucket`. */
export interface BucketLimit {
  bucket: string;
  limit: number;
}

/** Takes `cost` units of a limit per window; 0 only reads. */
export interface RateRequest extends BucketLimit {
  cost: number;
}

/** `allowed`: all costs were taken; otherwise none was. */
export interface RateResult {
  allowed: boolean;
  /** In the order of the asks. `retryAfterMs` of a refused one: when its cost is free. */
  states: readonly RateState[];
}

export type EntryResult =
  | { kind: "entered"; leave(): void; states: readonly RateState[] }
  /** No slot is free under the ask of this index. */
  | { kind: "full"; index: number }
  /** A rate limit is used up; no slot was taken. */
  | { kind: "limited"; states: readonly RateState[] };

/** Rates and slots that a call takes together; `owner` groups the buckets of one user, channel or address. */
export interface EntryRequest {
  owner: string;
  slots: readonly BucketLimit[];
  rates: readonly RateRequest[];
  windowMs: number;
}

/**
 * Limits that hold over all instances. Each method takes everything asked for or nothing, atomically, in one exchange with
 * the server that keeps the state. No method fails: where that server does not answer, the instance's share applies.
 */
export interface SharedLimits {
  take(owner: string, rates: readonly RateRequest[], windowMs: number): MaybePromise<RateResult>;
  /**
   * One unit of a bucket that is named after a client address. There is no end of addresses, so a process forgets the
   * least recently used of many; a bucket of `take` is kept for its whole window.
   */
  takeForAddress(bucket: string, limit: number, windowMs: number): MaybePromise<RateState>;
  /** Call `leave` exactly once. */
  enter(ask: EntryRequest): MaybePromise<EntryResult>;
  /** The same, waiting for slots in a bounded queue until `until` (monotonic milliseconds) or until `signal` aborts. */
  enterOrWait(ask: EntryRequest, until: number, signal: StopSignal): MaybePromise<EntryResult>;
}

/** Counts calls per sliding window and concurrent calls in this process, and through `shared` over all instances. */
export interface RateLimiter {
  /**
   * Takes `cost` from `limit` per `windowMs` under `bucket`. Exact at the limit: of `limit + 1` simultaneous calls one
   * is refused. `retryAfterMs` says when one unit is free again.
   */
  take(bucket: string, limit: number, windowMs: number, cost?: number): RateState;
  /** The same for a bucket that is named after a client address; see `SharedLimits`. */
  takeForAddress(bucket: string, limit: number, windowMs: number): RateState;
  /** Takes one of `limit` slots; null when none is free. Call the release function exactly once. */
  enter(bucket: string, limit: number): (() => void) | null;
  /** The same, waiting up to `waitMs` in a bounded queue; null when no slot became free, or `signal` aborts. */
  enterOrWait(
    bucket: string,
    limit: number,
    waitMs: number,
    signal: StopSignal,
  ): Promise<(() => void) | null>;
  shared: SharedLimits;
}
