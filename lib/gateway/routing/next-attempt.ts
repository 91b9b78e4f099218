import { type AppError, isAppError } from "../../errors";
import type { Target } from "../../ports/catalog";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import type { CallPlan } from "../call";
import type { GatewayContext } from "../context";
import { chooseChannel } from "./choose-channel";
import { accessOf } from "./choose-upstream-key";
import { modelHealth } from "./circuit-health";
import type { Entered } from "./enter-channel";
import { classify } from "./failover-errors";

/** A failed attempt that may be repeated on its channel when no other channel is left. */
interface RepeatCandidate {
  target: Target;
  /** The upstream call that failed; the callers of a batch share it. */
  call: UpstreamProgress;
}

/** One request over all of its attempts. */
export interface FailoverState {
  ctx: GatewayContext;
  plan: CallPlan;
  /** Number of the running or next attempt, from 1. */
  attemptNumber: number;
  maxAttempts: number;
  /** Monotonic milliseconds by which the first byte must have arrived. */
  deadline: number;
  /** Channels that are not tried again. */
  excluded: Set<string>;
  failures: AppError[];
  /** The first error of a channel that does not support the request. */
  firstUnsupportedError: AppError | null;
  /** IDs of the channels that do not support the request. */
  unsupportedBy: Set<string>;
  repeatable: RepeatCandidate | null;
}

/** The next attempt, its channel entered. */
export interface NextAttempt {
  target: Target;
  entered: Entered;
  isRepeat: boolean;
  /** Time until the deadline. */
  leftMs: number;
}

/** A channel for the next attempt, not entered yet. */
export interface ChosenTarget {
  target: Target;
  /** The failed attempt that it repeats; null on another channel. */
  repeat: RepeatCandidate | null;
}

/**
 * Only the first attempt of a request prefers a half-open channel; later attempts use one only when no channel with a
 * closed circuit is left.
 */
export const mayProbe = ({ attemptNumber }: FailoverState): boolean => attemptNumber === 1;

/** Null when no channel is left. */
export function chooseNext(state: FailoverState): ChosenTarget | null {
  const { ctx, plan, attemptNumber, excluded } = state;
  const { traffic, circuits } = ctx.services.state;
  const model = plan.entry.model.name;
  const next = chooseChannel(plan.entry.routes, excluded, {
    model,
    traffic,
    random: ctx.services.random,
    accessOf: ({ channel }) => accessOf(circuits, channel, model),
    mayProbe: mayProbe(state),
  });
  const repeat = next === null && attemptNumber === 2 ? state.repeatable : null;
  const target = next ?? repeat?.target ?? null;
  return target === null ? null : { target, repeat };
}

/**
 * The attempt on an entered channel. When no time or budget for repeats is left, leaves the channel and returns null.
 */
export function beginNext(
  state: FailoverState,
  { target, repeat }: ChosenTarget,
  entered: Entered,
): NextAttempt | null {
  const { clock } = state.ctx.services;
  const { traffic } = state.ctx.services.state;
  const leftMs = state.deadline - clock.monotonic();
  // Failover is free; only a repeat on the same channel draws from a budget.
  if (leftMs <= 0 || (repeat !== null && !traffic.takeRepeat(target.channel.id, repeat.call))) {
    entered.permit.endedWithoutResult();
    entered.leave();
    return null;
  }
  return { target, entered, isRepeat: repeat !== null, leftMs };
}

/** Prepares the state for the attempt after this failure; throws an error that ends the request. */
export function recordFailure(
  state: FailoverState,
  error: unknown,
  target: Target,
  progress: UpstreamProgress,
): void {
  const { next } = classify(error, target.channel);
  if (next === "throw" || !isAppError(error)) throw error;
  state.excluded.add(target.channel.id);
  if (next === "skip") {
    // An attempt only if the upstream was called. The first such error is thrown when no channel supports the request.
    if (error.details.upstreamStatus !== undefined) state.attemptNumber += 1;
    state.firstUnsupportedError ??= error;
    state.unsupportedBy.add(target.channel.id);
    // If this was a repeat, it must not be made again.
    if (state.repeatable?.target === target) state.repeatable = null;
    return;
  }
  state.failures.push(error);
  if (next === "repeat") state.repeatable = { target, call: progress.batch ?? progress };
  state.attemptNumber += 1;
}

/** True when a channel that accepts no request now may accept one after an attempt of `attemptMs`. */
function mayFollow({ ctx, plan, excluded }: FailoverState, attemptMs: number): boolean {
  const { circuits } = ctx.services.state;
  return plan.entry.routes.some(
    ({ channel }) =>
      !excluded.has(channel.id) && modelHealth(circuits, channel, plan.entry.model.name).waitMs < attemptMs,
  );
}

/**
 * Milliseconds that an attempt may take to its first byte. An attempt before the last gets half of the time, so that a
 * channel that never answers leaves some for the next. A built-in engine alone gets all of it: it rejects at once what
 * it cannot do in time.
 */
export function attemptTimeMs(state: FailoverState, { entered, isRepeat, leftMs }: NextAttempt): number {
  const { channel } = entered;
  const isAloneBuiltIn = channel.embedded && state.plan.entry.routes.length === 1;
  const isLast = state.attemptNumber === state.maxAttempts || (isRepeat && !mayFollow(state, leftMs / 2));
  const shareMs = isAloneBuiltIn || isLast ? leftMs : leftMs / 2;
  const { firstByteMs = shareMs, totalMs = shareMs } = channel.timeouts;
  return Math.min(shareMs, firstByteMs, totalMs);
}
