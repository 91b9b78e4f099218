import type { Cipher } from "../../ports/cipher";
import { MAX_SHARED_VALUE_BYTES, type SharedCache } from "../../ports/shared-state/cache";
import type { RedisLink } from "./link";
import { storeOwnerValues } from "./owner-values";

const KEPT_MS = 24 * 3_600_000;
/** More texts of one call would take the event loop a millisecond, and Redis too long to answer in time. */
const MAX_KEYS = 64;
/** Most bytes of values on their way to Redis; above that they are left out. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/**
 * Part of every key: values of another format are not found. To be raised with every change of what is stored
 * (`encodeSpeech`, `vectorBytes`), since instances of both versions run during an upgrade.
 */
const FORMAT = 1;

interface RedisCacheOptions {
  link: RedisLink;
  cipher: Cipher;
  /** Most bytes of one scope's values, as stored; the oldest go first. */
  maxScopeBytes: number;
}

/**
 * Cached results in Redis. Keys are HMACs of scope and key under the instance's digest key, values are encrypted with their
 * key as additional authenticated data: Redis learns neither owners nor texts, and an altered or moved value is not found.
 */
export function createRedisCache({ link, cipher, maxScopeBytes }: RedisCacheOptions): SharedCache {
  let generation = 0;
  let waitingBytes = 0;

  const digest = (text: string): string => cipher.digest("shared-state", text);
  /** All keys of a scope share a hash tag, so that a cluster keeps them on one node. */
  const headOf = (scope: string): string => `${link.prefix}{${digest(`cache/${scope}`)}}:cache`;
  const keyOf = (head: string, scope: string, key: string): string =>
    `${head}:${digest(`cache/${FORMAT}/${generation}/${scope}/${key}`)}`;

  function decrypt(key: string, value: unknown): Uint8Array | undefined {
    if (!Buffer.isBuffer(value)) return undefined;
    try {
      return cipher.decryptBytes("shared-cache", key, value);
    } catch {
      // Altered, or stored under a secret that is no longer loaded.
      return undefined;
    }
  }

  async function store(scope: string, entries: readonly { key: string; value: Uint8Array }[], bytes: number) {
    const head = headOf(scope);
    const encrypted = entries.map(({ key, value }) => {
      const name = keyOf(head, scope, key);
      return { key: name, value: cipher.encryptBytes("shared-cache", name, value) };
    });
    await storeOwnerValues(link, {
      index: head,
      keptMs: KEPT_MS,
      maxBytes: maxScopeBytes,
      entries: encrypted,
    });
    waitingBytes -= bytes;
  }

  return {
    get generation() {
      return generation;
    },

    setGeneration(next) {
      generation = next;
    },

    async find(scope, keys) {
      if (keys.length === 0 || keys.length > MAX_KEYS || !link.isUp) return null;
      const head = headOf(scope);
      const names = keys.map((key) => keyOf(head, scope, key));
      const asked = generation;
      const values = await link.lookUp(head, ["MGET", ...names]);
      return values === undefined || asked !== generation
        ? null
        : names.map((name, index) => decrypt(name, values[index]));
    },

    keep(scope, entries, madeIn = generation) {
      if (madeIn !== generation) return;
      const kept = entries.filter(({ value }) => value.byteLength <= MAX_SHARED_VALUE_BYTES);
      const bytes = kept.reduce((sum, { value }) => sum + value.byteLength, 0);
      if (kept.length === 0 || entries.length > MAX_KEYS || !link.isUp) return;
      if (waitingBytes + bytes > MAX_WAITING_BYTES) return;
      waitingBytes += bytes;
      // The reply goes out first.
      setImmediate(() => void store(scope, kept, bytes));
    },
  };
}
