import { type BudgetChange, usdToNano } from "../../contracts/money";
import type { Budget } from "../../ports/store";

const NONE: Budget = { totalNano: null, dailyNano: null, monthlyNano: null };

/** `before` with what `change` names replaced; amounts were checked by the contract. */
export function applyBudget(change: BudgetChange | undefined, before: Budget = NONE): Budget {
  const amount = (text: string | null | undefined, old: number | null) =>
    text === undefined ? old : text === null ? null : usdToNano(text);
  return {
    totalNano: amount(change?.total_usd, before.totalNano),
    dailyNano: amount(change?.daily_usd, before.dailyNano),
    monthlyNano: amount(change?.monthly_usd, before.monthlyNano),
  };
}
