/** 1: yes. */
export type Flag = 0 | 1;

/** Budgets in nano-dollars; null: none. */
export interface BudgetColumns {
  budget_total: number | null;
  budget_daily: number | null;
  budget_monthly: number | null;
}
