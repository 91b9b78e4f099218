import { createHash } from "node:crypto";
import { DAY_MS } from "../../contracts/durations";
import type { Cipher } from "../../ports/cipher";
import type { SharedReplies } from "../../ports/shared-state";
import { type RedisLink, script } from "./link";
import { storeOwnerValues } from "./owner-values";

/** A claim that its instance does not renew is free after this long. */
const LEASE_MS = 20_000;
const RENEWALS_PER_LEASE = 4;
const TTL_MS = DAY_MS;
/** Most bytes of one owner's replies, as stored; the oldest go first. */
const MAX_OWNER_BYTES = 64 * 1024 * 1024;
/**
 * Most bytes of replies that are being sent to Redis; above that, a reply is not stored, and its request runs again
 * when it is repeated.
 */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const POLL_MS = 100;

/**
 * A value is `running|digest|instance` or `done|digest|reply`. ARGV: digest, instance, lease ms. Reply: 0 claimed, 1
 * claimed by another instance or done, 2 another digest. Renews a claim of this instance, also one whose answer came
 * too late.
 */
const CLAIM = script(`
local value = redis.call('GETRANGE', KEYS[1], 0, 511)
local own = 'running|' .. ARGV[1] .. '|' .. ARGV[2]
if value == '' or value == own then
  redis.call('SET', KEYS[1], own, 'PX', ARGV[3])
  return 0
end
if string.match(value, '^%a+|([^|]*)|') == ARGV[1] then return 1 end
return 2
`);

/** Reply: 0 no such request, 1 running, 2 done. */
const READ_STATUS = script(`
local value = redis.call('GETRANGE', KEYS[1], 0, 3)
if value == 'done' then return 2 end
return value == '' and 0 or 1
`);

const DISCARD = script(`
local instance = string.match(redis.call('GETRANGE', KEYS[1], 0, 511), '^running|[^|]*|(.*)$')
return instance == ARGV[1] and redis.call('DEL', KEYS[1]) or 0
`);

const aadOf = (owner: string, name: string): string => `replies/${owner}/${name}`;

/** Replies of requests with an Idempotency-Key over all instances: encrypted, and bounded in bytes for each owner. */
export class RedisReplies implements SharedReplies {
  /** Digests of the requests that this instance runs, by key. */
  readonly #claimed = new Map<string, string>();
  readonly #renewal: NodeJS.Timeout;
  #waitingBytes = 0;

  constructor(
    private readonly link: Pick<RedisLink, "deliver" | "exchange" | "isUp" | "onUp" | "prefix" | "run">,
    private readonly cipher: Cipher,
    private readonly instanceId: string,
  ) {
    this.#renewal = setInterval(() => this.#renew(), LEASE_MS / RENEWALS_PER_LEASE).unref();
    // Redis may have lost its data while it was down.
    link.onUp(() => this.#renew());
  }

  async claim(owner: string, name: string, digest: string): ReturnType<SharedReplies["claim"]> {
    const key = this.#keyOf(owner, name);
    const args = this.#claimArgs(digest);
    const quick = await this.link.run(CLAIM, [key], args);
    // Waits for a late answer too: without it the call could run, and be charged, twice.
    const answer = quick ?? (await this.link.exchange(key, ["EVAL", CLAIM.text, "1", key, ...args]));
    if (answer === 1) return "elsewhere";
    if (answer === 2) return "different";
    this.#claimed.set(key, digest);
    return "claimed";
  }

  async has(owner: string, name: string): Promise<boolean> {
    const state = await this.link.run(READ_STATUS, [this.#keyOf(owner, name)], []);
    return state === 1 || state === 2;
  }

  async wait(owner: string, name: string): Promise<string | null> {
    const key = this.#keyOf(owner, name);
    for (;;) {
      const state = await this.link.run(READ_STATUS, [key], []);
      if (state === 2) return this.#fetch(owner, name);
      if (state !== 1) return null;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  store(owner: string, name: string, digest: string, reply: string): void {
    const key = this.#keyOf(owner, name);
    if (this.#waitingBytes + reply.length > MAX_WAITING_BYTES) {
      this.discard(owner, name);
      return;
    }
    this.#claimed.delete(key);
    if (!this.link.isUp) return;
    const value = `done|${digest}|${this.cipher.encrypt("shared-reply", aadOf(owner, name), reply)}`;
    const index = `${this.link.prefix}{${owner}}:replies`;
    const entries = [{ key, value }];
    this.#waitingBytes += value.length;
    void storeOwnerValues(this.link, { index, ttlMs: TTL_MS, maxBytes: MAX_OWNER_BYTES, entries }).finally(
      () => {
        this.#waitingBytes -= value.length;
      },
    );
  }

  discard(owner: string, name: string): void {
    const key = this.#keyOf(owner, name);
    this.#claimed.delete(key);
    void this.link.run(DISCARD, [key], [this.instanceId]);
  }

  /** Ends the renewal of claims. */
  close(): void {
    clearInterval(this.#renewal);
  }

  #keyOf(owner: string, name: string): string {
    const digest = createHash("sha256").update(name).digest("base64url");
    return `${this.link.prefix}{${owner}}:reply:${digest}`;
  }

  #claimArgs(digest: string): string[] {
    return [digest, this.instanceId, String(LEASE_MS)];
  }

  #renew(): void {
    for (const [key, digest] of this.#claimed) void this.link.run(CLAIM, [key], this.#claimArgs(digest));
  }

  async #fetch(owner: string, name: string): Promise<string | null> {
    const key = this.#keyOf(owner, name);
    const value = await this.link.exchange(key, ["GET", key]);
    const encrypted = typeof value === "string" ? /^done\|[^|]*\|(.*)$/s.exec(value)?.[1] : undefined;
    if (encrypted === undefined) return null;
    try {
      return this.cipher.decrypt("shared-reply", aadOf(owner, name), encrypted);
    } catch {
      // Stored under a secret that is no longer loaded: the request runs again.
      return null;
    }
  }
}
