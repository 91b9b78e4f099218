import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServerLiveness } from "../../../lib/store/postgres/lease-pool";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("connections to a server that stays read-only are replaced at growing intervals of up to a minute", () => {
  const liveness = new ServerLiveness();
  const leaves = (seconds: number): number[] => {
    const at: number[] = [];
    for (let second = 0; second < seconds; second += 1) {
      const before = liveness.wrongDatabaseAt;
      liveness.noteWrongDatabase();
      if (liveness.wrongDatabaseAt !== before) at.push(second);
      vi.advanceTimersByTime(1_000);
    }
    return at;
  };
  expect(leaves(300)).toEqual([0, 3, 8, 17, 34, 67, 128, 189, 250]);
  vi.advanceTimersByTime(3 * 60_000);
  expect(leaves(5)).toEqual([0, 3]);
});
