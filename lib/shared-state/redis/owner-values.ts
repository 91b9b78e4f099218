import type { RedisArgument } from "@redis/client";
import { type RedisLink, script } from "./link";

/**
 * Most entries of an index whose sizes are added up again, since Redis answers no other command meanwhile; a larger
 * index is dropped.
 */
export const MAX_COUNTED = 2_000;

/**
 * Stores values and, above the owner's limit, deletes the owner's oldest, a bounded number at a time. Stores nothing
 * when more than half of Redis' `maxmemory` would be used, so that values never take memory that the limits need. KEYS:
 * index (sorted set of `bytes:key` by time), sum of the index, keys of the values. ARGV: ms to keep, most bytes,
 * values.
 */
const STORE = script(`
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local keep, max = tonumber(ARGV[1]), tonumber(ARGV[2])
local bytes = 0
for i = 3, #KEYS do bytes = bytes + string.len(ARGV[i]) end
local info = redis.pcall('INFO', 'memory')
if type(info) == 'string' then
  local used, all = tonumber(info:match('used_memory:(%d+)')), tonumber(info:match('maxmemory:(%d+)'))
  if used and all and all > 0 and used + bytes > all / 2 then bytes = max + 1 end
end
if bytes > max then
  for i = 3, #KEYS do redis.call('DEL', KEYS[i]) end
  return 0
end
-- One of both was evicted. Values that are in no index any more expire.
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 1 then
  local listed = 0
  if redis.call('ZCARD', KEYS[1]) > ${MAX_COUNTED} then redis.call('UNLINK', KEYS[1]) end
  for _, entry in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do listed = listed + tonumber(entry:match('^%d+')) end
  redis.call('SET', KEYS[2], string.format('%.0f', listed))
end
local added, written = 0, {}
for i = 3, #KEYS do
  local size = string.len(ARGV[i])
  redis.call('SET', KEYS[i], ARGV[i], 'PX', keep)
  if redis.call('ZADD', KEYS[1], string.format('%.0f', now), size .. ':' .. KEYS[i]) == 1 then added = added + size end
  written[KEYS[i]] = true
end
local sum = tonumber(redis.call('INCRBY', KEYS[2], added))
for _ = 1, 500 do
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if not oldest[1] or (sum <= max and tonumber(oldest[2]) + keep > now) then break end
  redis.call('ZREM', KEYS[1], oldest[1])
  local size, key = string.match(oldest[1], '^(%d+):(.*)$')
  -- A key that is used again after its value expired has two entries.
  if not written[key] then redis.call('DEL', key) end
  sum = redis.call('DECRBY', KEYS[2], size)
end
redis.call('PEXPIRE', KEYS[1], keep)
redis.call('PEXPIRE', KEYS[2], keep)
return sum
`);

export interface OwnerValues {
  /** Key of the index; in a cluster it has the same hash tag as the keys of the values. */
  index: string;
  ttlMs: number;
  /** Most bytes of the values under this index. */
  maxBytes: number;
  entries: readonly { key: string; value: RedisArgument }[];
}

/** Stores values under an owner's limit; resolves when Redis has answered or the command has failed, however late. */
export async function storeOwnerValues(
  link: Pick<RedisLink, "deliver">,
  { index, ttlMs, maxBytes, entries }: OwnerValues,
): Promise<void> {
  const keys = [index, `${index}:bytes`, ...entries.map(({ key }) => key)];
  const values = entries.map(({ value }) => value);
  const args = [String(keys.length), ...keys, String(ttlMs), String(maxBytes), ...values];
  await link.deliver(index, ["EVAL", STORE.text, ...args]);
}
