import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";

/**
 * API keys and users with a recent call refused by their budget. A budget is rarely spent to the last nano-dollar: calls
 * are refused once less than their worst case is left.
 */
export interface BudgetRefusals {
  note(owner: "key" | "user", id: string): void;
  isRecent(owner: "key" | "user", id: string): boolean;
}

const RECENT_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;

export function createBudgetRefusals(clock: Clock): BudgetRefusals {
  // `max` would allocate all entries at once.
  const times = new LRUCache<string, number>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 });
  return {
    note(owner, id) {
      times.set(`${owner} ${id}`, clock.monotonic());
    },
    isRecent(owner, id) {
      const at = times.get(`${owner} ${id}`);
      return at !== undefined && clock.monotonic() - at < RECENT_MS;
    },
  };
}
