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
/** The oldest are forgotten beyond this many. */
const MOST = 10_000;

export function createBudgetRefusals(clock: Clock): BudgetRefusals {
  const times = new Map<string, number>();
  return {
    note(owner, id) {
      const place = `${owner} ${id}`;
      times.delete(place);
      times.set(place, clock.monotonic());
      const oldest = times.keys().next();
      if (times.size > MOST && !oldest.done) times.delete(oldest.value);
    },
    isRecent(owner, id) {
      const at = times.get(`${owner} ${id}`);
      return at !== undefined && clock.monotonic() - at < RECENT_MS;
    },
  };
}
