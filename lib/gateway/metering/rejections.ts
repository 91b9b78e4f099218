import { MINUTE_MS } from "../../contracts/durations";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/log";
import type { RejectionGroup, RejectionRecord, Store } from "../../ports/store";
import type { LiveBus } from "../live-bus";

/** One rejected request, without its minute. */
export type Rejected = Omit<RejectionRecord, "minute" | "calls" | "at">;

/** Counts rejected requests in memory and writes them to the store in batches. */
export interface RejectionCounter {
  count(rejected: Rejected): void;
  /** Writes what was counted; never rejects. Called every two seconds while there is something, and before the store closes. */
  flush(): Promise<void>;
}

const FLUSH_EVERY_MS = 2_000;
/** Groups of one minute; above it requests are counted by error and limit only. */
const MOST_GROUPS = 1_024;
/** Models of one minute, key, error and limit; callers may send any number of names. */
const MOST_MODELS = 8;
/** Groups that wait for a store that is unavailable. */
const MOST_WAITING = 4 * MOST_GROUPS;
const MAX_MESSAGE_LENGTH = 500;

/** The groups of one minute. */
interface Minute {
  at: number;
  groups: Set<string>;
  /** Number of models by the group without its model. */
  models: Map<string, number>;
}

const keyOf = ({ minute, keyId, model, error, limit }: RejectionGroup): string =>
  `${minute} ${keyId ?? ""} ${error} ${limit ?? ""} ${model ?? ""}`;

export function createRejectionCounter(services: {
  store: Pick<Store, "rejections">;
  clock: Clock;
  log: Log;
  live: Pick<LiveBus, "publish">;
}): RejectionCounter {
  const { store, clock, log, live } = services;
  let current: Minute = { at: -1, groups: new Set(), models: new Map() };
  let waiting = new Map<string, RejectionRecord>();
  let isPlanned = false;
  let last: Promise<void> = Promise.resolve();

  /** The group to count under: without model, or key, where there are too many. */
  function groupOf({ keyId, userId, model, error, limit }: Rejected, now: number): RejectionGroup {
    const minute = now - (now % MINUTE_MS);
    if (current.at !== minute) current = { at: minute, groups: new Set(), models: new Map() };
    const { groups, models } = current;
    const exact: RejectionGroup = { minute, keyId, userId, model, error, limit };
    if (groups.has(keyOf(exact))) return exact;
    const rest = { ...exact, model: null };
    const named = models.get(keyOf(rest)) ?? 0;
    const own = model !== null && named < MOST_MODELS ? exact : rest;
    if (!groups.has(keyOf(own)) && groups.size >= MOST_GROUPS) return { ...rest, keyId: null, userId: null };
    groups.add(keyOf(own));
    if (own.model !== null) models.set(keyOf(rest), named + 1);
    return own;
  }

  /** Adds records that could not be written to those counted since. */
  function putBack(records: Iterable<[string, RejectionRecord]>): void {
    let dropped = 0;
    for (const [key, record] of records) {
      const newer = waiting.get(key);
      if (newer !== undefined) newer.calls += record.calls;
      else if (waiting.size < MOST_WAITING) waiting.set(key, record);
      else dropped += record.calls;
    }
    if (dropped > 0) log.warn("rejections_dropped", { count: dropped });
  }

  async function write(): Promise<void> {
    isPlanned = false;
    if (waiting.size === 0) return;
    const batch = waiting;
    waiting = new Map();
    try {
      await store.rejections.add([...batch.values()]);
    } catch (error) {
      log.warn("rejections_not_written", { cause: String(error) });
      putBack(batch);
      plan();
      return;
    }
    for (const userId of new Set([...batch.values()].map((one) => one.userId))) live.publish("usage", userId);
  }

  function flush(): Promise<void> {
    last = last.then(write);
    return last;
  }

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => void flush(), FLUSH_EVERY_MS).unref();
  }

  return {
    count(rejected) {
      const at = clock.now();
      const group = groupOf(rejected, at);
      const key = keyOf(group);
      const calls = (waiting.get(key)?.calls ?? 0) + 1;
      const message = rejected.message.slice(0, MAX_MESSAGE_LENGTH);
      waiting.set(key, { ...rejected, ...group, message, calls, at });
      plan();
    },

    flush,
  };
}
