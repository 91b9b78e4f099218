import { AppError } from "../../errors";
import { billingPeriod } from "../../ports/billing-period";
import type { Budget, BudgetPeriod, FullBudget, UsageRecord } from "../../ports/store";
import type { CallPlan } from "../call";
import type { GatewayContext } from "../context";

/** The first period whose budget is 0; undefined when none is. */
function zeroPeriod({ totalNano, monthlyNano, dailyNano }: Budget): BudgetPeriod | undefined {
  if (totalNano === 0) return "total";
  if (monthlyNano === 0) return "monthly";
  return dailyNano === 0 ? "daily" : undefined;
}

const RESET = {
  total: "It does not reset.",
  monthly: "It resets at the start of the next month.",
  daily: "It resets at the start of the next day.",
} as const satisfies Record<BudgetPeriod, string>;

/**
 * Who may raise a budget: a user's budget only a user of a higher role; a key's budget also the key's owner, unless a
 * higher role set it (lib/console/users/manage.ts, lib/console/api-keys/limits.ts).
 */
function raiserOf(full: FullBudget, { key, owner }: GatewayContext["caller"]): string {
  const author = key.limitsSetBy[`budget.${full.period}_usd`];
  if (full.owner === "key" && author === undefined) return "The key's owner can raise it.";
  const isByAdmin = full.owner === "key" ? author === "admin" : owner.role === "member";
  return isByAdmin ? "An administrator can raise it." : "The owner of this instance can raise it.";
}

function outOfQuota(full: FullBudget, caller: GatewayContext["caller"], isZero = false): AppError {
  const { period } = full;
  const owner = full.owner === "key" ? "this key" : "this key's owner";
  const what = isZero
    ? `The ${period} budget of ${owner} is 0, so every request is refused. ${raiserOf(full, caller)}`
    : `The ${period} budget of ${owner} does not cover the cost of this request. ${RESET[period]} ${raiserOf(full, caller)}`;
  return new AppError("insufficient_quota", what, {
    shouldRetry: false,
    limit: full.owner === "key" ? "key_budget" : "user_budget",
  });
}

/** Throws `insufficient_quota` when a budget of the key or its owner is 0, which refuses even free requests. */
export function requireOpenBudget({ caller }: Pick<GatewayContext, "caller">): void {
  const ofKey = zeroPeriod(caller.key.budget);
  if (ofKey !== undefined) throw outOfQuota({ owner: "key", period: ofKey }, caller, true);
  const ofUser = zeroPeriod(caller.owner.budget);
  if (ofUser !== undefined) throw outOfQuota({ owner: "user", period: ofUser }, caller, true);
}

/**
 * Reserves the worst-case cost of a call against the budgets of its key and owner. Throws `insufficient_quota` when one
 * of them does not cover it, `storage_unavailable` when the store cannot write it. Resolves to true when the call now
 * has an open entry in the ledger.
 */
export async function reserveBudget(ctx: GatewayContext, plan: CallPlan, row: UsageRecord): Promise<boolean> {
  const { key, owner } = ctx.caller;
  requireOpenBudget(ctx);
  const { ledger } = ctx.services.store;
  // Not while the store is unavailable: without an open entry the call would cost money upstream and fail only
  // afterwards.
  if (plan.reservedNano === 0 && !plan.alwaysOpensEntry && !ledger.isFailing()) return false;
  const full = await ledger.reserve({
    row,
    keyBudget: key.budget,
    userBudget: owner.budget,
    ...billingPeriod(ctx.services.instance.timeZone, row.at),
  });
  if (full === null) return true;
  ctx.services.state.budgetRefusals.note(full, full.owner === "key" ? key : owner);
  throw outOfQuota(full, ctx.caller);
}
