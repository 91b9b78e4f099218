import { AppError, type ErrorCode, isAppError } from "../../errors";
import type { ChannelRecord } from "../../ports/store";
import type { CallPlan } from "../call";
import type { GatewayContext } from "../context";
import { modelHealth } from "./circuit-health";
import type { Refusal } from "./enter-channel";

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

/** Not an error that the request would cause on every channel. */
export function isRetryable({ code, details }: AppError): boolean {
  if (details.isCausedByRequest === true && details.shouldRetry === false) return false;
  return RETRYABLE.has(code) || details.isUnknownModel === true;
}

/**
 * True for a request that the channel does not support (`speed`, a script of speakers), refused before an upstream
 * call.
 */
export function isUnsupportedByChannel(error: unknown): error is AppError {
  return isAppError(error) && error.code === "invalid" && error.details.upstreamStatus === undefined;
}

/** Whether a repeat on the same channel may succeed: not when it is full, or the request or the model is the cause. */
export function mayRepeat({ code, details: { isUnknownModel, isCausedByRequest } }: AppError): boolean {
  if (isUnknownModel === true || isCausedByRequest === true) return false;
  return code !== "overloaded" && code !== "upstream_rate_limited";
}

/**
 * Failures that count for the circuit: those of the upstream, not those that the request caused. A built-in engine that
 * is late is busy: an open circuit would refuse the requests that it still has time for.
 */
export function isUpstreamFailure(
  error: unknown,
  { embedded }: Pick<ChannelRecord, "embedded">,
): error is AppError {
  if (!isAppError(error) || error.details.isCausedByRequest === true) return false;
  if (embedded && error.code === "upstream_timeout") return false;
  return isUpstreamCode(error.code) || error.details.isUnknownModel === true;
}

export function isUpstreamCode(code: string): code is ErrorCode & `upstream_${string}` {
  return code.startsWith("upstream_");
}

/** The wait for a channel that may accept a request at any time, such as one with all its slots taken. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** The shortest of these waits, at least a second and at most a minute; a second without any. */
function retryAfter(waits: readonly number[]): number {
  const waitMs = waits.length > 0 ? Math.min(...waits) : MIN_WAIT_MS;
  return Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, waitMs));
}

/**
 * No channel accepts the request: 429 when the upstreams limit all of them, else 503; with the shortest wait.
 * `refusals`: one per channel, null for one that accepts a request.
 */
function noChannelError(
  refusals: readonly (Refusal | null)[],
  { services }: GatewayContext,
  { entry, requestedModel }: CallPlan,
): AppError {
  const retryAfterMs = retryAfter(refusals.map((refusal) => refusal?.waitMs ?? MIN_WAIT_MS));
  const openedFor = entry.routes.map(({ channel }, index) => {
    const refusal = refusals[index] ?? null;
    if (refusal !== null) return refusal.opened;
    // Its wait ended after the channels were chosen.
    return modelHealth(services.state.circuits, channel, entry.model.name).reason;
  });
  const isLimited = openedFor.length > 0 && openedFor.every((reason) => reason === "rate_limited");
  return isLimited
    ? new AppError(
        "upstream_rate_limited",
        `Every channel for '${requestedModel}' is rate limited at the moment.`,
        { retryAfterMs, shouldRetry: false },
      )
    : new AppError(
        "no_channel_available",
        `No channel can serve the model '${requestedModel}' at the moment.`,
        { retryAfterMs },
      );
}

/** The caller's error when every attempt has failed; `refusals` as for `noChannelError`. */
export function finalError(
  failures: readonly AppError[],
  refusals: readonly (Refusal | null)[],
  ctx: GatewayContext,
  plan: CallPlan,
): AppError {
  const last = failures.findLast((error) => error.code !== "upstream_rate_limited") ?? failures.at(-1);
  if (last === undefined) return noChannelError(refusals, ctx, plan);
  if (last.code === "overloaded") return last;
  const waits = failures.flatMap((error) => error.details.retryAfterMs ?? []);
  const retryAfterMs = last.code === "upstream_rate_limited" ? retryAfter(waits) : last.details.retryAfterMs;
  return new AppError(last.code, last.message, { ...last.details, retryAfterMs, shouldRetry: false }, last);
}
