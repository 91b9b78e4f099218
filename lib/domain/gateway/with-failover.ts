import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError, type ErrorCode, isAppError } from "../../errors";
import type { CallOptions } from "../../ports/speech-model";
import type { GatewayContext } from "../context";
import type { CallOutcome, CallPlan, Target, WithFailover } from "./call";
import { chooseChannel } from "./choose-channel";
import { type CircuitPass, channelHealth } from "./circuits";
import { enterChannel } from "./enter-channel";
import { gatewayState } from "./gateway-state";
import { runAttempt } from "./run-attempt";
import { stopReason } from "./stop-reason";

/** Time for the first byte over all attempts together (CONTRACT §9). */
function firstByteLimitMs(ctx: GatewayContext, operation: CallPlan["operation"]): number {
  const limits = ctx.instance.limits ?? DEFAULT_LIMITS;
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

/** What a channel itself cannot carry over (`speed`, a script of speakers), said before its upstream was asked. */
function isBeyondChannel(error: unknown): error is AppError {
  return isAppError(error) && error.code === "invalid" && error.details.upstreamStatus === undefined;
}

/** Not worth a second try on the very channel that said it. */
function isAboutLoad(error: AppError): boolean {
  return error.code === "overloaded" || error.code === "upstream_rate_limited";
}

/** Only what an upstream did is held against it: engines that are merely busy, and callers' mistakes, are not. */
function tellCircuit(pass: CircuitPass, error: unknown): void {
  if (isAppError(error) && error.code.startsWith("upstream_")) pass.failed(error);
  else pass.unused();
}

/** What the end of a call says of the channel: a stream that broke is its failure too. */
function settleCircuit(pass: CircuitPass, outcome: CallOutcome): void {
  if (outcome.error === null) pass.succeeded();
  else if (isUpstreamCode(outcome.error)) pass.failed(new AppError(outcome.error, "The stream broke."));
  else pass.unused();
}

function isUpstreamCode(code: string): code is ErrorCode & `upstream_${string}` {
  return code.startsWith("upstream_");
}

/** Every channel is shut: all by their upstreams' rate limits (429), or not all (503); with the shortest wait. */
function nobodyServes(ctx: GatewayContext, plan: CallPlan): AppError {
  const { circuits } = gatewayState(ctx);
  const healths = plan.entry.routes.map((route) => channelHealth(circuits, route.channel));
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

/** How often one call is tried at most: one channel twice, several each once. */
export function attemptsAllowed({ instance }: Pick<GatewayContext, "instance">, channels: number): number {
  const { attemptsPerCall } = instance.limits ?? DEFAULT_LIMITS;
  return Math.min(attemptsPerCall, channels === 1 ? 2 : channels);
}

export const withFailover: WithFailover = async (ctx, plan, meter, attempt, complete) => {
  const { traffic } = gatewayState(ctx);
  const targets: readonly Target[] = plan.entry.routes;
  let deadline = ctx.clock.monotonic() + firstByteLimitMs(ctx, plan.operation);
  const excluded = new Set<string>();
  const failures: AppError[] = [];
  let refusal: AppError | null = null;
  const allowed = attemptsAllowed(ctx, targets.length);
  traffic.noteCall();

  for (let number = 1; number <= allowed; ) {
    const target = chooseChannel(targets, excluded, traffic, ctx.random);
    if (target === null) break;
    const entered = enterChannel(ctx, target.channel);
    if (entered === null) {
      excluded.add(target.channel.id);
      continue;
    }
    const { channel, pass, leave } = entered;
    const left = deadline - ctx.clock.monotonic();
    if (left <= 0 || (number > 1 && !traffic.takeRetry())) {
      pass.unused();
      leave();
      break;
    }
    // The first of two gets half, so that a black hole leaves time for the next.
    const share = number === allowed ? left : left / 2;
    const firstByteMs = Math.min(share, target.channel.timeouts.firstByteMs ?? share);
    meter.served(target.channel.id, number, channel.keys[0]?.id ?? null);
    const running = traffic.begin(target.channel.id);
    const over = (): void => {
      running.over();
      leave();
    };
    try {
      const begun = await runAttempt(ctx, firstByteMs, (options: CallOptions) =>
        attempt({ ...target, channel }, options),
      );
      running.answered();
      pass.answered();
      const answeredAt = ctx.clock.monotonic();
      const value =
        complete === undefined
          ? begun
          : await complete(begun).finally(() => {
              deadline += ctx.clock.monotonic() - answeredAt;
            });
      meter.firstByte();
      meter.whenSettled((outcome) => {
        over();
        settleCircuit(pass, outcome);
      });
      return value;
    } catch (error) {
      over();
      meter.failed(error);
      tellCircuit(pass, ctx.signal.aborted ? null : error);
      if (ctx.signal.aborted) throw stopReason(ctx.signal);
      if (isBeyondChannel(error)) {
        // No attempt was made: the next channel may be able to, and the first to refuse is heard when none is.
        refusal ??= error;
        excluded.add(target.channel.id);
        continue;
      }
      if (!isAppError(error) || !RETRYABLE.has(error.code)) throw error;
      failures.push(error);
      if (targets.length > 1 || isAboutLoad(error)) excluded.add(target.channel.id);
    }
    number += 1;
  }
  throw refusal !== null && failures.length === 0 ? refusal : lastWord(ctx, failures, plan);
};
