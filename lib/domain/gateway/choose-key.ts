import type { Random } from "../../ports/clock";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import { type Circuits, circuitPlace } from "./circuits";

/** One key of a channel whose circuit lets calls by, drawn evenly; undefined when none does, null when it has no keys. */
export function chooseKey(
  channel: ChannelRecord,
  circuits: Circuits,
  random: Random,
): ChannelKey | null | undefined {
  const { id, keys } = channel;
  if (keys.length === 0) return circuits.isOpen(circuitPlace(id, null)) ? undefined : null;
  if (keys.length === 1) {
    const [key] = keys;
    return key !== undefined && !circuits.isOpen(circuitPlace(id, key.id)) ? key : undefined;
  }
  const usable = keys.filter((key) => !circuits.isOpen(circuitPlace(id, key.id)));
  return usable[Math.floor(random.fraction() * usable.length)];
}

/** The channel as one attempt sees it: with the chosen key alone. */
export function withKey(channel: ChannelRecord, key: ChannelKey | null): ChannelRecord {
  return key === null || channel.keys.length === 1 ? channel : { ...channel, keys: [key] };
}
