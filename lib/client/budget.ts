import type { OwnBudget } from "../contracts/console/user";

/** Amounts in dollars. */
interface TightestBudget {
  period: "daily" | "monthly" | "total";
  limit: number;
  /** 0 or less: the budget is spent. */
  left: number;
  /** RFC 3339; null: the total budget, which is never reset. */
  resetsAt: string | null;
}

/** The user's budget with the least left; null for a user without budgets. */
export function leastLeftBudget({
  budget,
  spent,
  daily_resets_at,
  monthly_resets_at,
}: OwnBudget): TightestBudget | null {
  const all: [TightestBudget["period"], string | null, string, string | null][] = [
    ["daily", budget.daily_usd, spent.daily_usd, daily_resets_at],
    ["monthly", budget.monthly_usd, spent.monthly_usd, monthly_resets_at],
    ["total", budget.total_usd, spent.total_usd, null],
  ];
  return all.reduce<TightestBudget | null>((tightest, [period, limit, used, resetsAt]) => {
    if (limit === null) return tightest;
    const left = Number(limit) - Number(used);
    return tightest !== null && tightest.left <= left
      ? tightest
      : { period, limit: Number(limit), left, resetsAt };
  }, null);
}
