import { AppError } from "../../errors";
import type { KeyWithOwner } from "../../ports/store";
import type { GatewayServices } from "../context";
import { stopReason } from "../stop-reason";
import { callerLimits } from "./admit-request";
import type { HeldBody } from "./body-memory";

/** Calls at once over all keys; beyond, the server says that it is full rather than slow everybody down. */
const MAX_CALLS_AT_ONCE = 2_048;

/** How long a call may wait for another to end before it is turned away (SECURITY LM-5). */
const PATIENCE_MS = 1_000;

/** A call's slot among those of its key and of all keys, with the memory of its body. */
export interface Slot {
  body: Pick<HeldBody, "take">;
  /** Gives slot and memory back; a second call does nothing. */
  leave(): void;
}

/** Slots among the calls at once of the key and of its owner; null where neither has such a limit. Throws `rate_limited`. */
async function enterCaller(
  { limiter, metrics }: GatewayServices,
  caller: KeyWithOwner,
  signal: AbortSignal,
): Promise<(() => void) | null> {
  const slots: (() => void)[] = [];
  for (const { bucket, limit, subject } of callerLimits(caller, "concurrency")) {
    const leave =
      limiter.enter(bucket, limit) ?? (await limiter.enterSoon(bucket, limit, PATIENCE_MS, signal));
    if (leave === null) {
      for (const leaveOther of slots) leaveOther();
      if (signal.aborted) throw stopReason(signal);
      metrics.count("rate_limited");
      const message = `${subject} ${limit} calls at the same time. Wait for one to end.`;
      throw new AppError("rate_limited", message, { retryAfterMs: 1_000 });
    }
    slots.push(leave);
  }
  if (slots.length === 0) return null;
  return () => {
    for (const leave of slots) leave();
  };
}

/**
 * Takes a slot among the calls at once of the key and its owner, then among all (a call that waits for its own limit
 * holds up no other), before its body is read (DESIGN §4). Throws `rate_limited`, `overloaded`.
 */
export async function enterGateway(
  services: GatewayServices,
  caller: KeyWithOwner,
  signal: AbortSignal,
): Promise<Slot> {
  const leaveCaller = await enterCaller(services, caller, signal);
  const { limiter } = services;
  const leaveAll =
    limiter.enter("calls", MAX_CALLS_AT_ONCE) ??
    (await limiter.enterSoon("calls", MAX_CALLS_AT_ONCE, PATIENCE_MS, signal));
  if (leaveAll === null) {
    leaveCaller?.();
    if (signal.aborted) throw stopReason(signal);
    throw new AppError("overloaded", "The server is busy. Try again in a moment.", { retryAfterMs: 1_000 });
  }
  const body = services.state.bodies.hold(services, caller.key.id);
  return {
    body,
    leave() {
      leaveCaller?.();
      leaveAll();
      body.release();
    },
  };
}
