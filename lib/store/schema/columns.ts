/** 1: yes. */
export type Flag = 0 | 1;

/** Budgets in nano-dollars; null: none. */
export interface BudgetColumns {
  budget_total: number | null;
  budget_daily: number | null;
  budget_monthly: number | null;
}

/** Requests and tokens per minute, concurrent calls; null: no limit. */
export interface CallLimitColumns {
  rpm: number | null;
  tpm: number | null;
  concurrency: number | null;
}
