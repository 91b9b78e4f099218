import { AppError, hasCode } from "../../errors";
import type { Target } from "../../ports/catalog";
import type { CallOptions } from "../../ports/speech-model";
import { stopReason } from "../../ports/stop-signal";
import type { SkippedChannel } from "../../ports/store";
import { UpstreamProgress } from "../../ports/upstream-progress";
import type { CallOutcome, CallPlan, Meter } from "../call";
import type { GatewayContext, GatewayServices } from "../context";
import { type ChannelRefusal, type Entered, enterChannel, refusalOf } from "./enter-channel";
import { finalError, reportFailure } from "./failover-errors";
import {
  attemptTimeMs,
  beginNext,
  chooseNext,
  type FailoverState,
  mayProbe,
  type NextAttempt,
  recordFailure,
} from "./next-attempt";
import { runAttempt } from "./run-attempt";

/**
 * For texts above this length a slow upstream may exceed the first-byte time, although it serves short texts in time.
 */
const LARGE_CHARACTERS = 4_000;

/** Total time for the first byte over all attempts; whole replies may take longer (`extendFirstByte`). */
function firstByteLimitMs(ctx: GatewayContext, { entry }: CallPlan): number {
  const limits = ctx.services.instance.limits;
  return entry.model.operation === "speech" ? limits.speechFirstByteMs : limits.embeddingsFirstByteMs;
}

/** Reports the end of a request to the circuit; a broken stream is a failure of the channel too. */
function settleCircuit(entered: Entered, outcome: CallOutcome, progress: UpstreamProgress): void {
  if (outcome.error === null) {
    entered.permit.succeeded(progress);
    return;
  }
  const { isCausedByRequest } = outcome;
  progress.hasHead = true;
  reportFailure(entered, new AppError(outcome.error, "The stream failed.", { isCausedByRequest }), progress);
}

/**
 * Why each channel of the model accepts no request now, in the order of the routes; null for a channel that accepts
 * one.
 */
function refusalsOf({ services }: GatewayContext, { entry }: CallPlan): Promise<(ChannelRefusal | null)[]> {
  return Promise.all(entry.routes.map(({ channel }) => refusalOf(services, channel, entry.model.name)));
}

/**
 * The model's channels with the reason why each was skipped. `refusals`: one per channel; a channel that accepts
 * requests (null) was skipped because no attempts were left.
 */
function skippedChannels(
  { entry }: CallPlan,
  refusals: readonly (ChannelRefusal | null)[],
): SkippedChannel[] {
  const accepting = { reason: "attempts", openedAt: null, openReason: null } as const;
  return [
    ...entry.routes.map(({ channel }, index): SkippedChannel => {
      const { reason, openedAt, openReason } = refusals[index] ?? accepting;
      return { channelId: channel.id, reason, openedAt, openReason };
    }),
    ...entry.disabledChannels.map(
      ({ id }): SkippedChannel => ({ ...accepting, channelId: id, reason: "disabled" }),
    ),
  ];
}

/** Most attempts of one request: two on a single channel, else one per channel, and at most the configured number. */
export function attemptsAllowed({ instance }: Pick<GatewayServices, "instance">, channels: number): number {
  const { attemptsPerCall } = instance.limits;
  return Math.min(attemptsPerCall, channels === 1 ? 2 : channels);
}

/** Runs one attempt; null when it failed and another may follow. */
async function runOn<T>(
  state: FailoverState,
  next: NextAttempt,
  meter: Meter,
  attempt: (target: Target, options: CallOptions) => Promise<T>,
  complete: ((value: T) => Promise<T>) | undefined,
): Promise<{ value: T } | null> {
  const { ctx, plan } = state;
  const { clock } = ctx.services;
  const { target, entered, isRepeat } = next;
  const { channel, permit, leave } = entered;
  const attemptMs = attemptTimeMs(state, next);
  meter.attemptStarted(channel.id, state.attemptNumber, channel.keys[0]?.id ?? null);
  const running = ctx.services.state.traffic.begin(channel.id, plan.entry.model.name, isRepeat);
  const progress = new UpstreamProgress();
  // A built-in engine has no connection that could fail.
  progress.hasHead = channel.embedded;
  progress.isLarge = plan.characters > LARGE_CHARACTERS;
  const end = (): void => {
    running.ended();
    leave();
  };
  let hasAnswered = false;
  const startedAt = clock.monotonic();
  /**
   * Extends the deadline by the time that a reply took beyond the attempt's limit because it came all at once, so that
   * the next attempt does not lose that time.
   */
  const addTimeBeyond = (at: number): void => {
    state.deadline += Math.max(0, at - startedAt - attemptMs);
  };
  try {
    const begun = await runAttempt(
      ctx,
      attemptMs,
      progress,
      (options) => attempt({ channel, upstreamName: target.upstreamName }, options),
      // The time to the first byte of a whole reply says nothing about the channel's latency.
      () => running.ended(),
    );
    hasAnswered = true;
    running.answered();
    permit.answered();
    meter.answered();
    const answeredAt = clock.monotonic();
    addTimeBeyond(answeredAt);
    const value =
      complete === undefined
        ? begun
        : await complete(begun).finally(() => {
            state.deadline += clock.monotonic() - answeredAt;
          });
    meter.firstByte();
    meter.whenSettled((outcome) => {
      end();
      settleCircuit(entered, outcome, progress);
    });
    return { value };
  } catch (error) {
    end();
    if (!hasAnswered) addTimeBeyond(clock.monotonic());
    meter.failed(error);
    if (ctx.signal.aborted) {
      permit.endedWithoutResult();
      throw stopReason(ctx.signal);
    }
    reportFailure(entered, error, progress);
    // Memory for the reply is short, and the reply of another upstream would need it too.
    const isOutOfMemory = hasCode(error, "overloaded") || hasCode(error, "rate_limited");
    if (hasAnswered && plan.isBuffered === true && isOutOfMemory) throw error;
    recordFailure(state, error, target, progress);
    return null;
  }
}

/**
 * Runs `attempt` on one channel after another until one returns a value. `attempt` resolves with the first byte or the
 * whole reply; nothing is retried after it. The options of an attempt carry its signal, which aborts when the caller
 * leaves, and its first-byte deadline. `complete` reads the rest of a buffered reply: it runs without the first-byte
 * limit, its time does not shorten later attempts, and its failure is a failure of the attempt.
 */
export async function withFailover<T>(
  ctx: GatewayContext,
  plan: CallPlan,
  meter: Meter,
  attempt: (target: Target, options: CallOptions) => Promise<T>,
  complete?: (value: T) => Promise<T>,
): Promise<T> {
  const state: FailoverState = {
    ctx,
    plan,
    attemptNumber: 1,
    maxAttempts: attemptsAllowed(ctx.services, plan.entry.routes.length),
    deadline: ctx.services.clock.monotonic() + firstByteLimitMs(ctx, plan) - (plan.voiceListWaitMs ?? 0),
    excluded: new Set(),
    failures: [],
    firstUnsupportedError: null,
    unsupportedBy: new Set(),
    repeatable: null,
  };
  while (state.attemptNumber <= state.maxAttempts) {
    const choice = chooseNext(state);
    if (choice === null) break;
    const { target, repeat } = choice;
    const entering = enterChannel(ctx.services, target.channel, plan.entry.model.name, mayProbe(state));
    const entered = entering instanceof Promise ? await entering : entering;
    if (entered === null) {
      if (repeat !== null) break;
      state.excluded.add(target.channel.id);
      continue;
    }
    const next = beginNext(state, choice, entered);
    if (next === null) break;
    const served = await runOn(state, next, meter, attempt, complete);
    if (served !== null) return served.value;
  }
  const refusals = await refusalsOf(ctx, plan);
  meter.skipped(skippedChannels(plan, refusals));
  // A channel that refuses requests now may support this one later.
  const isUnsupported =
    state.failures.length === 0 &&
    plan.entry.routes.every(
      ({ channel }, at) => refusals[at] === null || state.unsupportedBy.has(channel.id),
    );
  throw state.firstUnsupportedError !== null && isUnsupported
    ? state.firstUnsupportedError
    : finalError(state.failures, refusals, ctx, plan);
}
