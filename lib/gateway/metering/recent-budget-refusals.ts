import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";
import type { BudgetShare, FullBudget } from "../../ports/store";

/**
 * Budgets of API keys and users that refused a call recently. A budget is rarely spent to the last nano-dollar: calls
 * are refused once less than their worst case is left.
 */
export interface BudgetRefusals {
  note(full: FullBudget, id: string): void;
  isRecent(budget: Pick<BudgetShare, "owner" | "id" | "period">): boolean;
}

const RECENT_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;

export function createBudgetRefusals(clock: Clock): BudgetRefusals {
  // `max` would allocate all entries at once.
  const times = new LRUCache<string, number>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 });
  return {
    note({ refused, period }, id) {
      times.set(`${refused} ${id} ${period}`, clock.monotonic());
    },
    isRecent({ owner, id, period }) {
      const at = times.get(`${owner} ${id} ${period}`);
      return at !== undefined && clock.monotonic() - at < RECENT_MS;
    },
  };
}
