import type { RefusedLimit } from "../../contracts/console/rejections";
import { MINUTE_MS } from "../../contracts/durations";
import { AppError } from "../../errors";
import type { RateState } from "../../ports/shared-state/limits";
import { type StopSignal, stopReason } from "../../ports/stop-signal";
import type { KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";
import { admitRequest, type CallerLimit, callerLimits, limitError, tightestOf } from "./admit-request";
import type { TrackedBody } from "./body-memory";

/** Concurrent calls over all keys; more are refused as `overloaded`, so that they do not slow the others down. */
const MAX_CALLS_AT_ONCE = 2_048;
const ALL_CALLS = "calls";

/** How long a call waits in total for slots of its key, its owner and the process before it is refused. */
const MAX_WAIT_MS = 1_000;

/** Repeats of one key that may wait at once for their original requests; they take no concurrency slot of the key. */
const MAX_WAITING_REPEATS = 64;
/** The same for all keys of one owner: a user can create keys, so a limit per key does not limit a user. */
const MAX_OWNER_REPEATS = 128;

type Leave = () => void;

/** A call's concurrency slots (key, owner, process) and the memory of its body. */
export interface Slot {
  body: Pick<TrackedBody, "check" | "take">;
  /** Headers of the tighter limit of requests per minute; null without one. */
  limitHeaders: Record<string, string> | null;
  /**
   * Takes the slots of key and owner unless it has them, waiting up to a second. Resolves to false for a call whose
   * Idempotency-Key is known: it takes none. Throws `rate_limited`.
   */
  enterCaller(): Promise<boolean>;
  /** Releases the slots of key and owner while a repeat waits. Throws `rate_limited` when too many wait. */
  waitAsRepeat(): void;
  /** Releases slots and memory; later calls do nothing. */
  leave(): void;
}

function limited(
  { metrics }: Pick<GatewayServices, "metrics">,
  limit: RefusedLimit,
  message: string,
): AppError {
  metrics.count("rate_limited");
  return new AppError("rate_limited", message, { retryAfterMs: 1_000, limit });
}

/** A slot among the repeats in progress of a key and of its owner, who may have many keys. Throws `rate_limited`. */
function enterRepeats(services: GatewayServices, { key, owner }: KeyWithOwner): Leave {
  const leaveKey = services.limiter.enter(`repeats:${key.id}`, MAX_WAITING_REPEATS);
  if (leaveKey === null)
    throw limited(
      services,
      "key_repeats",
      `This key may have ${MAX_WAITING_REPEATS} repeats of calls in progress at once.`,
    );
  const leaveOwner = services.limiter.enter(`owner-repeats:${owner.id}`, MAX_OWNER_REPEATS);
  if (leaveOwner === null) {
    leaveKey();
    throw limited(
      services,
      "user_repeats",
      `All keys of this key's owner together may have ${MAX_OWNER_REPEATS} repeats of calls in progress at once.`,
    );
  }
  return () => {
    leaveKey();
    leaveOwner();
  };
}

const NO_RATES: readonly CallerLimit[] = [];
const NO_STATES: readonly RateState[] = [];

/**
 * Takes the concurrency slots of a call and one of its requests per minute before its body is read: those of the key and
 * its owner, then the slot of the process, so that a call that waits for its own limit takes no capacity from others. A
 * repeat of a known Idempotency-Key takes the process's slot only: it calls no channel. Throws `rate_limited`,
 * `overloaded`.
 */
export async function enterGateway(
  services: GatewayServices,
  caller: KeyWithOwner,
  signal: StopSignal,
  idempotencyKey: string | null,
): Promise<Slot> {
  const { limiter, clock } = services;
  const { bodies, idempotency } = services.state;
  const slots = callerLimits(caller, "concurrency");
  const rpm = callerLimits(caller, "rpm");
  let leaveCaller: Leave | null = null;
  let leaveRepeats: Leave | null = null;
  let limitHeaders: Slot["limitHeaders"] = null;
  const isRepeat = (): boolean => idempotencyKey !== null && idempotency.has(caller, idempotencyKey);

  const waitAsRepeat = (): void => {
    leaveRepeats ??= enterRepeats(services, caller);
    leaveCaller?.();
    leaveCaller = null;
  };
  const enterAsRepeat = async (rates: readonly CallerLimit[]): Promise<void> => {
    waitAsRepeat();
    if (rates.length > 0) limitHeaders = await admitRequest(services, caller);
  };
  const entered = (leave: Leave, states: readonly RateState[]): void => {
    leaveCaller = leave;
    leaveRepeats?.();
    leaveRepeats = null;
    if (states.length > 0) limitHeaders = tightestOf(rpm, states, "requests")?.headers ?? null;
  };
  const enterBy = async (until: number, rates: readonly CallerLimit[]): Promise<void> => {
    if (leaveCaller !== null) return;
    if (isRepeat()) return enterAsRepeat(rates);
    if (slots.length === 0 && rates.length === 0) return entered(() => {}, NO_STATES);
    const ask = { owner: caller.owner.id, slots, rates, windowMs: MINUTE_MS };
    const entering = limiter.shared.enterSoon(ask, until, signal);
    const entry = entering instanceof Promise ? await entering : entering;
    if (entry.kind === "entered") return entered(entry.leave, entry.states);
    if (signal.aborted) throw stopReason(signal);
    if (entry.kind === "limited") throw limitError(services, rates, entry.states, "requests");
    // The call that has the slot may be the original of this one.
    if (isRepeat()) return enterAsRepeat(rates);
    const full = slots[entry.index];
    if (full === undefined) throw new AppError("internal", "An unknown limit is full.");
    throw limited(
      services,
      full.name,
      `${full.subject} ${full.limit} calls at the same time. Wait for one to end.`,
    );
  };
  const leaveOwn = (): void => {
    leaveCaller?.();
    leaveRepeats?.();
    leaveCaller = null;
    leaveRepeats = null;
  };

  if (signal.aborted) throw stopReason(signal);
  const until = clock.monotonic() + MAX_WAIT_MS;
  try {
    await enterBy(until, rpm);
  } catch (error) {
    leaveOwn();
    throw error;
  }
  const leaveAll =
    limiter.enter(ALL_CALLS, MAX_CALLS_AT_ONCE) ??
    (await limiter.enterSoon(ALL_CALLS, MAX_CALLS_AT_ONCE, Math.max(0, until - clock.monotonic()), signal));
  if (leaveAll === null) {
    leaveOwn();
    if (signal.aborted) throw stopReason(signal);
    throw new AppError("overloaded", "The server is busy. Try again in a moment.", { retryAfterMs: 1_000 });
  }
  const body = bodies.track(services, caller);
  return {
    body,
    limitHeaders,
    async enterCaller() {
      await enterBy(clock.monotonic() + MAX_WAIT_MS, NO_RATES);
      return leaveCaller !== null;
    },
    waitAsRepeat,
    leave() {
      leaveOwn();
      leaveAll();
      body.release();
    },
  };
}
