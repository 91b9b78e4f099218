import type { Clock } from "../ports/clock";
import type {
  EntryRequest,
  EntryResult,
  RateLimiter,
  RateRequest,
  RateResult,
  RateState,
  SharedLimits,
} from "../ports/shared-state";
import type { StopSignal } from "../ports/stop-signal";
import { createRates } from "./rates";

/** Callers that may wait for a slot of one bucket; the next one is refused at once. */
const MAX_WAITING = 256;

/** The number of calls with a slot of a bucket, and the waiting calls, each with its limit, longest wait first. */
interface Slots {
  inside: number;
  waiting: Map<() => void, number>;
}

/** Concurrency limits: slots per bucket, with a queue of waiting calls. */
function createSlots(): Pick<RateLimiter, "enter" | "enterOrWait"> {
  const slotsByName = new Map<string, Slots>();

  function releaser(name: string, slots: Slots): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      // Hands the slot over to the first call whose limit, which may have been changed while it waits, still allows it.
      for (const [take, limit] of slots.waiting) {
        if (slots.inside > limit) continue;
        take();
        return;
      }
      slots.inside -= 1;
      if (slots.inside === 0) slotsByName.delete(name);
    };
  }

  function enter(name: string, limit: number): (() => void) | null {
    const slots = slotsByName.get(name) ?? { inside: 0, waiting: new Map() };
    if (slots.inside >= limit) return null;
    slotsByName.set(name, slots);
    slots.inside += 1;
    return releaser(name, slots);
  }

  return {
    enter,

    enterOrWait(name, limit, waitMs, signal) {
      const free = enter(name, limit);
      const slots = slotsByName.get(name);
      // An aborted signal would not end the wait.
      if (free !== null || slots === undefined || slots.waiting.size >= MAX_WAITING || signal.aborted)
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
        slots.waiting.set(take, limit);
      });
    },
  };
}

/** Counts calls per sliding window and concurrent calls in this process. */
export interface LocalLimiter extends Omit<RateLimiter, "shared"> {
  /**
   * Takes `cost` from `limit` per `windowMs` under `bucket`. Exact at the limit: of `limit + 1` simultaneous calls one
   * is refused. `retryAfterMs` says when one unit is free again.
   */
  take(bucket: string, limit: number, windowMs: number, cost?: number): RateState;
  /** The same for a bucket that is named after a client address; see `SharedLimits`. */
  takeForAddress(bucket: string, limit: number, windowMs: number): RateState;
}

const NO_STATES: readonly RateState[] = [];

/** The least share of an address's limit: what it takes to open a link, mistype, and try again. */
export const leastOfAddress = (limit: number): number => Math.min(limit, 3);

/** This process's part of a limit, and at least `least`. */
type ShareOf = (limit: number, least?: number) => number;

function takeAll(
  limiter: LocalLimiter,
  shareOf: ShareOf,
  requests: readonly RateRequest[],
  windowMs: number,
): RateResult {
  const takes = ({ bucket, limit, cost, leastShare }: RateRequest): RateState =>
    limiter.take(bucket, shareOf(limit, leastShare), windowMs, cost);
  const before = requests.map((request) => takes({ ...request, cost: 0 }));
  const isExceeded = ({ cost }: RateRequest, index: number): boolean =>
    cost > (before[index]?.remaining ?? Infinity);
  const allowed = !requests.some(isExceeded);
  // `takes` changes nothing for a cost above what remains; its state says when that cost will be free.
  const states = before.map((state, index) => {
    const request = requests[index];
    if (request === undefined || request.cost === 0) return state;
    return allowed || isExceeded(request, index) ? takes(request) : state;
  });
  return { allowed, states };
}

/** Completes an entry with these slots: takes the rates, or releases the slots. */
function withRates(
  limiter: LocalLimiter,
  shareOf: ShareOf,
  { rates, windowMs }: EntryRequest,
  leaves: readonly (() => void)[],
): EntryResult {
  const leave = (): void => {
    for (const one of leaves) one();
  };
  if (rates.length === 0) return { kind: "entered", leave, states: NO_STATES };
  const { allowed, states } = takeAll(limiter, shareOf, rates, windowMs);
  if (allowed) return { kind: "entered", leave, states };
  leave();
  return { kind: "limited", states };
}

/** The limits of a single process, or of one process's share. */
function createLocalLimits(clock: Clock, limiter: LocalLimiter, shareOf: ShareOf): SharedLimits {
  function enter(request: EntryRequest): EntryResult {
    const leaves: (() => void)[] = [];
    for (const [index, { bucket, limit }] of request.slots.entries()) {
      const share = shareOf(limit);
      const leave = limiter.enter(bucket, share);
      if (leave === null) {
        for (const one of leaves) one();
        return { kind: "full", index, isShareEmpty: share < 1 };
      }
      leaves.push(leave);
    }
    return withRates(limiter, shareOf, request, leaves);
  }

  async function wait(request: EntryRequest, until: number, signal: StopSignal): Promise<EntryResult> {
    const leaves: (() => void)[] = [];
    for (const [index, { bucket, limit }] of request.slots.entries()) {
      const waitMs = Math.max(0, until - clock.monotonic());
      const share = shareOf(limit);
      const leave =
        limiter.enter(bucket, share) ?? (await limiter.enterOrWait(bucket, share, waitMs, signal));
      if (leave === null) {
        for (const one of leaves) one();
        return { kind: "full", index, isShareEmpty: share < 1 };
      }
      leaves.push(leave);
    }
    return withRates(limiter, shareOf, request, leaves);
  }

  return {
    take: (_owner, rates, windowMs) => takeAll(limiter, shareOf, rates, windowMs),
    takeForAddress: (bucket, limit, windowMs) =>
      limiter.takeForAddress(bucket, shareOf(limit, leastOfAddress(limit)), windowMs),
    enter,
    enterOrWait(request, until, signal) {
      const entry = enter(request);
      return entry.kind === "full" ? wait(request, until, signal) : entry;
    },
  };
}

/** One of several processes on one port that share no state. */
export interface ProcessShare {
  /** From 1 to `processes`. */
  index: number;
  processes: number;
}

/**
 * Rate and concurrency limits of one process: a sliding log per bucket on the monotonic clock. No window of `windowMs`
 * admits more than `limit` units; a unit is free again after its window (up to 1/1,024 of it later where entries were
 * merged). A cost of 0 only reads: `allowed` is true when one unit is free. `shared`: the same limits, of which this
 * process applies its share when it is one of several. The shares of all processes add up to the limit, except that
 * none is below `leastOfAddress` (addresses) or `leastShare`.
 */
export function createRateLimiter(
  clock: Clock,
  { index, processes }: ProcessShare = { index: 1, processes: 1 },
): LocalLimiter & RateLimiter & { bucketCount(): number } {
  const local = { ...createRates(clock), ...createSlots() };
  // The first processes divide the remainder among them.
  const shareOf: ShareOf = (limit, least = 0) =>
    Math.max(least, Math.floor(limit / processes) + (index <= limit % processes ? 1 : 0));
  return { ...local, shared: createLocalLimits(clock, local, shareOf) };
}
