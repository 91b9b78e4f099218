/** 1: yes. */
export type Flag = 0 | 1;

/** Limits of spending, in nano-dollars; null: none. */
export interface BudgetColumns {
  budget_total: number | null;
  budget_daily: number | null;
  budget_monthly: number | null;
}
