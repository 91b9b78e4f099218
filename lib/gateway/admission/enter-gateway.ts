import { AppError } from "../../errors";
import type { KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";
import { stopReason } from "../stop-reason";
import { type CallerLimit, callerLimits } from "./admit-request";
import type { HeldBody } from "./body-memory";

/** Calls at once over all keys; beyond, the server says that it is full rather than slow everybody down. */
const MAX_CALLS_AT_ONCE = 2_048;
const ALL_CALLS = "calls";

/**
 * How long a call may wait for others to end before it is turned away (SECURITY LM-5): for the slots of its key, its
 * owner and all calls together.
 */
const PATIENCE_MS = 1_000;

/** Repeats of one key that may wait at once for the requests they repeat; they hold none of the key's slots. */
const MOST_REPEATS = 64;

type Leave = () => void;

/** A call's slot among those of its key and of all keys, with the memory of its body. */
export interface Slot {
  body: Pick<HeldBody, "check" | "take">;
  /**
   * Takes the slot of key and owner unless it is held, waiting up to a second for it. Resolves to whether it is held: a
   * call whose Idempotency-Key is known takes none. Throws `rate_limited`.
   */
  enterCaller(): Promise<boolean>;
  /** Gives the slot of key and owner back while a repeat waits. Throws `rate_limited` when too many wait. */
  waitAsRepeat(): void;
  /** Gives slot and memory back; a second call does nothing. */
  leave(): void;
}

function limited({ metrics }: Pick<GatewayServices, "metrics">, message: string): AppError {
  metrics.count("rate_limited");
  return new AppError("rate_limited", message, { retryAfterMs: 1_000 });
}

/**
 * Slots among the calls at once of the key and of its owner, waiting for them up to `until` (monotonic milliseconds);
 * the limit that had none free otherwise.
 */
async function enterLimits(
  { limiter, clock }: GatewayServices,
  limits: readonly CallerLimit[],
  until: number,
  signal: AbortSignal,
): Promise<{ leave: Leave } | { full: CallerLimit }> {
  const slots: Leave[] = [];
  const leave = (): void => {
    for (const leaveOne of slots) leaveOne();
  };
  for (const one of limits) {
    const waitMs = Math.max(0, until - clock.monotonic());
    const slot =
      limiter.enter(one.bucket, one.limit) ??
      (await limiter.enterSoon(one.bucket, one.limit, waitMs, signal));
    if (slot === null) {
      leave();
      return { full: one };
    }
    slots.push(slot);
  }
  return { leave };
}

/**
 * Takes a slot among the calls at once of the key and its owner, then among all (a call that waits for its own limit
 * holds up no other), before its body is read (DESIGN §4). A repeat of a known Idempotency-Key takes the slot among all
 * alone: it makes nothing. Throws `rate_limited`, `overloaded`.
 */
export async function enterGateway(
  services: GatewayServices,
  caller: KeyWithOwner,
  signal: AbortSignal,
  idempotencyKey: string | null,
): Promise<Slot> {
  const { limiter, clock } = services;
  const { bodies, idempotency } = services.state;
  const limits = callerLimits(caller, "concurrency");
  let leaveCaller: Leave | null = null;
  let leaveRepeats: Leave | null = null;
  const isRepeat = (): boolean => idempotencyKey !== null && idempotency.knows(caller.key.id, idempotencyKey);

  const waitAsRepeat = (): void => {
    leaveRepeats ??= limiter.enter(`repeats:${caller.key.id}`, MOST_REPEATS);
    if (leaveRepeats === null)
      throw limited(services, `This key may have ${MOST_REPEATS} repeats of calls in progress at once.`);
    leaveCaller?.();
    leaveCaller = null;
  };
  const enterBy = async (until: number): Promise<void> => {
    if (leaveCaller !== null) return;
    if (isRepeat()) return waitAsRepeat();
    const entered = await enterLimits(services, limits, until, signal);
    if ("leave" in entered) {
      leaveCaller = entered.leave;
      leaveRepeats?.();
      leaveRepeats = null;
      return;
    }
    if (signal.aborted) throw stopReason(signal);
    // The call that holds the slot may be the one that this one repeats.
    if (isRepeat()) return waitAsRepeat();
    const { subject, limit } = entered.full;
    throw limited(services, `${subject} ${limit} calls at the same time. Wait for one to end.`);
  };
  const leaveOwn = (): void => {
    leaveCaller?.();
    leaveRepeats?.();
    leaveCaller = null;
    leaveRepeats = null;
  };

  const until = clock.monotonic() + PATIENCE_MS;
  await enterBy(until);
  const leaveAll =
    limiter.enter(ALL_CALLS, MAX_CALLS_AT_ONCE) ??
    (await limiter.enterSoon(ALL_CALLS, MAX_CALLS_AT_ONCE, Math.max(0, until - clock.monotonic()), signal));
  if (leaveAll === null) {
    leaveOwn();
    if (signal.aborted) throw stopReason(signal);
    throw new AppError("overloaded", "The server is busy. Try again in a moment.", { retryAfterMs: 1_000 });
  }
  const body = bodies.hold(services, caller);
  return {
    body,
    async enterCaller() {
      await enterBy(clock.monotonic() + PATIENCE_MS);
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
