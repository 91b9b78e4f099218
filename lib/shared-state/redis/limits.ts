import type { Clock } from "../../ports/clock";
import type { Metrics } from "../../ports/metrics";
import type {
  Bound,
  Entry,
  EntryAsk,
  RateAsk,
  RateLimiter,
  RateState,
  RatesTaken,
  SharedLimits,
} from "../../ports/shared-state/limits";
import type { StopSignal } from "../../ports/stop-signal";
import { createLocalLimits } from "../memory-limits";
import { ENTER, RENEW } from "./limit-scripts";
import type { RedisLink } from "./link";

/** A slot whose lease is not renewed is free after this long: its instance has crashed. */
const LEASE_MS = 20_000;
const RENEWALS_PER_LEASE = 4;
const MAX_MEMBERS_PER_RENEWAL = 500;
/** Interval of asking again for a slot that other instances may release. */
const ASK_AGAIN_MS = 50;
/** Callers of this process that may wait for a slot of one bucket; the next one is refused at once. */
const MAX_WAITING = 256;
const UNLIMITED = Number.MAX_SAFE_INTEGER;
const NO_SLOTS: readonly Bound[] = [];

export interface RedisLimitsOptions {
  link: RedisLink;
  clock: Clock;
  metrics: Pick<Metrics, "count">;
  instanceId: string;
  /** The limits of this process, which count what it admits, so that its share applies at once when Redis is lost. */
  local: Pick<RateLimiter, "take" | "takeOfAddress" | "enter" | "enterSoon">;
  /** Number of running instances, at least 1. */
  liveInstances(): number;
  /** Default: 20 s. */
  leaseMs?: number | undefined;
}

/** The calls of one bucket that wait for a slot: they ask one after another. */
interface Queue {
  waiting: number;
  turn: Promise<void>;
  /** Ends the pause between two questions: a call of this process has released a slot. */
  wake: () => void;
}

function statesIn(reply: readonly unknown[]): RateState[] {
  const states: RateState[] = [];
  for (let at = 2; at + 3 < reply.length; at += 4) {
    const [allowed, remaining, resetMs, retryAfterMs] = reply.slice(at, at + 4).map(Number);
    states.push({
      allowed: allowed === 1,
      remaining: remaining ?? 0,
      resetMs: resetMs ?? 0,
      retryAfterMs: retryAfterMs ?? 0,
    });
  }
  return states;
}

/**
 * Limits over all instances, kept in Redis by atomic scripts; everything in it expires without help. While Redis does not
 * answer, each instance applies its share: the limit divided by the live instances, at least 1. `close` ends the renewal
 * of leases.
 */
export function createRedisLimits({
  link,
  clock,
  metrics,
  instanceId,
  local,
  liveInstances,
  leaseMs = LEASE_MS,
}: RedisLimitsOptions): SharedLimits & { close(): void } {
  const own = createLocalLimits(clock, local);
  /** Calls with a slot, by the key of the slot in Redis. */
  const held = new Map<string, Set<string>>();
  const queues = new Map<string, Queue>();
  let lastMember = 0;

  const slotKey = (owner: string, bucket: string): string => `${link.prefix}{${owner}}:slots:${bucket}`;
  const rateKey = (owner: string, bucket: string): string => `${link.prefix}{${owner}}:rate:${bucket}`;

  function shareOf<B extends Bound>(bounds: readonly B[]): B[] {
    const instances = Math.max(1, liveInstances());
    return bounds.map((one) => ({ ...one, limit: Math.max(1, Math.floor(one.limit / instances)) }));
  }

  function shareOfAsk(ask: EntryAsk): EntryAsk {
    metrics.count("redis_fallbacks");
    return { ...ask, slots: shareOf(ask.slots), rates: shareOf(ask.rates) };
  }

  function hold(key: string, member: string): void {
    const members = held.get(key) ?? new Set();
    held.set(key, members.add(member));
  }

  function release(key: string, member: string): void {
    const members = held.get(key);
    members?.delete(member);
    if (members?.size === 0) held.delete(key);
    link.post(key, ["ZREM", key, member]);
    queues.get(key)?.wake();
  }

  /** Registers the slots of an entry for renewal, also those of the share: Redis learns of them when it is back. */
  function withLeases(ask: EntryAsk, entry: Entry, member: string): Entry {
    if (entry.kind !== "entered" || ask.slots.length === 0) return entry;
    const keys = ask.slots.map(({ bucket }) => slotKey(ask.owner, bucket));
    for (const key of keys) hold(key, member);
    let isInside = true;
    return {
      ...entry,
      leave() {
        if (!isInside) return;
        isInside = false;
        for (const key of keys) release(key, member);
        entry.leave();
      },
    };
  }

  /** Counts in this process what Redis has admitted. */
  function countLocally({ slots, rates, windowMs }: EntryAsk, states: readonly RateState[]): Entry {
    for (const { bucket, cost } of rates) if (cost > 0) local.take(bucket, UNLIMITED, windowMs, cost);
    const leaves = slots.flatMap(({ bucket }) => local.enter(bucket, UNLIMITED) ?? []);
    return {
      kind: "entered",
      states,
      leave() {
        for (const leave of leaves) leave();
      },
    };
  }

  /** Asks Redis; null when it did not answer. */
  async function ask(what: EntryAsk, member: string): Promise<Entry | null> {
    const { owner, slots, rates, windowMs } = what;
    const reply = await link.run(
      ENTER,
      [
        ...slots.map(({ bucket }) => slotKey(owner, bucket)),
        ...rates.map(({ bucket }) => rateKey(owner, bucket)),
      ],
      [
        String(slots.length),
        String(rates.length),
        String(leaseMs),
        member,
        String(windowMs),
        ...slots.map(({ limit }) => String(limit)),
        ...rates.flatMap(({ limit, cost }) => [String(limit), String(cost)]),
      ],
    );
    if (!Array.isArray(reply)) return null;
    const [outcome, index] = reply;
    if (outcome === 1) return { kind: "full", index: Number(index) };
    const states = statesIn(reply);
    return outcome === 2 ? { kind: "limited", states } : countLocally(what, states);
  }

  const newMember = (): string => {
    lastMember += 1;
    return `${instanceId}:${lastMember}`;
  };

  async function enterNow(what: EntryAsk): Promise<Entry> {
    const member = newMember();
    const entry = (await ask(what, member)) ?? (await own.enter(shareOfAsk(what)));
    return withLeases(what, entry, member);
  }

  function enter(what: EntryAsk): Entry | Promise<Entry> {
    if (link.isUp) return enterNow(what);
    const entry = own.enter(shareOfAsk(what));
    return entry instanceof Promise ? entry : withLeases(what, entry, newMember());
  }

  /** Waits for the next question about a full bucket; `wake` ends the wait early. */
  function pause(queue: Queue, ms: number, signal: StopSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        queue.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end, { once: true });
      queue.wake = end;
    });
  }

  /** Asks again until a slot is free; calls of one full bucket take turns, so that the longest wait is served first. */
  async function waitFor(what: EntryAsk, full: Entry, until: number, signal: StopSignal): Promise<Entry> {
    const bound = full.kind === "full" ? what.slots[full.index] : undefined;
    if (bound === undefined) return full;
    const key = slotKey(what.owner, bound.bucket);
    const queue = queues.get(key) ?? { waiting: 0, turn: Promise.resolve(), wake: () => undefined };
    if (queue.waiting >= MAX_WAITING) return full;
    queues.set(key, queue);
    queue.waiting += 1;
    const mine = queue.turn.then(async () => {
      let entry = full;
      for (;;) {
        const leftMs = until - clock.monotonic();
        if (leftMs <= 0 || signal.aborted) return entry;
        await pause(queue, Math.min(ASK_AGAIN_MS, leftMs), signal);
        if (signal.aborted) return entry;
        if (!link.isUp) return enterShareSoon(what, until, signal);
        entry = await enterNow(what);
        if (entry.kind !== "full") return entry;
      }
    });
    queue.turn = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await mine;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(key);
    }
  }

  async function enterShareSoon(what: EntryAsk, until: number, signal: StopSignal): Promise<Entry> {
    const entry = await own.enterSoon(shareOfAsk(what), until, signal);
    return withLeases(what, entry, newMember());
  }

  function renew(): void {
    if (!link.isUp) return;
    for (const [key, members] of held) {
      const all = [...members];
      for (let at = 0; at < all.length; at += MAX_MEMBERS_PER_RENEWAL)
        void link.run(RENEW, [key], [String(leaseMs), ...all.slice(at, at + MAX_MEMBERS_PER_RENEWAL)]);
    }
  }

  const timer = setInterval(renew, leaseMs / RENEWALS_PER_LEASE);
  timer.unref();
  link.onUp(renew);

  async function takeNow(
    owner: string,
    rates: readonly RateAsk[],
    windowMs: number,
  ): Promise<RatesTaken | null> {
    const entry = await ask({ owner, slots: NO_SLOTS, rates, windowMs }, "");
    if (entry === null || entry.kind === "full") return null;
    return { allowed: entry.kind === "entered", states: entry.states };
  }

  function takeShare(owner: string, rates: readonly RateAsk[], windowMs: number) {
    metrics.count("redis_fallbacks");
    return own.take(owner, shareOf(rates), windowMs);
  }

  return {
    take(owner, rates, windowMs) {
      if (!link.isUp) return takeShare(owner, rates, windowMs);
      return takeNow(owner, rates, windowMs).then((taken) => taken ?? takeShare(owner, rates, windowMs));
    },

    takeOfAddress(bucket, limit, windowMs) {
      const share = (): RateState => {
        metrics.count("redis_fallbacks");
        const [one = { bucket, limit }] = shareOf([{ bucket, limit }]);
        return local.takeOfAddress(bucket, one.limit, windowMs);
      };
      if (!link.isUp) return share();
      const keys = [rateKey(bucket, "address")];
      const args = ["0", "1", String(leaseMs), "", String(windowMs), String(limit), "1"];
      return link.run(ENTER, keys, args).then((reply) => {
        const [state] = Array.isArray(reply) ? statesIn(reply) : [];
        if (state?.allowed) local.takeOfAddress(bucket, UNLIMITED, windowMs);
        return state ?? share();
      });
    },

    enter,

    enterSoon(what, until, signal) {
      if (!link.isUp) return enterShareSoon(what, until, signal);
      return enterNow(what).then((entry) =>
        entry.kind === "full" && what.slots.length > 0 ? waitFor(what, entry, until, signal) : entry,
      );
    },

    close: () => clearInterval(timer),
  };
}
