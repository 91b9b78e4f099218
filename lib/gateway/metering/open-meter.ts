import { MINUTE_MS } from "../../contracts/durations";
import type { MaybePromise, RateResult } from "../../ports/shared-state";
import type { UsageRecord } from "../../ports/store";
import { callerLimits, limitError, tightestOf } from "../admission/admit-request";
import type { CallPlan, Meter } from "../call";
import type { GatewayContext } from "../context";
import { newUsageId } from "../new-id";
import { CallMeter } from "./meter";
import { reserveBudget } from "./reserve-budget";

type LimitHeaders = Record<string, string>;

const NO_HEADERS: LimitHeaders = {};

/**
 * Takes the call's tokens from the limits of tokens per minute. Returns the headers of the tightest of them, without
 * the standard `RateLimit-*` ones where a limit of requests is tighter.
 */
function takeTokens(ctx: GatewayContext, inputTokens: number): MaybePromise<LimitHeaders> {
  const { services, caller } = ctx;
  const limits = callerLimits(caller, "tpm", inputTokens);
  if (limits.length === 0) return NO_HEADERS;
  const requestLimits = callerLimits(caller, "rpm", 0);
  const headersOf = ({ allowed, states }: RateResult): LimitHeaders => {
    if (!allowed) throw limitError(services, limits, states, "tokens");
    const tokens = tightestOf(limits, states, "tokens");
    const requests = tightestOf(requestLimits, states.slice(limits.length), "requests");
    if (tokens === null || requests === null || tokens.share <= requests.share)
      return tokens?.headers ?? NO_HEADERS;
    // The request limit is tighter, and the reply already has its headers.
    return Object.fromEntries(Object.entries(tokens.headers).filter(([name]) => name.startsWith("x-")));
  };
  const taken = services.limiter.shared.take(caller.owner.id, [...limits, ...requestLimits], MINUTE_MS);
  return taken instanceof Promise ? taken.then(headersOf) : headersOf(taken);
}

function openRow(ctx: GatewayContext, plan: CallPlan): UsageRecord {
  const at = ctx.services.clock.now();
  return {
    id: newUsageId(ctx.services.random, at),
    requestId: ctx.requestId,
    at,
    keyId: ctx.caller.key.id,
    userId: ctx.caller.owner.id,
    model: plan.entry.model.name,
    channelId: null,
    operation: plan.entry.model.operation,
    attempts: 0,
    inputTokens: plan.inputTokens,
    outputTokens: 0,
    characters: plan.characters,
    audioMs: 0,
    costNano: 0,
    reservedNano: plan.reservedNano,
    status: 0,
    error: null,
    state: "open",
    cached: false,
    estimated: false,
    overrun: false,
    endUser: plan.endUser,
    tags: ctx.tags,
    latencyMs: 0,
    firstByteMs: null,
  };
}

/**
 * Takes tokens per minute and reserves the budget. Throws `rate_limited`, `insufficient_quota`, `storage_unavailable`.
 */
export async function openMeter(ctx: GatewayContext, plan: CallPlan): Promise<Meter> {
  const taking = takeTokens(ctx, plan.inputTokens);
  const limitHeaders = taking instanceof Promise ? await taking : taking;
  const row = openRow(ctx, plan);
  const hasOpenEntry = await reserveBudget(ctx, plan, row);
  const meter = new CallMeter(ctx, plan, row, limitHeaders, hasOpenEntry);
  ctx.onOpened?.(meter);
  return meter;
}
