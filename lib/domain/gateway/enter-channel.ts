import type { ChannelRecord } from "../../ports/store";
import type { Services } from "../context";
import { chooseKey, withKey } from "./choose-key";
import { type CircuitPass, channelHealth, circuitPlace, type OpenReason } from "./circuits";
import { gatewayState } from "./gateway-state";

/** What entering a channel looks at. */
export type Gates = Pick<Services, "store" | "clock" | "log" | "metrics" | "limiter" | "random">;

/** A channel that may be called now: with which key, under which circuit, and how its place is given back. */
export interface Entered {
  channel: ChannelRecord;
  pass: CircuitPass;
  leave: () => void;
}

/** Why a channel takes no call now, and in how many milliseconds it may again; null: nobody can tell. */
export interface Refusal {
  reason: "circuit" | "concurrency" | "rpm";
  waitMs: number | null;
  /** What opened the circuit, where that is the reason. */
  opened: OpenReason | null;
}

const MINUTE_MS = 60_000;

/** A channel's gates in the order in which a call meets them; `cost` 0 looks without taking a call of the minute. */
function passGates(
  services: Gates,
  channel: ChannelRecord,
  cost: 0 | 1,
): { key: NonNullable<ReturnType<typeof chooseKey>> | null; leave: () => void } | Refusal {
  const { id, concurrency, rpm } = channel;
  const { circuits } = gatewayState(services);
  const key = chooseKey(channel, circuits, services.random);
  if (key === undefined) {
    const { waitMs, reason } = channelHealth(circuits, channel);
    return { reason: "circuit", waitMs, opened: reason };
  }
  const leave = concurrency === null ? () => {} : services.limiter.enter(`channel:${id}`, concurrency);
  if (leave === null) return { reason: "concurrency", waitMs: null, opened: null };
  if (rpm === null) return { key, leave };
  const taken = services.limiter.take(`channel-rpm:${id}`, rpm, MINUTE_MS, cost);
  if (taken.allowed) return { key, leave };
  leave();
  return { reason: "rpm", waitMs: taken.retryAfterMs, opened: null };
}

/** Takes a call's place in a channel: its circuit and its own limits; null when it takes no call now. */
export function enterChannel(services: Gates, channel: ChannelRecord): Entered | null {
  const passed = passGates(services, channel, 1);
  if ("reason" in passed) return null;
  const { key, leave } = passed;
  const place = circuitPlace(channel.id, key?.id ?? null);
  return { channel: withKey(channel, key), pass: gatewayState(services).circuits.enter(place), leave };
}

/** What `enterChannel` would meet now; nothing is taken by looking. Null: it would get in. */
export function refusalOf(services: Gates, channel: ChannelRecord): Refusal | null {
  const passed = passGates(services, channel, 0);
  if ("reason" in passed) return passed;
  passed.leave();
  return null;
}
