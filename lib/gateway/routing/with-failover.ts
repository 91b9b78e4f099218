import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError, type ErrorCode, isAppError } from "../../errors";
import type { CallOptions } from "../../ports/speech-model";
import { UpstreamProgress } from "../../ports/upstream-progress";
import type { CallOutcome, CallPlan, Target, WithFailover } from "../call";
import type { GatewayContext, GatewayServices } from "../context";
import { stopReason } from "../stop-reason";
import { chooseChannel } from "./choose-channel";
import { admissionOf } from "./choose-upstream-key";
import { type CircuitPass, modelHealth } from "./circuits";
import { enterChannel } from "./enter-channel";
import { runAttempt } from "./run-attempt";

/** Time for the first byte over all attempts together (CONTRACT §9). */
function firstByteLimitMs(ctx: GatewayContext, operation: CallPlan["operation"]): number {
  const limits = ctx.services.instance.limits ?? DEFAULT_LIMITS;
  return operation === "speech" ? limits.speechFirstByteMs : limits.embeddingsFirstByteMs;
}

/** What another channel may do better; everything else is the caller's fault or ours. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "overloaded",
  "upstream_error",
  "upstream_truncated",
  "upstream_invalid",
  "upstream_redirect",
  "upstream_timeout",
  "upstream_rate_limited",
]);

function isRetryable({ code, details }: AppError): boolean {
  return RETRYABLE.has(code) || details.isUnknownModel === true;
}

/** What a channel itself cannot carry over (`speed`, a script of speakers), said before its upstream was asked. */
function isBeyondChannel(error: unknown): error is AppError {
  return isAppError(error) && error.code === "invalid" && error.details.upstreamStatus === undefined;
}

/** Whether the same channel may answer otherwise a moment later: not when it is full, or does not know the model. */
function isWorthRepeating({ code, details }: AppError): boolean {
  return code !== "overloaded" && code !== "upstream_rate_limited" && details.isUnknownModel !== true;
}

/** Only what an upstream did is held against it: engines that are merely busy, and callers' mistakes, are not. */
function isUpstreamFailure(error: unknown): error is AppError {
  return isAppError(error) && (isUpstreamCode(error.code) || error.details.isUnknownModel === true);
}

function isUpstreamCode(code: string): code is ErrorCode & `upstream_${string}` {
  return code.startsWith("upstream_");
}

/** What the end of a request says of the channel: a stream that broke is its failure too. */
function settleCircuit(pass: CircuitPass, outcome: CallOutcome, progress: UpstreamProgress): void {
  if (outcome.error === null) pass.succeeded(progress);
  else if (isUpstreamCode(outcome.error)) {
    progress.hasHead = true;
    pass.failed(new AppError(outcome.error, "The stream broke."), progress);
  } else pass.unused();
}

/** No channel takes the request: all are limited by their upstreams (429), or not all (503); with the shortest wait. */
function nobodyServes(ctx: GatewayContext, plan: CallPlan): AppError {
  const { circuits } = ctx.services.state;
  const healths = plan.entry.routes.map(({ channel }) =>
    modelHealth(circuits, channel, plan.entry.model.name),
  );
  const waits = healths.filter((one) => one.state !== "closed").map((one) => one.waitMs);
  const waitMs = waits.length > 0 ? Math.min(...waits) : 1_000;
  const retryAfterMs = Math.min(60_000, Math.max(1_000, waitMs));
  const isLimited = healths.length > 0 && healths.every((one) => one.reason === "rate_limited");
  return isLimited
    ? new AppError(
        "upstream_rate_limited",
        `Every channel for '${plan.askedModel}' takes no more calls now.`,
        {
          retryAfterMs,
          shouldRetry: false,
        },
      )
    : new AppError(
        "no_channel_available",
        `No channel can serve the model '${plan.askedModel}' at the moment.`,
        { retryAfterMs },
      );
}

/** The error the caller sees when every attempt failed. */
function lastWord(ctx: GatewayContext, failures: readonly AppError[], plan: CallPlan): AppError {
  const last = failures.findLast((error) => error.code !== "upstream_rate_limited") ?? failures.at(-1);
  if (last === undefined) return nobodyServes(ctx, plan);
  if (last.code === "overloaded") return last;
  const waits = failures.flatMap((error) => error.details.retryAfterMs ?? []);
  const retryAfterMs =
    last.code === "upstream_rate_limited"
      ? Math.min(60_000, Math.max(1_000, waits.length > 0 ? Math.min(...waits) : 1_000))
      : last.details.retryAfterMs;
  return new AppError(last.code, last.message, { ...last.details, retryAfterMs, shouldRetry: false }, last);
}

/** Attempts of one request at most: one channel twice, several each once. */
export function attemptsAllowed({ instance }: Pick<GatewayServices, "instance">, channels: number): number {
  const { attemptsPerCall } = instance.limits ?? DEFAULT_LIMITS;
  return Math.min(attemptsPerCall, channels === 1 ? 2 : channels);
}

/** A failed attempt that may be repeated on its channel where no other channel is left. */
interface Repeatable {
  target: Target;
  /** The upstream call that failed; a batch's is one for all its callers. */
  call: UpstreamProgress;
}

export const withFailover: WithFailover = async (ctx, plan, meter, attempt, complete) => {
  const { traffic, circuits } = ctx.services.state;
  const targets: readonly Target[] = plan.entry.routes;
  const model = plan.entry.model.name;
  let deadline = ctx.services.clock.monotonic() + firstByteLimitMs(ctx, plan.operation);
  const excluded = new Set<string>();
  const failures: AppError[] = [];
  let refusal: AppError | null = null;
  let repeatable: Repeatable | null = null;
  const allowed = attemptsAllowed(ctx.services, targets.length);

  for (let number = 1; number <= allowed; ) {
    const isFirst = number === 1;
    const next: Target | null = chooseChannel(targets, excluded, {
      model,
      traffic,
      random: ctx.services.random,
      admissionOf: ({ channel }) => admissionOf(circuits, channel, model),
      mayProbe: isFirst,
    });
    const repeat: Repeatable | null = next === null && number === 2 ? repeatable : null;
    const target: Target | null = next ?? repeat?.target ?? null;
    if (target === null) break;
    const entered = enterChannel(ctx.services, target.channel, model, isFirst);
    if (entered === null) {
      if (repeat !== null) break;
      excluded.add(target.channel.id);
      continue;
    }
    const { channel, pass, leave } = entered;
    const left = deadline - ctx.services.clock.monotonic();
    // Failover is free; only a repeat on the same channel draws from a budget.
    if (left <= 0 || (repeat !== null && !traffic.takeRepeat(channel.id, repeat.call))) {
      pass.unused();
      leave();
      break;
    }
    // The first of two gets half, so that a black hole leaves time for the next.
    const share = number === allowed ? left : left / 2;
    const { firstByteMs: ownFirstByteMs = share, totalMs = share } = channel.timeouts;
    meter.served(channel.id, number, channel.keys[0]?.id ?? null);
    const running = traffic.begin(channel.id, model, repeat !== null);
    const progress = new UpstreamProgress();
    // An engine in this process has no connection that could fail.
    progress.hasHead = channel.embedded;
    const over = (): void => {
      running.over();
      leave();
    };
    try {
      const begun = await runAttempt(
        ctx,
        Math.min(share, ownFirstByteMs, totalMs),
        progress,
        (options: CallOptions) => attempt({ ...target, channel }, options),
      );
      running.answered();
      pass.answered();
      meter.answered();
      const answeredAt = ctx.services.clock.monotonic();
      const value =
        complete === undefined
          ? begun
          : await complete(begun).finally(() => {
              deadline += ctx.services.clock.monotonic() - answeredAt;
            });
      meter.firstByte();
      meter.whenSettled((outcome) => {
        over();
        settleCircuit(pass, outcome, progress);
      });
      return value;
    } catch (error) {
      over();
      meter.failed(error);
      if (!ctx.signal.aborted && isUpstreamFailure(error)) pass.failed(error, progress);
      else pass.unused();
      if (ctx.signal.aborted) throw stopReason(ctx.signal);
      if (isBeyondChannel(error)) {
        // No attempt was made: the next channel may be able to, and the first to refuse is heard when none is.
        refusal ??= error;
        repeatable = null;
        excluded.add(channel.id);
        continue;
      }
      if (!isAppError(error) || !isRetryable(error)) throw error;
      failures.push(error);
      excluded.add(channel.id);
      const failed: Repeatable = { target, call: progress.batch ?? progress };
      if (isWorthRepeating(error)) repeatable = failed;
    }
    number += 1;
  }
  throw refusal !== null && failures.length === 0 ? refusal : lastWord(ctx, failures, plan);
};
