import { MINUTE_MS } from "../../contracts/durations";
import type { ChannelRecord } from "../../ports/store";
import type { GatewayServices } from "../context";
import type { OpenReason } from "./breaker";
import { chooseKey, withKey } from "./choose-upstream-key";
import { modelHealth } from "./circuit-health";
import type { CircuitPermit } from "./permit";

/** Services that entering a channel needs. */
export type ChannelServices = Pick<
  GatewayServices,
  "store" | "state" | "clock" | "log" | "metrics" | "limiter" | "random"
>;

/** A channel that was entered: with its chosen key, the permit of its circuits, and the release of its slot. */
export interface Entered {
  channel: ChannelRecord;
  permit: CircuitPermit;
  leave: () => void;
}

/** Why a channel accepts no request now; `waitMs`: milliseconds until it may, null when unknown. */
export interface Refusal {
  reason: "circuit" | "concurrency" | "rpm";
  waitMs: number | null;
  /** Why the circuit opened, for the reason `circuit`. */
  opened: OpenReason | null;
  /** Wall-clock milliseconds, for the reason `circuit`. */
  openedAt: number | null;
}

/** Checks circuits, concurrency and rate limit of a channel in this order; `cost` 0 takes nothing from the rate limit. */
function checkChannel(
  services: ChannelServices,
  channel: ChannelRecord,
  { model, mayProbe, cost }: { model: string; mayProbe: boolean; cost: 0 | 1 },
): { key: NonNullable<ReturnType<typeof chooseKey>> | null; leave: () => void } | Refusal {
  const { id, concurrency, rpm } = channel;
  const { circuits } = services.state;
  const key = chooseKey(channel, model, circuits, services.random, mayProbe);
  if (key === undefined) {
    const { waitMs, reason, openedAt } = modelHealth(circuits, channel, model);
    return { reason: "circuit", waitMs, opened: reason, openedAt };
  }
  const leave = concurrency === null ? () => {} : services.limiter.enter(`channel:${id}`, concurrency);
  if (leave === null) return { reason: "concurrency", waitMs: null, opened: null, openedAt: null };
  if (rpm === null) return { key, leave };
  const taken = services.limiter.take(`channel-rpm:${id}`, rpm, MINUTE_MS, cost);
  if (taken.allowed) return { key, leave };
  leave();
  return { reason: "rpm", waitMs: taken.retryAfterMs, opened: null, openedAt: null };
}

/**
 * Enters a channel: checks its circuits for this model and takes a slot of its limits; null when it accepts no request
 * now. `mayProbe`: a half-open key is preferred to closed ones.
 */
export function enterChannel(
  services: ChannelServices,
  channel: ChannelRecord,
  model: string,
  mayProbe: boolean,
): Entered | null {
  const checked = checkChannel(services, channel, { model, mayProbe, cost: 1 });
  if ("reason" in checked) return null;
  const { key, leave } = checked;
  const permit = services.state.circuits.enter(channel.id, key?.id ?? null, model);
  return { channel: withKey(channel, key), permit, leave };
}

/** Why `enterChannel` would fail now, without taking anything; null when it would succeed. */
export function refusalOf(services: ChannelServices, channel: ChannelRecord, model: string): Refusal | null {
  const checked = checkChannel(services, channel, { model, mayProbe: true, cost: 0 });
  if ("reason" in checked) return checked;
  checked.leave();
  return null;
}
