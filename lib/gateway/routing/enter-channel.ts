import { MINUTE_MS } from "../../contracts/durations";
import type { ChannelRecord } from "../../ports/store";
import type { GatewayServices } from "../context";
import { chooseKey, withKey } from "./choose-upstream-key";
import { type CircuitPass, modelHealth, type OpenReason } from "./circuits";

/** What entering a channel looks at. */
export type Gates = Pick<
  GatewayServices,
  "store" | "state" | "clock" | "log" | "metrics" | "limiter" | "random"
>;

/** A channel that may be called now: with which key, under which circuits, and how its slot is released. */
export interface Entered {
  channel: ChannelRecord;
  pass: CircuitPass;
  leave: () => void;
}

/** Why a channel takes no request now, and in how many milliseconds it may again; null: nobody can tell. */
export interface Refusal {
  reason: "circuit" | "concurrency" | "rpm";
  waitMs: number | null;
  /** What opened the circuit, where that is the reason. */
  opened: OpenReason | null;
}

/** A channel's gates in the order in which a request meets them; `cost` 0 looks without taking a request of the minute. */
function passGates(
  services: Gates,
  channel: ChannelRecord,
  { model, mayProbe, cost }: { model: string; mayProbe: boolean; cost: 0 | 1 },
): { key: NonNullable<ReturnType<typeof chooseKey>> | null; leave: () => void } | Refusal {
  const { id, concurrency, rpm } = channel;
  const { circuits } = services.state;
  const key = chooseKey(channel, model, circuits, services.random, mayProbe);
  if (key === undefined) {
    const { waitMs, reason } = modelHealth(circuits, channel, model);
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

/**
 * Takes a request's slot in a channel: its circuits for this model and the channel's own limits; null when it takes no
 * request now. `mayProbe`: a half-open key goes before the closed ones.
 */
export function enterChannel(
  services: Gates,
  channel: ChannelRecord,
  model: string,
  mayProbe: boolean,
): Entered | null {
  const passed = passGates(services, channel, { model, mayProbe, cost: 1 });
  if ("reason" in passed) return null;
  const { key, leave } = passed;
  const pass = services.state.circuits.enter(channel.id, key?.id ?? null, model);
  return { channel: withKey(channel, key), pass, leave };
}

/** What `enterChannel` would meet now; nothing is taken by looking. Null: it would get in. */
export function refusalOf(services: Gates, channel: ChannelRecord, model: string): Refusal | null {
  const passed = passGates(services, channel, { model, mayProbe: true, cost: 0 });
  if ("reason" in passed) return passed;
  passed.leave();
  return null;
}
