import { LRUCache } from "lru-cache";
import type { Clock } from "../ports/clock";
import type { RateState } from "../ports/shared-state";

/** Units taken between `from` and `to` (monotonic milliseconds); free again one window after `to`. */
interface LogEntry {
  from: number;
  to: number;
  cost: number;
}

interface Bucket {
  /** Oldest first; entries before `head` are outside the window. */
  log: LogEntry[];
  head: number;
  sum: number;
  /** The window of its last use. */
  windowMs: number;
}

/** Most log entries of a bucket; entries closer together than this fraction of the window are merged. */
const MAX_LOG_ENTRIES = 1_024;
/** Most client addresses with a bucket; the least recently used one is dropped first. */
const MAX_ADDRESSES = 20_000;

function dropExpired(bucket: Bucket, now: number, windowMs: number): void {
  const { log } = bucket;
  let oldest = log[bucket.head];
  while (oldest !== undefined && oldest.to + windowMs <= now) {
    bucket.sum -= oldest.cost;
    bucket.head += 1;
    oldest = log[bucket.head];
  }
  if (bucket.head === log.length) {
    log.length = 0;
    bucket.head = 0;
  } else if (bucket.head > MAX_LOG_ENTRIES) {
    log.splice(0, bucket.head);
    bucket.head = 0;
  }
}

/**
 * Milliseconds until a window that began at `from` has passed. Computed in this order, so that rounding never makes the
 * result longer than the window.
 */
const msLeft = (from: number, windowMs: number, now: number): number => Math.max(0, windowMs - (now - from));

/**
 * Milliseconds until `need` units are free; 0 when they are. For a need above the limit: until all units are free, or
 * the whole window when all are free already.
 */
function msUntilFree(bucket: Bucket, limit: number, need: number, now: number, windowMs: number): number {
  let free = limit - bucket.sum;
  if (free >= need) return 0;
  if (need > limit && bucket.head === bucket.log.length) return windowMs;
  let waitMs = 0;
  for (let i = bucket.head; i < bucket.log.length && free < need; i++) {
    const taken = bucket.log[i];
    if (taken === undefined) break;
    free += taken.cost;
    waitMs = msLeft(taken.to, windowMs, now);
  }
  return waitMs;
}

function record(bucket: Bucket, cost: number, now: number, windowMs: number): void {
  bucket.sum += cost;
  const last = bucket.log[bucket.log.length - 1];
  const crowded = bucket.log.length - bucket.head >= MAX_LOG_ENTRIES / 2;
  if (
    last !== undefined &&
    (last.to === now || (crowded && now - last.from < (windowMs * 2) / MAX_LOG_ENTRIES))
  ) {
    last.to = now;
    last.cost += cost;
  } else {
    bucket.log.push({ from: now, to: now, cost });
  }
}

function takeFrom(bucket: Bucket, limit: number, windowMs: number, cost: number, now: number): RateState {
  bucket.windowMs = windowMs;
  dropExpired(bucket, now, windowMs);
  const allowed = bucket.sum + Math.max(cost, 1) <= limit;
  if (allowed && cost > 0) record(bucket, cost, now, windowMs);
  const newest = bucket.log[bucket.log.length - 1];
  return {
    allowed,
    remaining: Math.max(0, limit - bucket.sum),
    resetMs: newest === undefined ? 0 : msLeft(newest.to, windowMs, now),
    retryAfterMs: allowed && cost === 0 ? 0 : msUntilFree(bucket, limit, Math.max(cost, 1), now, windowMs),
  };
}

const emptyBucket = (): Bucket => ({ log: [], head: 0, sum: 0, windowMs: 0 });

function isIdle({ log, windowMs }: Bucket, now: number): boolean {
  const newest = log[log.length - 1];
  return newest === undefined || newest.to + windowMs <= now;
}

/** Rate limits: a sliding log per bucket. */
export function createRates(clock: Clock) {
  /**
   * Buckets of keys, users and channels in order of use. No bucket is evicted within its window: otherwise a user with
   * many keys could have the bucket of one key evicted, which would reset its limit. The number of buckets is that of
   * the keys used in the last minutes.
   */
  const buckets = new Map<string, Bucket>();
  // `max` would allocate all entries at once: 4 ms and 0.4 MB.
  const ofAddresses = new LRUCache<string, Bucket>({ maxSize: MAX_ADDRESSES, sizeCalculation: () => 1 });

  /** Stops at the first busy bucket whose window is not longer than `windowMs`. */
  function dropIdle(now: number, windowMs: number): void {
    for (const [name, bucket] of buckets) {
      if (isIdle(bucket, now)) buckets.delete(name);
      else if (bucket.windowMs <= windowMs) return;
    }
  }

  return {
    /** Buckets in memory, without those of addresses; only tests read it, to see leaks. */
    bucketCount: () => buckets.size,

    take(name: string, limit: number, windowMs: number, cost = 1) {
      const now = clock.monotonic();
      const bucket = buckets.get(name) ?? emptyBucket();
      buckets.delete(name);
      dropIdle(now, windowMs);
      buckets.set(name, bucket);
      return takeFrom(bucket, limit, windowMs, cost, now);
    },

    takeForAddress(name: string, limit: number, windowMs: number) {
      const bucket = ofAddresses.get(name) ?? emptyBucket();
      ofAddresses.set(name, bucket);
      return takeFrom(bucket, limit, windowMs, 1, clock.monotonic());
    },
  };
}
