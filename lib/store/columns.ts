import type { Budget } from "../ports/store";
import type { Flag } from "./schema";

/** How values of records stand in columns. An absent value stays absent: kysely leaves it out of the statement. */

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
 * PostgreSQL's text cannot hold NUL, SQLite's ends at it in places, and half a surrogate pair has no UTF-8: each
 * gives way to U+FFFD, in what is kept and in what is sought alike, so that text comes back as it was written.
 */
export function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, "\ufffd");
}

/** Parses what `json` wrote; the caller names the type that went in. */
export function fromJson<T>(text: string): T {
  // The column is written by `json` alone, from a value of this type.
  return JSON.parse(text) as T;
}

interface BudgetColumns {
  budget_total: number | null;
  budget_daily: number | null;
  budget_monthly: number | null;
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
