import type { CircuitReason } from "../contracts/console/channels";
import type { StopSignal } from "./stop-signal";

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
  /**
   * Least number of units in a process's share of the limit. Default: 0 for the processes of a server without Redis, 1
   * for an instance whose Redis does not answer.
   */
  leastShare?: number;
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
  /** The limit at this index of `slots` has no free slot; `isShareEmpty`: this process's share of that limit is 0. */
  | { kind: "full"; index: number; isShareEmpty?: boolean }
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

/** Counts concurrent calls in this process, and through `shared` those and calls per window over all instances. */
export interface RateLimiter {
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

/** Whether the state that all instances share can be reached. */
export interface SharedStateHealth {
  isUp: boolean;
  /** Why it cannot be reached, and for how many (monotonic) milliseconds; both null while it can. */
  reason: string | null;
  downMs: number | null;
  /** Times it was lost within the last minute. */
  recentOutages: number;
}

export interface CircuitHealth {
  state: "closed" | "open" | "half_open";
  /** Wall-clock milliseconds; null while closed. */
  openedAt: number | null;
  /** Milliseconds since it opened, whatever the wall clock did since then; 0 while closed. */
  openMs: number;
  reason: CircuitReason | null;
  /** Milliseconds until the next probe is allowed; 0 when it is. */
  waitMs: number;
  /** Milliseconds since the next probe has been allowed; 0 when it is not. */
  idleMs: number;
}

export const CLOSED: CircuitHealth = {
  state: "closed",
  openedAt: null,
  openMs: 0,
  reason: null,
  waitMs: 0,
  idleMs: 0,
};

/** Names one circuit; `model` null: the circuit of the upstream key. */
export interface BreakerKey {
  channelId: string;
  keyId: string | null;
  model: string | null;
}

/**
 * Shares circuits between all instances. No method throws; while the shared state does not answer, each instance uses
 * its own.
 */
export interface CircuitSharing {
  /** A circuit of this instance opened or closed. */
  changed(key: BreakerKey, health: CircuitHealth): void;
  /**
   * Claims the probe of each of these half-open circuits for this instance, or of none of them; each circuit has one
   * probe over all instances. False when another instance has claimed one.
   */
  claimProbe(keys: readonly BreakerKey[]): Promise<boolean>;
  /** The probe of this instance has ended. */
  releaseProbe(key: BreakerKey): void;
}

/**
 * The second level of the caches of vectors and speech, which all instances share. Each scope is limited in bytes, each
 * value in time. No method throws.
 */
export interface SharedCache {
  /**
   * The values of these keys, in their order; undefined where there is none. Null for too many keys, or when the
   * shared cache does not answer within a few milliseconds.
   */
  find(scope: string, keys: readonly string[]): Promise<(Uint8Array | undefined)[] | null>;
  /**
   * Stores values, encrypted, after this turn of the event loop. Skips values that are too large or too many, and
   * values of calls that began in another generation.
   */
  store(scope: string, entries: readonly { key: string; value: Uint8Array }[], generation: number): void;
  /** Sets the generation: values stored in another generation are no longer found. */
  setGeneration(generation: number): void;
}

/** Largest value: 21 seconds of speech. */
export const MAX_SHARED_VALUE_BYTES = 1024 * 1024;

/**
 * Stored replies by owner and name, of requests with an Idempotency-Key: over all instances in Redis, else over the
 * processes of one server. No method throws; while the shared state does not answer, each process uses its own replies.
 */
export interface SharedReplies {
  /**
   * Claims a request to run it here; `elsewhere`: another process runs it or has its reply; `different`: the name
   * belongs to a request with another digest.
   */
  claim(owner: string, name: string, digest: string): Promise<"claimed" | "elsewhere" | "different">;
  /** Whether a process runs this request or has its reply; false as well while that is unknown. */
  has(owner: string, name: string): Promise<boolean>;
  /** Waits for the reply of the other process; null when it ends without one, crashes, or cannot be reached. */
  wait(owner: string, name: string): Promise<string | null>;
  /** Ends a claim with its reply, which is kept for a day within a limit of bytes. */
  store(owner: string, name: string, digest: string, reply: string): void;
  /** Ends a claim without a reply. */
  discard(owner: string, name: string): void;
}

/**
 * Messages to all instances that share a Redis or a PostgreSQL, or to all processes of one server. A message may also
 * reach its sender; it is not stored or repeated.
 */
export interface Broadcast {
  /** Sends up to `MAX_MESSAGE_BYTES`; the message is lost while there is no connection. */
  send(message: string): void;
  listen(listener: (message: string) => void): void;
}

/** PostgreSQL's NOTIFY accepts 7,999 bytes. */
export const MAX_MESSAGE_BYTES = 7_900;
