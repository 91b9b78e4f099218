import type { StopSignal } from "../stop-signal";

/** A value where the state is in memory, a promise where it is on another machine. */
export type MaybePromise<T> = T | Promise<T>;

export interface RateState {
  /** True when the cost was taken; with a cost of 0, when one unit is free. */
  allowed: boolean;
  remaining: number;
  /** Milliseconds until the whole limit is free again. */
  resetMs: number;
  retryAfterMs: number;
}

/** A limit of concurrent units, or of units per window, counted under the name `bucket`. */
export interface BucketLimit {
  bucket: string;
  limit: number;
}

/** `cost` units to take from a limit per window; 0 only reads. */
export interface RateRequest extends BucketLimit {
  cost: number;
}

/** `allowed`: all costs were taken; otherwise none was. */
export interface RateResult {
  allowed: boolean;
  /** In the order of the requests. `retryAfterMs` of a refused one: until its cost is free. */
  states: readonly RateState[];
}

/** The result of an `EntryRequest`. */
export type EntryResult =
  | { kind: "entered"; leave(): void; states: readonly RateState[] }
  /** No slot is free under the limit of this index in `slots`. */
  | { kind: "full"; index: number }
  /** A rate limit is used up; no slot was taken. */
  | { kind: "limited"; states: readonly RateState[] };

/** Slots and rates that a call takes together; `owner` groups the buckets of one user, channel or address. */
export interface EntryRequest {
  owner: string;
  slots: readonly BucketLimit[];
  rates: readonly RateRequest[];
  windowMs: number;
}

/**
 * Limits that hold over all instances. Each method takes everything that is requested or nothing, atomically, in one
 * round trip to the server that keeps the state. No method throws: while that server does not answer, the instance's
 * share applies.
 */
export interface SharedLimits {
  take(owner: string, rates: readonly RateRequest[], windowMs: number): MaybePromise<RateResult>;
  /**
   * Takes one unit of a bucket that is named after a client address. The number of addresses is unbounded, so a process
   * evicts the least recently used buckets; a bucket of `take` is kept for its whole window.
   */
  takeForAddress(bucket: string, limit: number, windowMs: number): MaybePromise<RateState>;
  /** Call `leave` exactly once. */
  enter(request: EntryRequest): MaybePromise<EntryResult>;
  /** The same, waiting for slots in a bounded queue until `until` (monotonic milliseconds) or until `signal` aborts. */
  enterOrWait(request: EntryRequest, until: number, signal: StopSignal): MaybePromise<EntryResult>;
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
