import type { Random } from "../../ports/clock";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import type { CircuitAccess } from "./breaker";
import type { Circuits } from "./circuits";

/** Whether a channel accepts requests for this model: the best result of its keys. */
export function accessOf(circuits: Circuits, { id, keys }: ChannelRecord, model: string): CircuitAccess {
  if (keys.length === 0) return circuits.access(id, null, model);
  let best: CircuitAccess = "refused";
  for (const key of keys) {
    const access = circuits.access(id, key.id, model);
    if (access === "closed") return "closed";
    if (access === "probe") best = "probe";
  }
  return best;
}

/**
 * Chooses a key of a channel for this model, in this order: with `mayProbe`, a half-open key without a running probe; a
 * random key whose circuits are closed; a half-open key without a running probe. Undefined when all are refused, null
 * when the channel has no keys.
 */
export function chooseKey(
  { id, keys }: ChannelRecord,
  model: string,
  circuits: Circuits,
  random: Random,
  mayProbe: boolean,
): ChannelKey | null | undefined {
  if (keys.length === 0) return circuits.access(id, null, model) === "refused" ? undefined : null;
  const [only] = keys;
  if (only !== undefined && keys.length === 1)
    return circuits.access(id, only.id, model) === "refused" ? undefined : only;
  const closed: ChannelKey[] = [];
  let probe: ChannelKey | undefined;
  for (const key of keys) {
    const access = circuits.access(id, key.id, model);
    if (access === "closed") closed.push(key);
    else if (access === "probe") probe ??= key;
  }
  if (probe !== undefined && (mayProbe || closed.length === 0)) return probe;
  return closed[Math.floor(random.fraction() * closed.length)];
}

/** One channel record per key, because providers cache compiled data by the identity of the record. */
const withOneKey = new WeakMap<ChannelKey, { of: ChannelRecord; channel: ChannelRecord }>();

/** The channel with the chosen key only, for one attempt. */
export function withKey(channel: ChannelRecord, key: ChannelKey | null): ChannelRecord {
  if (key === null || channel.keys.length === 1) return channel;
  const known = withOneKey.get(key);
  if (known?.of === channel) return known.channel;
  const one = { ...channel, keys: [key] };
  withOneKey.set(key, { of: channel, channel: one });
  return one;
}
