import { AppError, type ErrorCode, isAppError } from "../../errors";
import type { CallPlan } from "../call";
import type { GatewayContext } from "../context";
import { modelHealth } from "./circuit-health";

/** Errors that another channel may not have; all others are caused by the request or by us. */
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  "overloaded",
  "upstream_error",
  "upstream_truncated",
  "upstream_invalid",
  "upstream_redirect",
  "upstream_timeout",
  "upstream_rate_limited",
]);

export function isRetryable({ code, details }: AppError): boolean {
  return RETRYABLE.has(code) || details.isUnknownModel === true;
}

/**
 * True for a request that the channel does not support (`speed`, a script of speakers), refused before an upstream
 * call.
 */
export function isUnsupportedByChannel(error: unknown): error is AppError {
  return isAppError(error) && error.code === "invalid" && error.details.upstreamStatus === undefined;
}

/** Whether a repeat on the same channel may succeed: not when it is full or does not know the model. */
export function mayRepeat({ code, details }: AppError): boolean {
  return code !== "overloaded" && code !== "upstream_rate_limited" && details.isUnknownModel !== true;
}

/** Failures that count for the circuit: those of the upstream, not busy built-in engines or invalid requests. */
export function isUpstreamFailure(error: unknown): error is AppError {
  return isAppError(error) && (isUpstreamCode(error.code) || error.details.isUnknownModel === true);
}

export function isUpstreamCode(code: string): code is ErrorCode & `upstream_${string}` {
  return code.startsWith("upstream_");
}

/** No channel accepts the request: 429 when the upstreams limit all of them, else 503; with the shortest wait. */
function noChannelError(ctx: GatewayContext, plan: CallPlan): AppError {
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
        `Every channel for '${plan.requestedModel}' is rate limited at the moment.`,
        { retryAfterMs, shouldRetry: false },
      )
    : new AppError(
        "no_channel_available",
        `No channel can serve the model '${plan.requestedModel}' at the moment.`,
        { retryAfterMs },
      );
}

/** The caller's error when every attempt has failed. */
export function finalError(ctx: GatewayContext, failures: readonly AppError[], plan: CallPlan): AppError {
  const last = failures.findLast((error) => error.code !== "upstream_rate_limited") ?? failures.at(-1);
  if (last === undefined) return noChannelError(ctx, plan);
  if (last.code === "overloaded") return last;
  const waits = failures.flatMap((error) => error.details.retryAfterMs ?? []);
  const retryAfterMs =
    last.code === "upstream_rate_limited"
      ? Math.min(60_000, Math.max(1_000, waits.length > 0 ? Math.min(...waits) : 1_000))
      : last.details.retryAfterMs;
  return new AppError(last.code, last.message, { ...last.details, retryAfterMs, shouldRetry: false }, last);
}
