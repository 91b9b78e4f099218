import { MINUTE_MS } from "../../contracts/durations";
import type { Clock } from "../../ports/clock";
import type { RejectionGroup, RejectionRecord, Store } from "../../ports/store";
import type { Log } from "../../ports/telemetry";
import type { LiveBus } from "../live-bus";

/** One rejected request, without its minute. */
export type Rejected = Omit<RejectionRecord, "minute" | "calls" | "at">;

const FLUSH_INTERVAL_MS = 2_000;
/** Most groups of one minute; above that, requests are counted by error and limit only. */
const MAX_GROUPS = 1_024;
/** Most models counted per minute, key, error and limit, because callers may send any number of names. */
const MAX_MODELS = 8;
/** Most groups that are kept while the store is unavailable. */
const MAX_WAITING = 4 * MAX_GROUPS;
const MAX_MESSAGE_LENGTH = 500;

const keyOf = ({ minute, keyId, model, error, limit }: RejectionGroup): string =>
  `${minute} ${keyId ?? ""} ${error} ${limit ?? ""} ${model ?? ""}`;

/** The groups counted in the current minute. */
class MinuteGroups {
  #minute = -1;
  readonly #groups = new Set<string>();
  /** How many models the current minute has groups for, by the group without its model. */
  readonly #models = new Map<string, number>();

  /** The group that counts this request; without its model, or its key, where there are too many of them. */
  find({ keyId, userId, model, error, limit }: Rejected, now: number): RejectionGroup {
    const minute = now - (now % MINUTE_MS);
    if (this.#minute !== minute) {
      this.#minute = minute;
      this.#groups.clear();
      this.#models.clear();
    }
    const exact: RejectionGroup = { minute, keyId, userId, model, error, limit };
    if (this.#groups.has(keyOf(exact))) return exact;
    const rest = { ...exact, model: null };
    const named = this.#models.get(keyOf(rest)) ?? 0;
    const own = model !== null && named < MAX_MODELS ? exact : rest;
    const isFull = !this.#groups.has(keyOf(own)) && this.#groups.size >= MAX_GROUPS;
    if (isFull) return { ...rest, keyId: null, userId: null };
    this.#groups.add(keyOf(own));
    if (own.model !== null) this.#models.set(keyOf(rest), named + 1);
    return own;
  }
}

interface Services {
  store: Pick<Store, "rejections">;
  clock: Clock;
  log: Log;
  live: Pick<LiveBus, "publish">;
}

/** Counts rejected requests in memory and writes them to the store in batches. */
export class RejectionCounter {
  readonly #groups = new MinuteGroups();
  #waiting = new Map<string, RejectionRecord>();
  #isPlanned = false;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly services: Services) {}

  count(rejected: Rejected): void {
    const at = this.services.clock.now();
    const group = this.#groups.find(rejected, at);
    const key = keyOf(group);
    const calls = (this.#waiting.get(key)?.calls ?? 0) + 1;
    const message = rejected.message.slice(0, MAX_MESSAGE_LENGTH);
    this.#waiting.set(key, { ...rejected, ...group, message, calls, at });
    this.#plan();
  }

  /**
   * Writes the counted requests to the store; never rejects. Runs two seconds after the first request that is not
   * written yet, and before the store closes.
   */
  flush(): Promise<void> {
    this.#last = this.#last.then(() => this.#write());
    return this.#last;
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  async #write(): Promise<void> {
    const { store, log, live } = this.services;
    this.#isPlanned = false;
    if (this.#waiting.size === 0) return;
    const batch = this.#waiting;
    this.#waiting = new Map();
    try {
      const isConfirmed = await store.rejections.add([...batch.values()]);
      // The store may have written these records, so writing them again could count them twice.
      if (!isConfirmed)
        log.warn("rejections_unconfirmed", {
          count: [...batch.values()].reduce((sum, one) => sum + one.calls, 0),
        });
    } catch (error) {
      log.warn("rejections_not_written", { cause: String(error) });
      this.#putBack(batch);
      this.#plan();
      return;
    }
    for (const userId of new Set([...batch.values()].map((one) => one.userId))) live.publish("usage", userId);
  }

  /** Merges records that could not be written into the records counted since then. */
  #putBack(records: Iterable<[string, RejectionRecord]>): void {
    let dropped = 0;
    for (const [key, record] of records) {
      const newer = this.#waiting.get(key);
      if (newer !== undefined) newer.calls += record.calls;
      else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(key, record);
      else dropped += record.calls;
    }
    if (dropped > 0) this.services.log.warn("rejections_dropped", { count: dropped });
  }
}
