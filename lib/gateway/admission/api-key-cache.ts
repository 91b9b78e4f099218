import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { KeyWithOwner, Store, Topic } from "../../ports/store";
import type { Log } from "../../ports/telemetry";
import { createAddressList } from "./address-list";

export interface CachedKey extends KeyWithOwner {
  /** Null: every address is allowed. */
  allows: ((address: string) => boolean) | null;
}

const MAX_KEYS = 10_000;
const MAX_UNKNOWN = 10_000;
/** Delay after which times of use are written to the store, so that they are written in batches. */
const TOUCH_INTERVAL_MS = 5_000;

/** Recently used API keys by the digest of the whole key, and the time of their last use. */
export class ApiKeyCache {
  // `maxSize`, because `max` would allocate memory for all entries at once.
  readonly #known = new LRUCache<string, CachedKey>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });
  readonly #unknown = new LRUCache<string, true>({ maxSize: MAX_UNKNOWN, sizeCalculation: () => 1 });
  readonly #loading = new Map<string, Promise<CachedKey | null>>();
  /** Increases with every change: the result of a read that began before a change is not cached. */
  #generation = 0;
  #used = new Map<string, number>();
  #isFlushPlanned = false;

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    store.onChange((topics) => this.#forget(topics));
  }

  /** The key and its owner as stored; null for an unknown key. */
  async find(digest: string): Promise<CachedKey | null> {
    const entry = this.#known.get(digest);
    if (entry !== undefined) return entry;
    if (this.#unknown.has(digest)) return null;
    const running = this.#loading.get(digest);
    if (running !== undefined) return running;
    const reading = this.#read(digest).finally(() => {
      if (this.#loading.get(digest) === reading) this.#loading.delete(digest);
    });
    this.#loading.set(digest, reading);
    return reading;
  }

  /** Records a use; the store gets them in batches. */
  touch(keyId: string): void {
    this.#used.set(keyId, this.clock.now());
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setTimeout(() => void this.flush(), TOUCH_INTERVAL_MS).unref();
  }

  /** Writes the uses to the store; never rejects. Also called before the store closes. */
  async flush(): Promise<void> {
    this.#isFlushPlanned = false;
    const batch = this.#used;
    this.#used = new Map();
    try {
      await this.store.keys.touchLastUsed(batch);
    } catch (error) {
      this.log.warn("key_use_not_written", { cause: error });
    }
  }

  #forget(topics: ReadonlySet<Topic>): void {
    if (!topics.has("keys") && !topics.has("users") && !topics.has("sessions")) return;
    this.#generation += 1;
    this.#loading.clear();
    if (topics.has("keys") || topics.has("users")) {
      this.#known.clear();
      this.#unknown.clear();
      return;
    }
    // A session that ends revokes its own playground keys only.
    for (const [digest, { key }] of this.#known.entries())
      if (key.sessionId !== null) this.#known.delete(digest);
  }

  async #read(digest: string): Promise<CachedKey | null> {
    const began = this.#generation;
    const found = await this.store.keys.findByDigest(digest);
    if (found === null) {
      if (began === this.#generation) this.#unknown.set(digest, true);
      return null;
    }
    const addresses = found.key.allowedAddresses;
    const entry = { ...found, allows: addresses.length === 0 ? null : createAddressList(addresses) };
    if (began === this.#generation) this.#known.set(digest, entry);
    return entry;
  }
}
