import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/log";
import type { KeyWithOwner, Store } from "../../ports/store";
import { createAddressList } from "./address-list";

export interface CachedKey extends KeyWithOwner {
  /** Null: every address is allowed. */
  allows: ((address: string) => boolean) | null;
}

/** Recently used API keys by the digest of the whole key, and the time of their last use. */
export interface ApiKeyCache {
  /** The key and its owner as stored; null for an unknown key. */
  find(digest: string): Promise<CachedKey | null>;
  /** Records a use; the store gets them in batches. */
  touch(keyId: string): void;
}

const MAX_KEYS = 10_000;
const MAX_UNKNOWN = 10_000;
/** Interval of writing uses to the store. */
const TOUCH_EVERY_MS = 5_000;

export function createApiKeyCache(store: Store, clock: Clock, log: Log): ApiKeyCache {
  const known = new LRUCache<string, CachedKey>({ max: MAX_KEYS });
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN });
  const loading = new Map<string, Promise<CachedKey | null>>();
  /** Increases with every change: the result of a read that began before a change is not cached. */
  let generation = 0;
  let used = new Map<string, number>();
  let isFlushPlanned = false;

  store.onChange((topics) => {
    if (!topics.has("keys") && !topics.has("users") && !topics.has("sessions")) return;
    generation += 1;
    loading.clear();
    if (topics.has("keys") || topics.has("users")) {
      known.clear();
      unknown.clear();
      return;
    }
    // A session that ends revokes its own playground keys only.
    for (const [digest, entry] of known.entries()) if (entry.key.sessionId !== null) known.delete(digest);
  });

  async function read(digest: string): Promise<CachedKey | null> {
    const began = generation;
    const found = await store.keys.findByDigest(digest);
    if (found === null) {
      if (began === generation) unknown.set(digest, true);
      return null;
    }
    const addresses = found.key.allowedAddresses;
    const entry = { ...found, allows: addresses.length === 0 ? null : createAddressList(addresses) };
    if (began === generation) known.set(digest, entry);
    return entry;
  }

  function flush(): void {
    isFlushPlanned = false;
    const batch = used;
    used = new Map();
    store.keys
      .touchLastUsed(batch)
      .catch((error: unknown) => log.warn("key_use_not_written", { cause: error }));
  }

  return {
    async find(digest) {
      const entry = known.get(digest);
      if (entry !== undefined) return entry;
      if (unknown.has(digest)) return null;
      const running = loading.get(digest);
      if (running !== undefined) return running;
      const reading = read(digest).finally(() => {
        if (loading.get(digest) === reading) loading.delete(digest);
      });
      loading.set(digest, reading);
      return reading;
    },

    touch(keyId) {
      used.set(keyId, clock.now());
      if (isFlushPlanned) return;
      isFlushPlanned = true;
      setTimeout(flush, TOUCH_EVERY_MS).unref();
    },
  };
}
