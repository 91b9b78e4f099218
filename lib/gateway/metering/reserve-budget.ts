import { AppError } from "../../errors";
import type { Budget, UsageRecord } from "../../ports/store";
import type { CallPlan } from "../call";
import type { GatewayContext } from "../context";
import { billingPeriod } from "./billing-period";

function isZeroBudget(budget: Budget): boolean {
  return budget.totalNano === 0 || budget.dailyNano === 0 || budget.monthlyNano === 0;
}

function outOfQuota(whose: "key" | "user"): AppError {
  const owner = whose === "key" ? "this key" : "this key's owner";
  return new AppError("insufficient_quota", `The budget of ${owner} has no room for this call.`, {
    shouldRetry: false,
    limit: whose === "key" ? "key_budget" : "user_budget",
  });
}

/** Throws `insufficient_quota` when a budget of the key or its owner is 0, which refuses even free requests. */
export function requireOpenBudget({ caller }: Pick<GatewayContext, "caller">): void {
  if (isZeroBudget(caller.key.budget)) throw outOfQuota("key");
  if (isZeroBudget(caller.owner.budget)) throw outOfQuota("user");
}

/**
 * Reserves the worst-case cost of a call against the budgets of its key and owner. Throws `insufficient_quota` when one
 * of them has no room for it. Resolves to true when the call has an open entry in the ledger now.
 */
export async function reserveBudget(ctx: GatewayContext, plan: CallPlan, row: UsageRecord): Promise<boolean> {
  const { key, owner } = ctx.caller;
  requireOpenBudget(ctx);
  if (plan.reservedNano === 0 && !plan.writesOpenRow) return false;
  const { refused } = await ctx.services.store.ledger.reserve({
    row,
    keyBudget: key.budget,
    userBudget: owner.budget,
    ...billingPeriod(ctx.services.instance.timeZone, row.at),
  });
  if (refused === null) return true;
  ctx.services.state.budgetRefusals.note(refused, refused === "key" ? key.id : owner.id);
  throw outOfQuota(refused);
}
