import { AppError } from "../../errors";
import type { Budget, UsageRecord } from "../../ports/store";
import { callerLimits, takeFromAll } from "../admission/admit-request";
import type { CallPlan, Meter, OpenMeter } from "../call";
import type { GatewayContext } from "../context";
import { billingPeriod } from "./billing-period";
import { createMeter } from "./meter";

/** Takes the call's tokens from the token limits; returns the headers of the tighter of token and request limit. */
function takeTokens(ctx: GatewayContext, inputTokens: number): Record<string, string> {
  const tokens = takeFromAll(ctx.services, callerLimits(ctx.caller, "tpm"), "tokens", inputTokens);
  if (tokens === null) return {};
  const requests = takeFromAll(ctx.services, callerLimits(ctx.caller, "rpm"), "requests", 0);
  if (requests === null || tokens.share <= requests.share) return tokens.headers;
  // The request limit is tighter, and the reply already has its headers.
  return Object.fromEntries(Object.entries(tokens.headers).filter(([name]) => name.startsWith("x-")));
}

function isZeroBudget(budget: Budget): boolean {
  return budget.totalNano === 0 || budget.dailyNano === 0 || budget.monthlyNano === 0;
}

function outOfQuota(whose: "key" | "user"): AppError {
  const owner = whose === "key" ? "this key" : "this key's owner";
  return new AppError("insufficient_quota", `The budget of ${owner} has no room for this call.`, {
    shouldRetry: false,
  });
}

/** Throws `insufficient_quota` when a budget of the key or its owner is 0, which refuses even free requests. */
export function requireOpenBudget({ caller }: Pick<GatewayContext, "caller">): void {
  if (isZeroBudget(caller.key.budget)) throw outOfQuota("key");
  if (isZeroBudget(caller.owner.budget)) throw outOfQuota("user");
}

async function reserve(ctx: GatewayContext, plan: CallPlan, row: UsageRecord): Promise<void> {
  const { key, owner } = ctx.caller;
  requireOpenBudget(ctx);
  if (plan.reservedNano === 0 && !plan.writesOpenRow) return;
  const { refused } = await ctx.services.store.ledger.reserve({
    row,
    keyBudget: key.budget,
    userBudget: owner.budget,
    ...billingPeriod(ctx.services.instance.timeZone, row.at),
  });
  if (refused === null) return;
  ctx.services.state.budgetRefusals.note(refused, refused === "key" ? key.id : owner.id);
  throw outOfQuota(refused);
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
  await reserve(ctx, plan, row);
  const meter = createMeter(ctx, plan, row, limitHeaders);
  ctx.onOpened?.(meter.headers);
  return meter;
};
