import { NO_CHANNEL_FOR } from "../../contracts/gateway/error-sentences";
import { AppError, isAppError } from "../../errors";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import type { CallPlan } from "../call";
import type { GatewayContext } from "../context";
import { modelHealth } from "./circuit-health";
import type { ChannelRefusal, Entered } from "./enter-channel";

/** What the failure of an attempt means for its request and for the circuits of its channel. */
interface FailureClass {
  /**
   * `repeat`: another channel may serve the request, or the same one at a second attempt. `failover`: only another
   * channel may. `skip`: like `failover`, but the channel does not support the request (`speed`, a script of
   * speakers, a language), which says nothing about others that are busy. `throw`: every channel would fail, or Patchbay itself failed.
   */
  next: "repeat" | "failover" | "skip" | "throw";
  /** True when the upstream is the cause of the failure. */
  countsForCircuit: boolean;
}

/** Classifies an error of an attempt on this channel. */
export function classify(error: unknown, { embedded }: Pick<ChannelRecord, "embedded">): FailureClass {
  if (!isAppError(error)) return { next: "throw", countsForCircuit: false };
  const { code, details } = error;
  if (code === "invalid" && (details.upstreamStatus === undefined || details.isCausedByRequest === true))
    return { next: "skip", countsForCircuit: false };
  if (details.isCausedByRequest === true)
    return { next: details.shouldRetry === false ? "throw" : "failover", countsForCircuit: false };
  // Here `rate_limited` is the owner's limit of buffered replies, which a channel that streams does not need.
  if (code === "overloaded" || code === "rate_limited") return { next: "failover", countsForCircuit: false };
  if (code === "upstream_rate_limited" || details.isUnknownModel === true)
    return { next: "failover", countsForCircuit: true };
  if (!code.startsWith("upstream_")) return { next: "throw", countsForCircuit: false };
  // This process cannot decrypt the upstream key. Instances share circuits, and the others may be able to use the key.
  if (details.upstreamRefusal === "credentials" && details.upstreamStatus === undefined)
    return { next: "repeat", countsForCircuit: false };
  // A built-in engine that is late is busy: an open circuit would also refuse requests that it can serve in time.
  return { next: "repeat", countsForCircuit: !(embedded && code === "upstream_timeout") };
}

/**
 * Reports the failure of an attempt to its circuits. Errors that the request or the caller caused say nothing about the
 * upstream.
 */
export function reportFailure(
  { channel, permit }: Pick<Entered, "channel" | "permit">,
  error: unknown,
  progress: UpstreamProgress,
): void {
  if (isAppError(error) && classify(error, channel).countsForCircuit) permit.failed(error, progress);
  else permit.endedWithoutResult();
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
  refusals: readonly (ChannelRefusal | null)[],
  { services }: GatewayContext,
  { entry, requestedModel }: CallPlan,
): AppError {
  const retryAfterMs = retryAfter(refusals.map((refusal) => refusal?.waitMs ?? MIN_WAIT_MS));
  const openedFor = entry.routes.map(({ channel }, index) => {
    const refusal = refusals[index] ?? null;
    if (refusal !== null) return refusal.openReason;
    // The wait of this channel ended after the channels were chosen; its half-open circuit still has the reason.
    return modelHealth(services.state.circuits, channel, entry.model.name).reason;
  });
  const isLimited = openedFor.length > 0 && openedFor.every((reason) => reason === "rate_limited");
  return isLimited
    ? new AppError(
        "upstream_rate_limited",
        `Every channel for '${requestedModel}' is rate limited at the moment.`,
        { retryAfterMs, shouldRetry: false },
      )
    : new AppError("no_channel_available", `${NO_CHANNEL_FOR}'${requestedModel}' at the moment.`, {
        retryAfterMs,
      });
}

/** The caller's error when every attempt has failed; `refusals` as for `noChannelError`. */
export function finalError(
  failures: readonly AppError[],
  refusals: readonly (ChannelRefusal | null)[],
  ctx: GatewayContext,
  plan: CallPlan,
): AppError {
  const last = failures.findLast((error) => error.code !== "upstream_rate_limited") ?? failures.at(-1);
  if (last === undefined) return noChannelError(refusals, ctx, plan);
  if (last.code === "overloaded" || last.code === "rate_limited") return last;
  const waits = failures.flatMap((error) => error.details.retryAfterMs ?? []);
  const retryAfterMs = last.code === "upstream_rate_limited" ? retryAfter(waits) : last.details.retryAfterMs;
  return new AppError(last.code, last.message, { ...last.details, retryAfterMs, shouldRetry: false }, last);
}
