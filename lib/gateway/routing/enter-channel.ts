import type { CircuitReason } from "../../contracts/console/channels";
import { MINUTE_MS } from "../../contracts/durations";
import type { EntryResult, MaybePromise, RateRequest } from "../../ports/shared-state";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import type { GatewayServices } from "../context";
import { chooseKey, withKey } from "./choose-upstream-key";
import { modelHealth } from "./circuit-health";
import type { CircuitPermit } from "./permit";

/** Services that entering a channel needs. */
export type ChannelServices = Pick<GatewayServices, "state" | "limiter" | "random">;

/** A channel that was entered: with its chosen key, the permit of its circuits, and the release of its slot. */
export interface Entered {
  channel: ChannelRecord;
  permit: CircuitPermit;
  leave: () => void;
}

/** Why a channel accepts no request now; `waitMs`: milliseconds until it may, null when unknown. */
export interface ChannelRefusal {
  reason: "circuit" | "concurrency" | "rpm";
  waitMs: number | null;
  /** Why the circuit opened, for the reason `circuit`. */
  openReason: CircuitReason | null;
  /** Wall-clock milliseconds, for the reason `circuit`. */
  openedAt: number | null;
}

/** Checks the circuits of a channel for this model. */
function chooseChannelKey(
  { state, random }: ChannelServices,
  channel: ChannelRecord,
  model: string,
  mayProbe: boolean,
): { key: ChannelKey | null } | ChannelRefusal {
  const key = chooseKey(channel, model, state.circuits, random, mayProbe);
  if (key !== undefined) return { key };
  const { waitMs, reason, openedAt } = modelHealth(state.circuits, channel, model);
  return { reason: "circuit", waitMs, openReason: reason, openedAt };
}

const releaseNothing = (): void => undefined;
const NO_LIMITS: readonly RateRequest[] = [];

/** Takes a slot and `cost` of the rate limit of a channel; a `cost` of 0 only checks the rate limit. */
function enterLimits(
  { limiter }: ChannelServices,
  { id, concurrency, rpm }: ChannelRecord,
  cost: 0 | 1,
): MaybePromise<{ leave: () => void } | ChannelRefusal> {
  if (concurrency === null && rpm === null) return { leave: releaseNothing };
  const entering = limiter.shared.enter({
    owner: id,
    slots: concurrency === null ? NO_LIMITS : [{ bucket: `channel:${id}`, limit: concurrency }],
    rates: rpm === null ? NO_LIMITS : [{ bucket: `channel-rpm:${id}`, limit: rpm, cost }],
    windowMs: MINUTE_MS,
  });
  return entering instanceof Promise ? entering.then(slotOrRefusal) : slotOrRefusal(entering);
}

function slotOrRefusal(entry: EntryResult): { leave: () => void } | ChannelRefusal {
  if (entry.kind === "full") return { reason: "concurrency", waitMs: null, openReason: null, openedAt: null };
  const [rate] = entry.states;
  if (rate === undefined || rate.allowed)
    return { leave: entry.kind === "entered" ? entry.leave : releaseNothing };
  if (entry.kind === "entered") entry.leave();
  return { reason: "rpm", waitMs: rate.retryAfterMs, openReason: null, openedAt: null };
}

/**
 * Enters a channel: checks its circuits for this model and takes a slot of its limits; null when it accepts no request
 * now. `mayProbe`: a key with a half-open circuit is preferred to keys with closed ones. Returns a promise only for
 * limits and probes that several instances share.
 */
export function enterChannel(
  services: ChannelServices,
  channel: ChannelRecord,
  model: string,
  mayProbe: boolean,
): MaybePromise<Entered | null> {
  const chosen = chooseChannelKey(services, channel, model, mayProbe);
  if ("reason" in chosen) return null;
  const { key } = chosen;
  const complete = (entered: { leave: () => void } | ChannelRefusal): Entered | null => {
    if ("reason" in entered) return null;
    const permit = services.state.circuits.enter(channel.id, key?.id ?? null, model);
    return { channel: withKey(channel, key), permit, leave: entered.leave };
  };
  const { circuits } = services.state;
  const keyId = key?.id ?? null;
  const entering = enterLimits(services, channel, 1);
  const needsClaim = circuits.sharesProbes && circuits.access(channel.id, keyId, model) === "probe";
  if (!(entering instanceof Promise) && !needsClaim) return complete(entering);
  return (async () => {
    const entered = await entering;
    if ("reason" in entered) return null;
    const isGranted = !needsClaim || (await circuits.claimProbe(channel.id, keyId, model));
    // The circuit may have opened, or its probe begun, in the meantime.
    if (isGranted && circuits.access(channel.id, keyId, model) !== "refused") return complete(entered);
    entered.leave();
    return null;
  })();
}

/**
 * Why `enterChannel` would fail now; null when it would succeed. Takes the channel's slot and releases it: a call that
 * another instance begins meanwhile may find it taken.
 */
export async function refusalOf(
  services: ChannelServices,
  channel: ChannelRecord,
  model: string,
): Promise<ChannelRefusal | null> {
  const chosen = chooseChannelKey(services, channel, model, true);
  if ("reason" in chosen) return chosen;
  const entering = enterLimits(services, channel, 0);
  // Not awaited without Redis: between taking and releasing the slot no other call runs that could find it taken.
  const entered = entering instanceof Promise ? await entering : entering;
  if ("reason" in entered) return entered;
  entered.leave();
  return null;
}
