import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError, type ErrorCode, isAppError } from "../../errors";
import type { CallOptions } from "../../ports/speech-model";
import type { GatewayContext } from "../context";
import type { CallPlan, Target, WithFailover } from "./call";
import { chooseChannel } from "./choose-channel";
import { gatewayState } from "./gateway-state";
import { runAttempt } from "./run-attempt";

const MAX_ATTEMPTS = 3;
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

/** Not worth a second try on the very channel that said it. */
function isAboutLoad(error: AppError): boolean {
  return error.code === "overloaded" || error.code === "upstream_rate_limited";
}

/** A channel's own limits; null when it has no room now, else what gives its place back. */
function enterChannel(ctx: GatewayContext, target: Target): (() => void) | null {
  const { id, concurrency, rpm } = target.channel;
  const leave = concurrency === null ? () => {} : ctx.limiter.enter(`channel:${id}`, concurrency);
  if (leave === null) return null;
  if (rpm !== null && !ctx.limiter.take(`channel-rpm:${id}`, rpm, 60_000).allowed) {
    leave();
    return null;
  }
  return leave;
}

/** The error the caller sees when every attempt failed. */
function lastWord(failures: readonly AppError[], plan: CallPlan): AppError {
  const last = failures.findLast((error) => error.code !== "upstream_rate_limited") ?? failures.at(-1);
  if (last === undefined) {
    return new AppError(
      "no_channel_available",
      `No channel can serve the model '${plan.askedModel}' at the moment.`,
      { retryAfterMs: 1_000 },
    );
  }
  if (last.code === "overloaded") return last;
  const waits = failures.flatMap((error) => error.details.retryAfterMs ?? []);
  const retryAfterMs =
    last.code === "upstream_rate_limited"
      ? Math.min(60_000, Math.max(1_000, waits.length > 0 ? Math.min(...waits) : 1_000))
      : last.details.retryAfterMs;
  return new AppError(last.code, last.message, { ...last.details, retryAfterMs, shouldRetry: false }, last);
}

export const withFailover: WithFailover = async (ctx, plan, meter, attempt) => {
  const { traffic } = gatewayState(ctx);
  const targets: readonly Target[] = plan.entry.routes;
  const deadline = ctx.clock.monotonic() + firstByteLimitMs(ctx, plan.operation);
  const excluded = new Set<string>();
  const failures: AppError[] = [];
  const allowed = Math.min(MAX_ATTEMPTS, targets.length === 1 ? 2 : targets.length);
  traffic.noteCall();

  for (let number = 1; number <= allowed; ) {
    const target = chooseChannel(targets, excluded, traffic, ctx.random);
    if (target === null) break;
    const leave = enterChannel(ctx, target);
    if (leave === null) {
      excluded.add(target.channel.id);
      continue;
    }
    if (number > 1 && !traffic.takeRetry()) {
      leave();
      break;
    }
    const left = deadline - ctx.clock.monotonic();
    if (left <= 0) {
      leave();
      break;
    }
    // The first of two gets half, so that a black hole leaves time for the next.
    const share = number === allowed ? left : left / 2;
    const firstByteMs = Math.min(share, target.channel.timeouts.firstByteMs ?? share);
    meter.served(target.channel.id, number);
    const running = traffic.begin(target.channel.id);
    const over = (): void => {
      running.over();
      leave();
    };
    try {
      const value = await runAttempt(ctx, firstByteMs, (options: CallOptions) => attempt(target, options));
      running.answered();
      meter.firstByte();
      meter.whenSettled(over);
      return value;
    } catch (error) {
      over();
      if (ctx.signal.aborted) throw new AppError("caller_left", "The caller left.", {}, error);
      if (!isAppError(error) || !RETRYABLE.has(error.code)) throw error;
      failures.push(error);
      if (targets.length > 1 || isAboutLoad(error)) excluded.add(target.channel.id);
    }
    number += 1;
  }
  throw lastWord(failures, plan);
};
