import type { UsageRecord } from "../../ports/store";
import { callerLimits, takeFromAll } from "../admission/admit-request";
import type { CallPlan, Meter, OpenMeter } from "../call";
import type { GatewayContext } from "../context";
import { createMeter } from "./meter";
import { reserveBudget } from "./reserve-budget";

/** Takes the call's tokens from the token limits; returns the headers of the tighter of token and request limit. */
function takeTokens(ctx: GatewayContext, inputTokens: number): Record<string, string> {
  const tokens = takeFromAll(ctx.services, callerLimits(ctx.caller, "tpm"), "tokens", inputTokens);
  if (tokens === null) return {};
  const requests = takeFromAll(ctx.services, callerLimits(ctx.caller, "rpm"), "requests", 0);
  if (requests === null || tokens.share <= requests.share) return tokens.headers;
  // The request limit is tighter, and the reply already has its headers.
  return Object.fromEntries(Object.entries(tokens.headers).filter(([name]) => name.startsWith("x-")));
}

function openRow(ctx: GatewayContext, plan: CallPlan): UsageRecord {
  return {
    id: `use_${Buffer.from(ctx.services.random.bytes(15)).toString("base64url")}`,
    requestId: ctx.requestId,
    at: ctx.services.clock.now(),
    keyId: ctx.caller.key.id,
    userId: ctx.caller.owner.id,
    model: plan.entry.model.name,
    channelId: null,
    operation: plan.operation,
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
    user: plan.user,
    tags: ctx.tags,
    latencyMs: 0,
    firstByteMs: null,
  };
}

export const openMeter: OpenMeter = async (ctx, plan): Promise<Meter> => {
  const limitHeaders = takeTokens(ctx, plan.inputTokens);
  const row = openRow(ctx, plan);
  await reserveBudget(ctx, plan, row);
  const meter = createMeter(ctx, plan, row, limitHeaders);
  ctx.onOpened?.(meter.headers);
  return meter;
};
