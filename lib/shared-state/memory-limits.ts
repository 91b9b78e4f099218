import { LRUCache } from "lru-cache";
import type { Clock } from "../ports/clock";
import type {
  Entry,
  EntryAsk,
  RateAsk,
  RateLimiter,
  RateState,
  RatesTaken,
  SharedLimits,
} from "../ports/shared-state/limits";
import type { StopSignal } from "../ports/stop-signal";

/** Units taken between `from` and `to` (monotonic milliseconds); free again one window after `to`. */
interface Taken {
  from: number;
  to: number;
  cost: number;
}

interface Bucket {
  /** Oldest first; those before `head` are outside the window. */
  log: Taken[];
  head: number;
  sum: number;
  /** The window of its last use. */
  windowMs: number;
}

/** Most log entries of a bucket; entries closer together than this fraction of the window are merged. */
const MAX_LOG_ENTRIES = 1_024;
/** Most client addresses with a bucket; the least recently used one is dropped first. */
const MAX_ADDRESSES = 20_000;
/** Callers that may wait for a slot of one bucket; the next one is refused at once. */
const MAX_WAITING = 256;

/** The calls inside a bucket, and the waiting ones, longest wait first. */
interface Slots {
  inside: number;
  waiting: Set<() => void>;
}

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

/** Milliseconds until `need` units are free, 0 when they are; the whole window for a need above the limit. */
function waitFor(bucket: Bucket, limit: number, need: number, now: number, windowMs: number): number {
  let free = limit - bucket.sum;
  if (free >= need) return 0;
  if (need > limit && bucket.head === bucket.log.length) return windowMs;
  let until = now;
  for (let i = bucket.head; i < bucket.log.length && free < need; i++) {
    const taken = bucket.log[i];
    if (taken === undefined) break;
    free += taken.cost;
    until = taken.to + windowMs;
  }
  return Math.max(0, until - now);
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
    resetMs: newest === undefined ? 0 : Math.max(0, newest.to + windowMs - now),
    retryAfterMs: allowed && cost === 0 ? 0 : waitFor(bucket, limit, Math.max(cost, 1), now, windowMs),
  };
}

const emptyBucket = (): Bucket => ({ log: [], head: 0, sum: 0, windowMs: 0 });

function isIdle({ log, windowMs }: Bucket, now: number): boolean {
  const newest = log[log.length - 1];
  return newest === undefined || newest.to + windowMs <= now;
}

/** Rate limits: a sliding log per bucket. */
function createRates(clock: Clock) {
  /**
   * Buckets of keys, users and channels in order of use. None is evicted within its window: with many keys a user could
   * otherwise make room for the limit of one to be forgotten. Their number is that of the keys used in the last minutes.
   */
  const buckets = new Map<string, Bucket>();
  const ofAddresses = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });

  function dropIdle(now: number): void {
    for (const [name, bucket] of buckets) {
      if (!isIdle(bucket, now)) return;
      buckets.delete(name);
    }
  }

  return {
    bucketCount: () => buckets.size,

    take(name: string, limit: number, windowMs: number, cost = 1) {
      const now = clock.monotonic();
      const bucket = buckets.get(name) ?? emptyBucket();
      buckets.delete(name);
      dropIdle(now);
      buckets.set(name, bucket);
      return takeFrom(bucket, limit, windowMs, cost, now);
    },

    takeOfAddress(name: string, limit: number, windowMs: number) {
      const bucket = ofAddresses.get(name) ?? emptyBucket();
      ofAddresses.set(name, bucket);
      return takeFrom(bucket, limit, windowMs, 1, clock.monotonic());
    },
  };
}

/** Concurrency limits: slots per bucket, with a queue of waiting calls. */
function createSlots(): Pick<RateLimiter, "enter" | "enterSoon"> {
  const slotsByName = new Map<string, Slots>();

  function releaser(name: string, slots: Slots): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const [next] = slots.waiting;
      if (next !== undefined) {
        next();
        return;
      }
      slots.inside -= 1;
      if (slots.inside === 0) slotsByName.delete(name);
    };
  }

  function enter(name: string, limit: number): (() => void) | null {
    const slots = slotsByName.get(name) ?? { inside: 0, waiting: new Set() };
    if (slots.inside >= limit) return null;
    slotsByName.set(name, slots);
    slots.inside += 1;
    return releaser(name, slots);
  }

  return {
    enter,

    enterSoon(name, limit, waitMs, signal) {
      const free = enter(name, limit);
      const slots = slotsByName.get(name);
      if (free !== null || slots === undefined || slots.waiting.size >= MAX_WAITING)
        return Promise.resolve(free);
      return new Promise((resolve) => {
        const give = (release: (() => void) | null): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", giveUp);
          slots.waiting.delete(take);
          resolve(release);
        };
        // The slot is handed over directly, so that no later caller can take it first.
        const take = (): void => give(releaser(name, slots));
        const giveUp = (): void => give(null);
        const timer = setTimeout(giveUp, waitMs);
        signal.addEventListener("abort", giveUp, { once: true });
        slots.waiting.add(take);
      });
    },
  };
}

type LocalLimiter = Omit<RateLimiter, "shared">;

const NO_STATES: readonly RateState[] = [];

function takeAll(limiter: LocalLimiter, asks: readonly RateAsk[], windowMs: number): RatesTaken {
  const takes = ({ bucket, limit, cost }: RateAsk): RateState => limiter.take(bucket, limit, windowMs, cost);
  const before = asks.map((ask) => takes({ ...ask, cost: 0 }));
  const isExceeded = ({ cost }: RateAsk, index: number): boolean =>
    cost > (before[index]?.remaining ?? Infinity);
  const allowed = !asks.some(isExceeded);
  // A refused cost is not taken, and its state says when it is free.
  const states = before.map((state, index) => {
    const ask = asks[index];
    if (ask === undefined || ask.cost === 0) return state;
    return allowed || isExceeded(ask, index) ? takes(ask) : state;
  });
  return { allowed, states };
}

/** Completes an entry with these slots: takes the rates, or releases the slots. */
function withRates(
  limiter: LocalLimiter,
  { rates, windowMs }: EntryAsk,
  leaves: readonly (() => void)[],
): Entry {
  const leave = (): void => {
    for (const one of leaves) one();
  };
  if (rates.length === 0) return { kind: "entered", leave, states: NO_STATES };
  const { allowed, states } = takeAll(limiter, rates, windowMs);
  if (allowed) return { kind: "entered", leave, states };
  leave();
  return { kind: "limited", states };
}

/** The limits of a process that is the only one, or of its share. */
export function createLocalLimits(clock: Clock, limiter: LocalLimiter): SharedLimits {
  function enter(ask: EntryAsk): Entry {
    const leaves: (() => void)[] = [];
    for (const [index, { bucket, limit }] of ask.slots.entries()) {
      const leave = limiter.enter(bucket, limit);
      if (leave === null) {
        for (const one of leaves) one();
        return { kind: "full", index };
      }
      leaves.push(leave);
    }
    return withRates(limiter, ask, leaves);
  }

  async function wait(ask: EntryAsk, until: number, signal: StopSignal): Promise<Entry> {
    const leaves: (() => void)[] = [];
    for (const [index, { bucket, limit }] of ask.slots.entries()) {
      const waitMs = Math.max(0, until - clock.monotonic());
      const leave = limiter.enter(bucket, limit) ?? (await limiter.enterSoon(bucket, limit, waitMs, signal));
      if (leave === null) {
        for (const one of leaves) one();
        return { kind: "full", index };
      }
      leaves.push(leave);
    }
    return withRates(limiter, ask, leaves);
  }

  return {
    take: (_owner, rates, windowMs) => takeAll(limiter, rates, windowMs),
    takeOfAddress: (bucket, limit, windowMs) => limiter.takeOfAddress(bucket, limit, windowMs),
    enter,
    enterSoon(ask, until, signal) {
      const entry = enter(ask);
      return entry.kind === "full" ? wait(ask, until, signal) : entry;
    },
  };
}

/** One of several processes on one port with nothing that they share. */
export interface Share {
  /** From 1 to `processes`. */
  index: number;
  processes: number;
}

/**
 * Rate and concurrency limits of one process: a sliding log per bucket on the monotonic clock. No window of `windowMs`
 * admits more than `limit` units; a unit is free again after its window (up to 1/1,024 of it later where entries were
 * merged). A cost of 0 only reads: `allowed` is true when one unit is free. `bucketCount`: buckets in memory, without
 * those of addresses. `shared`: the same limits. With a `share`, this process applies its part of every limit; the parts
 * of all processes add up to the limit, except that each admits every address at least once.
 */
export function createRateLimiter(
  clock: Clock,
  share: Share = { index: 1, processes: 1 },
): RateLimiter & { bucketCount(): number } {
  const whole = { ...createRates(clock), ...createSlots() };
  const local = share.processes === 1 ? whole : { ...whole, ...sharesOf(whole, share) };
  return { ...local, shared: createLocalLimits(clock, local) };
}

function sharesOf(whole: LocalLimiter, { index, processes }: Share): LocalLimiter {
  // The first processes divide the remainder among them.
  const shareOf = (limit: number) => Math.floor(limit / processes) + (index <= limit % processes ? 1 : 0);
  return {
    take: (bucket, limit, windowMs, cost) => whole.take(bucket, shareOf(limit), windowMs, cost),
    takeOfAddress: (bucket, limit, windowMs) =>
      whole.takeOfAddress(bucket, Math.max(1, shareOf(limit)), windowMs),
    enter: (bucket, limit) => whole.enter(bucket, shareOf(limit)),
    enterSoon: (bucket, limit, waitMs, signal) => whole.enterSoon(bucket, shareOf(limit), waitMs, signal),
  };
}
