import { DAY_MS } from "../../contracts/durations";
import type { Cipher } from "../../ports/cipher";
import { MAX_SHARED_VALUE_BYTES, type SharedCache } from "../../ports/shared-state";
import type { RedisLink } from "./link";
import { storeOwnerValues } from "./owner-values";

const TTL_MS = DAY_MS;
/** Most keys of one call: more would block the event loop for a millisecond, and Redis would answer too late. */
const MAX_KEYS = 64;
/** Most bytes of values that are being sent to Redis; above that, further values are not stored. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/**
 * Part of every key: values of another format are not found. Must be raised with every change of the stored form
 * (`encodeSpeech`, `vectorBytes`), since instances of both versions run during an upgrade.
 */
const FORMAT = 1;

interface Entry {
  key: string;
  value: Uint8Array;
}

interface RedisCacheOptions {
  link: RedisLink;
  cipher: Cipher;
  /** Most bytes of one scope's values, as stored; the oldest go first. */
  maxScopeBytes: number;
}

/**
 * Cached results in Redis. Keys are HMACs of scope and key under the instance's digest key; values are encrypted, with
 * their key as additional authenticated data. So Redis learns neither owners nor texts, and a value that was altered,
 * or moved to another key, is treated as missing.
 */
export class RedisCache implements SharedCache {
  #generation = 0;
  #waitingBytes = 0;

  constructor(private readonly options: RedisCacheOptions) {}

  setGeneration(next: number): void {
    this.#generation = next;
  }

  async find(scope: string, keys: readonly string[]): Promise<(Uint8Array | undefined)[] | null> {
    const { link } = this.options;
    if (keys.length === 0 || keys.length > MAX_KEYS || !link.isUp) return null;
    const head = this.#headOf(scope);
    const names = keys.map((key) => this.#keyOf(head, scope, key));
    const asked = this.#generation;
    const values = await link.lookUp(head, ["MGET", ...names]);
    return values === undefined || asked !== this.#generation
      ? null
      : names.map((name, index) => this.#decrypt(name, values[index]));
  }

  store(scope: string, entries: readonly Entry[], madeIn: number): void {
    if (madeIn !== this.#generation) return;
    const kept = entries.filter(({ value }) => value.byteLength <= MAX_SHARED_VALUE_BYTES);
    const bytes = kept.reduce((sum, { value }) => sum + value.byteLength, 0);
    if (kept.length === 0 || entries.length > MAX_KEYS || !this.options.link.isUp) return;
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) return;
    this.#waitingBytes += bytes;
    // After this turn of the event loop, so that encryption does not delay the reply.
    setImmediate(() => void this.#store(scope, kept, bytes, madeIn));
  }

  /** `madeIn`: the generation of the values, which may no longer be the current one. */
  async #store(scope: string, entries: readonly Entry[], bytes: number, madeIn: number): Promise<void> {
    const { link, cipher, maxScopeBytes } = this.options;
    const index = this.#headOf(scope);
    const encrypted = entries.map(({ key, value }) => {
      const name = this.#keyOf(index, scope, key, madeIn);
      return { key: name, value: cipher.encryptBytes("shared-cache", name, value) };
    });
    await storeOwnerValues(link, { index, ttlMs: TTL_MS, maxBytes: maxScopeBytes, entries: encrypted });
    this.#waitingBytes -= bytes;
  }

  #digest(text: string): string {
    return this.options.cipher.digest("shared-state", text);
  }

  /** All keys of a scope share a hash tag, so that a cluster keeps them on one node. */
  #headOf(scope: string): string {
    return `${this.options.link.prefix}{${this.#digest(`cache/${scope}`)}}:cache`;
  }

  #keyOf(head: string, scope: string, key: string, generation = this.#generation): string {
    return `${head}:${this.#digest(`cache/${FORMAT}/${generation}/${scope}/${key}`)}`;
  }

  #decrypt(key: string, value: unknown): Uint8Array | undefined {
    if (!Buffer.isBuffer(value)) return undefined;
    try {
      return this.options.cipher.decryptBytes("shared-cache", key, value);
    } catch {
      // Altered, or stored under a secret that is no longer loaded.
      return undefined;
    }
  }
}
