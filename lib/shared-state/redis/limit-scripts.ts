import { script } from "./link";

/**
 * Takes slots and units of rate limits: all of them or none. Times are those of Redis' own clock.
 *
 * KEYS: the slots' sorted sets (member: a call, score: end of its lease in ms), then the rates' logs. A log is a list
 * of `from:to:before:after`, oldest first, as in the memory limiter: units `before + 1` to `after`, counted since the
 * log began, were taken between `from` and `to`; so the units inside the window are the newest `after` less the oldest
 * `before`. When the clock is set back a little, the time of the newest entry is used instead. When it is set back by
 * more than a window (logs) or two leases (slots), entries of the old clock are deleted, and running calls take their
 * slots again when their leases are renewed.
 *
 * ARGV: number of slots and of rates, lease ms, member, window ms, the slots' limits, then limit and cost of each rate.
 * Reply: 0 entered, 1 full or 2 limited; the index of the full slot; allowed, remaining, reset ms and retry ms of each
 * rate.
 */
export const ENTER = script(`
local slots, rates = tonumber(ARGV[1]), tonumber(ARGV[2])
local lease, member, window = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
local time = redis.call('TIME')
local clock = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function whole(n) return string.format('%.0f', n) end
local function read(entry)
  local a, b, c, d = string.match(entry, '(%d+):(%d+):(%d+):(%d+)')
  return tonumber(a), tonumber(b), tonumber(c), tonumber(d)
end
for i = 1, slots do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', clock)
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '(' .. whole(clock + 2 * lease), '+inf')
  if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[5 + i]) then return {1, i - 1} end
end
local state, allowed = {}, true
for i = 1, rates do
  local key = KEYS[slots + i]
  local limit, cost = tonumber(ARGV[4 + slots + i * 2]), tonumber(ARGV[5 + slots + i * 2])
  local now, sum, to, from, after = clock, 0, 0, 0, 0
  local tail = redis.call('LINDEX', key, -1)
  local _
  if tail then from, to, _, after = read(tail) end
  if to > clock + window then
    redis.call('DEL', key)
    to, from, after = 0, 0, 0
  elseif tail then
    if to > now then now = to end
    local head = redis.call('LINDEX', key, 0)
    while head do
      local _, ended, before = read(head)
      if ended + window > now then
        sum = after - before
        break
      end
      redis.call('LPOP', key)
      head = redis.call('LINDEX', key, 0)
    end
  end
  local one = { limit = limit, cost = cost, now = now, sum = sum, from = from, to = to, after = after }
  state[i] = one
  if cost > 0 and sum + cost > limit then allowed = false end
end
if allowed then
  for i = 1, slots do
    redis.call('ZADD', KEYS[i], whole(clock + lease), member)
    redis.call('PEXPIRE', KEYS[i], lease)
  end
end
local reply = {allowed and 0 or 2, 0}
for i = 1, rates do
  local one, key = state[i], KEYS[slots + i]
  local need = math.max(one.cost, 1)
  local fits = one.sum + need <= one.limit
  local retry = 0
  if not fits and one.sum > 0 then
    -- The first entry whose end frees enough: the sums grow from entry to entry.
    local low, high = 0, redis.call('LLEN', key) - 1
    while low < high do
      local middle = math.floor((low + high) / 2)
      local _, _, _, after = read(redis.call('LINDEX', key, middle))
      if one.limit - (one.after - after) >= need then high = middle else low = middle + 1 end
    end
    local _, ended = read(redis.call('LINDEX', key, low))
    retry = math.max(0, ended + window - one.now)
  end
  if allowed and one.cost > 0 then
    local length = redis.call('LLEN', key)
    local after = one.after + one.cost
    local isCrowded = length >= 512 and one.now - one.from < window * 2 / 1024
    if length > 0 and (one.to == one.now or isCrowded) then
      local _, _, before = read(redis.call('LINDEX', key, -1))
      redis.call('LSET', key, -1, whole(one.from) .. ':' .. whole(one.now) .. ':' .. whole(before) .. ':' .. whole(after))
    else
      local now = whole(one.now)
      redis.call('RPUSH', key, now .. ':' .. now .. ':' .. whole(one.after) .. ':' .. whole(after))
    end
    redis.call('PEXPIRE', key, window)
    one.sum = one.sum + one.cost
    one.to = one.now
  end
  reply[#reply + 1] = fits and 1 or 0
  reply[#reply + 1] = math.max(0, one.limit - one.sum)
  reply[#reply + 1] = one.sum > 0 and math.max(0, one.to + window - one.now) or 0
  reply[#reply + 1] = retry
end
return reply
`);

/** Renews the leases of calls, and registers those that Redis has lost. KEYS: a slot's set. ARGV: lease ms, members. */
export const RENEW = script(`
local time = redis.call('TIME')
local clock = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local lease = tonumber(ARGV[1])
for i = 2, #ARGV do
  redis.call('ZADD', KEYS[1], string.format('%.0f', clock + lease), ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], lease)
return 1
`);
