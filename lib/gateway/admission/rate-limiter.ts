import type { Clock } from "../../ports/clock";
import type { RateLimiter } from "../../ports/rate-limiter";

/** What was taken between `from` and `to` (monotonic milliseconds); free again one window after `to`. */
interface Taken {
  from: number;
  to: number;
  cost: number;
}

interface Bucket {
  /** Oldest first; those before `head` have left the window. */
  log: Taken[];
  head: number;
  sum: number;
}

/** Entries closer together than this share of the window are merged, so that a bucket never holds more than this many. */
const SLOTS = 1_024;
/** Buckets kept at most; the one unused longest is forgotten first. */
const MAX_BUCKETS = 20_000;
/** Callers that may wait for a place of one bucket; the next is told at once that there is none. */
const MAX_WAITING = 256;

/** The calls inside a bucket, and who waits for one to leave, the longest first. */
interface Places {
  inside: number;
  waiting: Set<() => void>;
}

function leave(bucket: Bucket, now: number, windowMs: number): void {
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
  } else if (bucket.head > SLOTS) {
    log.splice(0, bucket.head);
    bucket.head = 0;
  }
}

/** Milliseconds until `need` units are free, 0 when they are; a need above the limit waits for the whole window. */
function waitFor(bucket: Bucket, limit: number, need: number, now: number, windowMs: number): number {
  let free = limit - bucket.sum;
  if (free >= need) return 0;
  let until = now;
  for (let i = bucket.head; i < bucket.log.length && free < need; i++) {
    const taken = bucket.log[i];
    if (taken === undefined) break;
    free += taken.cost;
    until = taken.to + windowMs;
  }
  return Math.max(0, until - now);
}

/**
 * Limits of one process: a sliding log per bucket on the monotonic clock. In no window of `windowMs` is more than
 * `limit` let through; a unit is free again when its window has passed (up to 1/1,024 of it later where many
 * calls were merged). A cost of 0 looks without taking: `allowed` tells whether one unit is free.
 */
export function createRateLimiter(clock: Clock): RateLimiter {
  const buckets = new Map<string, Bucket>();
  const places = new Map<string, Places>();

  function bucketOf(name: string): Bucket {
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      bucket = { log: [], head: 0, sum: 0 };
      if (buckets.size >= MAX_BUCKETS) {
        const oldest = buckets.keys().next().value;
        if (oldest !== undefined) buckets.delete(oldest);
      }
    } else {
      buckets.delete(name);
    }
    // Re-inserted, so that the map's order is that of use.
    buckets.set(name, bucket);
    return bucket;
  }

  function note(bucket: Bucket, cost: number, now: number, windowMs: number): void {
    bucket.sum += cost;
    const last = bucket.log[bucket.log.length - 1];
    const crowded = bucket.log.length - bucket.head >= SLOTS / 2;
    if (last !== undefined && (last.to === now || (crowded && now - last.from < (windowMs * 2) / SLOTS))) {
      last.to = now;
      last.cost += cost;
    } else {
      bucket.log.push({ from: now, to: now, cost });
    }
  }

  function releaser(name: string, held: Places): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const [next] = held.waiting;
      if (next !== undefined) {
        next();
        return;
      }
      held.inside -= 1;
      if (held.inside === 0) places.delete(name);
    };
  }

  return {
    take(name, limit, windowMs, cost = 1) {
      const now = clock.monotonic();
      const bucket = bucketOf(name);
      leave(bucket, now, windowMs);
      const allowed = bucket.sum + Math.max(cost, 1) <= limit;
      if (allowed && cost > 0) note(bucket, cost, now, windowMs);
      const newest = bucket.log[bucket.log.length - 1];
      return {
        allowed,
        remaining: Math.max(0, limit - bucket.sum),
        resetMs: newest === undefined ? 0 : Math.max(0, newest.to + windowMs - now),
        retryAfterMs: allowed && cost === 0 ? 0 : waitFor(bucket, limit, Math.max(cost, 1), now, windowMs),
      };
    },

    enter(name, limit) {
      const held = places.get(name) ?? { inside: 0, waiting: new Set() };
      if (held.inside >= limit) return null;
      places.set(name, held);
      held.inside += 1;
      return releaser(name, held);
    },

    enterSoon(name, limit, waitMs, signal) {
      const free = this.enter(name, limit);
      const held = places.get(name);
      if (free !== null || held === undefined || held.waiting.size >= MAX_WAITING)
        return Promise.resolve(free);
      return new Promise((resolve) => {
        const give = (place: (() => void) | null): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", giveUp);
          held.waiting.delete(take);
          resolve(place);
        };
        // The leaver's place goes over; nobody can slip in between.
        const take = (): void => give(releaser(name, held));
        const giveUp = (): void => give(null);
        const timer = setTimeout(giveUp, waitMs);
        signal.addEventListener("abort", giveUp, { once: true });
        held.waiting.add(take);
      });
    },
  };
}
