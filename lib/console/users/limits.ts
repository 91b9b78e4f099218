import {
  type BudgetChange,
  nanoToUsd,
  type Budget as ShownBudget,
  type Spent as ShownSpent,
  usdToNano,
} from "../../contracts/money";
import type { Budget, CallLimits, Spent } from "../../ports/store";

const NONE: Budget = { totalNano: null, dailyNano: null, monthlyNano: null };

/** `before` with the fields of `change` replaced; the contract has checked the amounts. */
export function applyBudget(change: BudgetChange | undefined, before: Budget = NONE): Budget {
  const amount = (text: string | null | undefined, old: number | null) =>
    text === undefined ? old : text === null ? null : usdToNano(text);
  return {
    totalNano: amount(change?.total_usd, before.totalNano),
    dailyNano: amount(change?.daily_usd, before.dailyNano),
    monthlyNano: amount(change?.monthly_usd, before.monthlyNano),
  };
}

/** A budget as the API shows it: dollars as decimal strings, null where there is no limit. */
export function shownBudget({ totalNano, dailyNano, monthlyNano }: Budget): ShownBudget {
  const usd = (nano: number | null) => (nano === null ? null : nanoToUsd(nano));
  return { total_usd: usd(totalNano), daily_usd: usd(dailyNano), monthly_usd: usd(monthlyNano) };
}

/** Spent amounts as the API shows them; 0 where nothing was spent yet. */
export function shownSpent(spent: Spent | undefined): ShownSpent {
  return {
    total_usd: nanoToUsd(spent?.totalNano ?? 0),
    daily_usd: nanoToUsd(spent?.dailyNano ?? 0),
    monthly_usd: nanoToUsd(spent?.monthlyNano ?? 0),
  };
}

/** `before` with the limits that `change` names replaced. */
export function applyCallLimits(
  change: Partial<CallLimits>,
  before: CallLimits = { rpm: null, tpm: null, concurrency: null },
): CallLimits {
  const or = (value: number | null | undefined, old: number | null) => (value === undefined ? old : value);
  return {
    rpm: or(change.rpm, before.rpm),
    tpm: or(change.tpm, before.tpm),
    concurrency: or(change.concurrency, before.concurrency),
  };
}
