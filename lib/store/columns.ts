import type { Budget } from "../ports/store";
import type { BudgetColumns, Flag } from "./schema/columns";

/**
 * How record values are stored in columns. Undefined stays undefined: kysely leaves the column out of the statement.
 */

export function flag(value: boolean): Flag;
export function flag(value: boolean | undefined): Flag | undefined;
export function flag(value: boolean | undefined): Flag | undefined {
  if (value === undefined) return undefined;
  return value ? 1 : 0;
}

export function json(value: unknown): string;
export function json(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/**
 * Replaces NUL and unpaired surrogates with U+FFFD: PostgreSQL's text cannot hold NUL, some SQLite functions stop at
 * it, and a surrogate has no UTF-8. Applied to stored values and to search values alike.
 */
export function storable(text: string): string {
  // Nearly every text is valid, and V8 knows that of Latin-1 text without reading it.
  if (text.isWellFormed() && !text.includes("\0")) return text;
  return text.replace(/\0|\p{Surrogate}/gu, "\ufffd");
}

/** Parses what `json` wrote; the caller names its type. */
export function fromJson<T>(text: string): T {
  // The column is written by `json` only, from a value of this type.
  return JSON.parse(text) as T;
}

export function budgetColumns(budget: Budget): BudgetColumns;
export function budgetColumns(budget: Budget | undefined): Partial<BudgetColumns>;
export function budgetColumns(budget: Budget | undefined): Partial<BudgetColumns> {
  if (budget === undefined) return {};
  return {
    budget_total: budget.totalNano,
    budget_daily: budget.dailyNano,
    budget_monthly: budget.monthlyNano,
  };
}

export function toBudget(row: BudgetColumns): Budget {
  return { totalNano: row.budget_total, dailyNano: row.budget_daily, monthlyNano: row.budget_monthly };
}
