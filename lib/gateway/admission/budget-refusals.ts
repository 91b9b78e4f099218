import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock";

/**
 * Whose budget lately had no room for a call. A budget is seldom spent to the last nano-dollar: what is left is too
 * little for a call's worst case, and calls are refused all the same.
 */
export interface BudgetRefusals {
  note(owner: "key" | "user", id: string): void;
  isRecent(owner: "key" | "user", id: string): boolean;
}

const RECENT_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;

export function createBudgetRefusals(clock: Clock): BudgetRefusals {
  const times = new LRUCache<string, number>({ max: MAX_ENTRIES });
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
