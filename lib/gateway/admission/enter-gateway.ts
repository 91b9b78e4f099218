import type { RefusedLimit } from "../../contracts/console/rejections";
import { MINUTE_MS } from "../../contracts/durations";
import { EMPTY_SHARE } from "../../contracts/gateway/error-sentences";
import { AppError } from "../../errors";
import type { MaybePromise, RateState } from "../../ports/shared-state";
import { type StopSignal, stopReason } from "../../ports/stop-signal";
import type { KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";
import { admitRequest, type CallerLimit, callerLimits, limitError, tightestOf } from "./admit-request";
import type { TrackedBody } from "./body-memory";

/** Concurrent calls over all keys; more are refused as `overloaded`, so that they do not slow the others down. */
const MAX_CONCURRENT_CALLS = 2_048;
/**
 * Most concurrent calls of one owner: a user can create any number of keys, and other users need slots while this
 * user's callers stall.
 */
const MAX_OWNER_CALLS = 1_536;
const ALL_CALLS = "calls";

/** How long a call waits in total for slots of its key, its owner and the process before it is refused. */
const MAX_WAIT_MS = 1_000;

/** Repeats of one key that may wait at once for their original requests; they take no concurrency slot of the key. */
const MAX_WAITING_REPEATS = 64;
/** Most waiting repeats over all keys of one owner: a limit per key does not limit a user, who can create keys. */
const MAX_OWNER_REPEATS = 128;

type Leave = () => void;

/** A call's concurrency slots (key, owner, process) and the memory of its body. */
export interface Slot {
  body: Pick<TrackedBody, "check" | "take">;
  /** Headers of the tighter limit of requests per minute; null without one. */
  limitHeaders: Record<string, string> | null;
  /**
   * Takes the concurrency slots of key and owner unless the call already has them, waiting up to a second. Resolves to
   * false for a repeat of a known Idempotency-Key, which takes none. Throws `rate_limited`, or the signal's reason.
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
  shouldRetry = true,
): AppError {
  metrics.count("rate_limited");
  return new AppError("rate_limited", message, { retryAfterMs: 1_000, limit, shouldRetry });
}

/** Takes a slot among the waiting repeats of a key and one among those of its owner. Throws `rate_limited`. */
function enterRepeats(services: GatewayServices, { key, owner }: KeyWithOwner): Leave {
  const leaveKey = services.limiter.enter(`repeats:${key.id}`, MAX_WAITING_REPEATS);
  if (leaveKey === null)
    throw limited(
      services,
      "key_repeats",
      `This key is limited to ${MAX_WAITING_REPEATS} waiting repeats of requests with an Idempotency-Key at once. Wait for one to finish.`,
    );
  const leaveOwner = services.limiter.enter(`owner-repeats:${owner.id}`, MAX_OWNER_REPEATS);
  if (leaveOwner === null) {
    leaveKey();
    throw limited(
      services,
      "user_repeats",
      `All keys of this key's owner together are limited to ${MAX_OWNER_REPEATS} waiting repeats of requests with an Idempotency-Key at once. Wait for one to finish.`,
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
 * What a call holds under the limits of its key and owner: their concurrency slots, or slots among the waiting repeats.
 */
class CallerEntry {
  readonly #slots: readonly CallerLimit[];
  #leaveCaller: Leave | null = null;
  #leaveRepeats: Leave | null = null;
  limitHeaders: Slot["limitHeaders"] = null;

  constructor(
    private readonly services: GatewayServices,
    private readonly caller: KeyWithOwner,
    private readonly signal: StopSignal,
    private readonly idempotencyKey: string | null,
  ) {
    this.#slots = callerLimits(caller, "concurrency");
  }

  get hasEntered(): boolean {
    return this.#leaveCaller !== null;
  }

  /** Takes the slots and one unit of each of `rates`; waits for slots until `until` (monotonic milliseconds). */
  async enter(until: number, rates: readonly CallerLimit[]): Promise<void> {
    if (this.hasEntered) return;
    if (this.#isRepeat()) return this.#enterAsRepeat(rates);
    const slots = this.#slots;
    const signal = this.signal;
    if (slots.length === 0 && rates.length === 0) return this.#entered(() => {}, rates, NO_STATES);
    const request = { owner: this.caller.owner.id, slots, rates, windowMs: MINUTE_MS };
    const entering = this.services.limiter.shared.enterOrWait(request, until, signal);
    const entry = entering instanceof Promise ? await entering : entering;
    if (entry.kind === "entered") return this.#entered(entry.leave, rates, entry.states);
    if (signal.aborted) throw stopReason(signal);
    if (entry.kind === "limited") throw limitError(this.services, rates, entry.states, "requests");
    // The call that has the slot may be the original request that this one repeats.
    if (this.#isRepeat() || (await this.#isRepeatElsewhere())) return this.#enterAsRepeat(rates);
    const full = slots[entry.index];
    if (full === undefined) throw new AppError("internal", "An unknown limit is full.");
    const { isShareEmpty = false } = entry;
    const advice = isShareEmpty ? EMPTY_SHARE : "Wait for one to finish.";
    const message = `${full.subject} ${full.limit} concurrent ${full.limit === 1 ? "request" : "requests"}. ${advice}`;
    throw limited(this.services, full.name, message, !isShareEmpty);
  }

  waitAsRepeat(): void {
    this.#leaveRepeats ??= enterRepeats(this.services, this.caller);
    this.#leaveCaller?.();
    this.#leaveCaller = null;
  }

  leave(): void {
    this.#leaveCaller?.();
    this.#leaveRepeats?.();
    this.#leaveCaller = null;
    this.#leaveRepeats = null;
  }

  #isRepeat(): boolean {
    const { idempotency } = this.services.state;
    return this.idempotencyKey !== null && idempotency.has(this.caller, this.idempotencyKey);
  }

  /** Asked only where the slots are full: it takes a message to Redis or to the primary process. */
  async #isRepeatElsewhere(): Promise<boolean> {
    if (this.idempotencyKey === null) return false;
    return this.services.state.idempotency.isKnownElsewhere(this.caller, this.idempotencyKey);
  }

  async #enterAsRepeat(rates: readonly CallerLimit[]): Promise<void> {
    this.waitAsRepeat();
    if (rates.length > 0) this.limitHeaders = await admitRequest(this.services, this.caller);
  }

  #entered(leave: Leave, rates: readonly CallerLimit[], states: readonly RateState[]): void {
    this.#leaveCaller = leave;
    this.#leaveRepeats?.();
    this.#leaveRepeats = null;
    if (states.length > 0) this.limitHeaders = tightestOf(rates, states, "requests")?.headers ?? null;
  }
}

/**
 * Admits a call before its body is read. Takes one request per minute and a concurrency slot of the key and of its
 * owner, then a slot of the process, of which one owner may have at most three quarters. In this order a call that
 * waits for its own limits takes no capacity from others. A repeat of a known Idempotency-Key takes no concurrency slot
 * of its key and owner, because it calls no channel. Throws `rate_limited`, `overloaded`, or the signal's reason.
 */
export async function enterGateway(
  services: GatewayServices,
  caller: KeyWithOwner,
  signal: StopSignal,
  idempotencyKey: string | null,
): Promise<Slot> {
  const { limiter, clock } = services;
  if (signal.aborted) throw stopReason(signal);
  const entry = new CallerEntry(services, caller, signal, idempotencyKey);
  const until = clock.monotonic() + MAX_WAIT_MS;
  try {
    await entry.enter(until, callerLimits(caller, "rpm"));
  } catch (error) {
    entry.leave();
    throw error;
  }
  const enterProcess = (bucket: string, limit: number): MaybePromise<Leave | null> =>
    limiter.enter(bucket, limit) ??
    limiter.enterOrWait(bucket, limit, Math.max(0, until - clock.monotonic()), signal);
  const enteringOwn = enterProcess(`calls:${caller.owner.id}`, MAX_OWNER_CALLS);
  const leaveOwn = enteringOwn instanceof Promise ? await enteringOwn : enteringOwn;
  const enteringAll = leaveOwn === null ? null : enterProcess(ALL_CALLS, MAX_CONCURRENT_CALLS);
  const leaveAll = enteringAll instanceof Promise ? await enteringAll : enteringAll;
  if (leaveOwn === null || leaveAll === null) {
    entry.leave();
    leaveOwn?.();
    if (signal.aborted) throw stopReason(signal);
    if (leaveOwn !== null)
      throw new AppError("overloaded", "The server is busy. Try again in a moment.", { retryAfterMs: 1_000 });
    throw limited(
      services,
      "user_concurrency",
      `All keys of this key's owner together are limited to ${MAX_OWNER_CALLS} concurrent requests of one server process. Wait for one to finish.`,
    );
  }
  const body = services.state.bodies.track(services, caller);
  return {
    body,
    limitHeaders: entry.limitHeaders,
    async enterCaller() {
      await entry.enter(clock.monotonic() + MAX_WAIT_MS, NO_RATES);
      return entry.hasEntered;
    },
    waitAsRepeat: () => entry.waitAsRepeat(),
    leave() {
      entry.leave();
      leaveOwn();
      leaveAll();
      body.release();
    },
  };
}
