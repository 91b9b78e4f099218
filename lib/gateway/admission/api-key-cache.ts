import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/log";
import type { KeyWithOwner, Store } from "../../ports/store";
import { createAddressList } from "./address-list";

export interface KnownKey extends KeyWithOwner {
  /** null: the key works from everywhere. */
  allows: ((address: string) => boolean) | null;
}

/** API keys seen lately, by the digest of the whole key, and when they were last used. */
export interface ApiKeyCache {
  /** The key and its owner as the store has them; null when there is none. */
  find(digest: string): Promise<KnownKey | null>;
  /** Notes a use; written to the store in batches. */
  touch(keyId: string): void;
}

const MAX_KEYS = 10_000;
const MAX_UNKNOWN = 10_000;
/** How often uses are written. */
const TOUCH_EVERY_MS = 5_000;

export function createApiKeyCache(store: Store, clock: Clock, log: Log): ApiKeyCache {
  const known = new LRUCache<string, KnownKey>({ max: MAX_KEYS });
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN });
  const loading = new Map<string, Promise<KnownKey | null>>();
  /** Rises with every change: a read begun before one is not kept after it. */
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
    // Sessions end their own playground keys and no others.
    for (const [digest, entry] of known.entries()) if (entry.key.sessionId !== null) known.delete(digest);
  });

  async function read(digest: string): Promise<KnownKey | null> {
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
    store.keys.touchLastUsed(batch).catch((error: unknown) => log.warn("key_use_not_written", { error }));
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
