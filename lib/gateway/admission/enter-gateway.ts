import type { RefusedLimit } from "../../contracts/console/rejections";
import { AppError } from "../../errors";
import type { KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";
import { stopReason } from "../stop-reason";
import { type CallerLimit, callerLimits } from "./admit-request";
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

/**
 * Takes the concurrency slots of the key and its owner, waiting up to `until` (monotonic milliseconds); returns the
 * limit without a free slot otherwise.
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

/**
 * Takes the concurrency slots of a call before its body is read: those of the key and its owner, then that
 * of the process, so that a call that waits for its own limit takes no capacity from others. A repeat of a known
 * Idempotency-Key takes the process's slot only: it calls no channel. Throws `rate_limited`, `overloaded`.
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
  const isRepeat = (): boolean => idempotencyKey !== null && idempotency.has(caller, idempotencyKey);

  const waitAsRepeat = (): void => {
    leaveRepeats ??= enterRepeats(services, caller);
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
    // The call that has the slot may be the original of this one.
    if (isRepeat()) return waitAsRepeat();
    const { name, subject, limit } = entered.full;
    throw limited(services, name, `${subject} ${limit} calls at the same time. Wait for one to end.`);
  };
  const leaveOwn = (): void => {
    leaveCaller?.();
    leaveRepeats?.();
    leaveCaller = null;
    leaveRepeats = null;
  };

  if (signal.aborted) throw stopReason(signal);
  const until = clock.monotonic() + MAX_WAIT_MS;
  await enterBy(until);
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
    async enterCaller() {
      await enterBy(clock.monotonic() + MAX_WAIT_MS);
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
