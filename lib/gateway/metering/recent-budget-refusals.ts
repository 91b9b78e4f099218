import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { Budget, BudgetShare, FullBudget } from "../../ports/store";

/**
 * Budgets of API keys and users that refused a call recently. A budget is rarely spent to the last nano-dollar: calls
 * are refused once less than their worst case is left. After its limit was changed, a budget counts as one that has
 * refused no call.
 */
export interface BudgetRefusals {
  note(full: FullBudget, of: { id: string; budget: Budget }): void;
  isRecent(budget: Pick<BudgetShare, "owner" | "id" | "period" | "limitNano">): boolean;
}

const RECENT_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;

export function createBudgetRefusals(clock: Clock): BudgetRefusals {
  // `maxSize`, because `max` would allocate memory for all entries at once.
  const times = new LRUCache<string, number>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 });
  return {
    note({ owner, period }, { id, budget }) {
      times.set(`${owner} ${id} ${period} ${budget[`${period}Nano`]}`, clock.monotonic());
    },
    isRecent({ owner, id, period, limitNano }) {
      const at = times.get(`${owner} ${id} ${period} ${limitNano}`);
      return at !== undefined && clock.monotonic() - at < RECENT_MS;
    },
  };
}
