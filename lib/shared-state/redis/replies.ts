import { createHash } from "node:crypto";
import type { Cipher } from "../../ports/cipher";
import type { SharedReplies } from "../../ports/shared-state/replies";
import { type RedisLink, script } from "./link";
import { storeOwnerValues } from "./owner-values";

/** A claim that its instance does not renew is free after this long. */
const LEASE_MS = 20_000;
const RENEWALS_PER_LEASE = 4;
const KEPT_MS = 24 * 3_600_000;
/** Most bytes of one owner's replies, as stored; the oldest go first. */
const MAX_OWNER_BYTES = 64 * 1024 * 1024;
const ASK_AGAIN_MS = 100;

/** A value is `running|digest|instance` or `done|digest|reply`. ARGV: digest, instance, lease ms. */
const CLAIM = script(`
local value = redis.call('GETRANGE', KEYS[1], 0, 511)
if value == '' then
  redis.call('SET', KEYS[1], 'running|' .. ARGV[1] .. '|' .. ARGV[2], 'PX', ARGV[3])
  return 0
end
-- Our own claim, whose answer came too late.
if value == 'running|' .. ARGV[1] .. '|' .. ARGV[2] then return 0 end
if string.match(value, '^%a+|([^|]*)|') == ARGV[1] then return 1 end
return 2
`);

/** 0: gone; 1: running; 2: done. */
const LOOK = script(`
local value = redis.call('GETRANGE', KEYS[1], 0, 3)
if value == 'done' then return 2 end
return value == '' and 0 or 1
`);

const OWN = `string.match(redis.call('GETRANGE', KEYS[1], 0, 511), '^running|[^|]*|(.*)$') == ARGV[1]`;
const RENEW = script(`return ${OWN} and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0`);
const DISCARD = script(`return ${OWN} and redis.call('DEL', KEYS[1]) or 0`);

/**
 * Replies of requests with an Idempotency-Key over all instances: encrypted, and bounded in bytes for each owner. `close`
 * ends the renewal of claims.
 */
export function createRedisReplies(
  link: RedisLink,
  cipher: Cipher,
  instanceId: string,
): SharedReplies & { close(): void } {
  /** Keys of the requests that this instance runs. */
  const claimed = new Set<string>();
  const keyOf = (owner: string, name: string): string =>
    `${link.prefix}{${owner}}:reply:${createHash("sha256").update(name).digest("base64url")}`;
  const aadOf = (owner: string, name: string): string => `replies/${owner}/${name}`;

  const timer = setInterval(() => {
    for (const key of claimed) void link.run(RENEW, [key], [instanceId, String(LEASE_MS)]);
  }, LEASE_MS / RENEWALS_PER_LEASE);
  timer.unref();

  async function fetch(owner: string, name: string): Promise<string | null> {
    const key = keyOf(owner, name);
    const value = await link.exchange(key, ["GET", key]);
    const encrypted = typeof value === "string" ? /^done\|[^|]*\|(.*)$/s.exec(value)?.[1] : undefined;
    if (encrypted === undefined) return null;
    try {
      return cipher.decrypt("shared-reply", aadOf(owner, name), encrypted);
    } catch {
      // Stored under a secret that is no longer loaded: the request runs again.
      return null;
    }
  }

  return {
    async claim(owner, name, digest) {
      const key = keyOf(owner, name);
      const args = [digest, instanceId, String(LEASE_MS)];
      const quick = await link.run(CLAIM, [key], args);
      // A late answer is waited for: without it the call could run, and be charged, twice.
      const answer = quick ?? (await link.exchange(key, ["EVAL", CLAIM.text, "1", key, ...args]));
      if (answer === 1) return "elsewhere";
      if (answer === 2) return "different";
      claimed.add(key);
      return "claimed";
    },

    async wait(owner, name) {
      const key = keyOf(owner, name);
      for (;;) {
        const state = await link.run(LOOK, [key], []);
        if (state === 2) return fetch(owner, name);
        if (state !== 1) return null;
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
    },

    store(owner, name, digest, reply) {
      const key = keyOf(owner, name);
      claimed.delete(key);
      if (!link.isUp) return;
      const value = `done|${digest}|${cipher.encrypt("shared-reply", aadOf(owner, name), reply)}`;
      const index = `${link.prefix}{${owner}}:replies`;
      const entries = [{ key, value }];
      void storeOwnerValues(link, { index, keptMs: KEPT_MS, maxBytes: MAX_OWNER_BYTES, entries });
    },

    discard(owner, name) {
      const key = keyOf(owner, name);
      claimed.delete(key);
      void link.run(DISCARD, [key], [instanceId]);
    },

    close: () => clearInterval(timer),
  };
}
