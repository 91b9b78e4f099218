import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WriteQueue } from "../../../lib/store/write-queue";

/** The write queue of one process, on a clock that the test controls. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Asks for turns by name. `began`: names in the order of their turns; `codes`: names that got no turn, with the error
 * code.
 */
function queue() {
  const turns = new WriteQueue();
  const began: string[] = [];
  const codes: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, isFirst = false): void => {
    turns.take(isFirst).then(
      (end) => {
        began.push(name);
        ends.set(name, end);
      },
      (error: { code: string }) => codes.push(`${name} ${error.code}`),
    );
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ask, end, began, codes };
}

describe("the write queue", () => {
  test("serves writers in order, the ledger's commit next, and other writers between two of its commits", async () => {
    const { ask, end, began } = queue();
    for (const name of ["a", "b", "c"]) ask(name);
    ask("ledger 1", true);
    await end("nobody");
    expect(began).toEqual(["a"]);
    await end("a");
    expect(began).toEqual(["a", "ledger 1"]);
    await end("ledger 1");
    // The ledger asks for its next turn when its last group has ended; another writer's turn has begun by then.
    ask("ledger 2", true);
    await end("b");
    await end("ledger 2");
    await end("c");
    expect(began).toEqual(["a", "ledger 1", "b", "ledger 2", "c"]);
    ask("alone");
    await end("nobody");
    expect(began.at(-1)).toBe("alone");
  });

  test("waits as long as the queue moves, however slowly", async () => {
    const { ask, end, began, codes } = queue();
    const names = Array.from({ length: 10 }, (_, index) => `write ${index}`);
    for (const name of names) ask(name);
    ask("ledger", true);
    for (const name of ["write 0", "ledger", ...names.slice(1)]) {
      await vi.advanceTimersByTimeAsync(4_000);
      await end(name);
    }
    expect(codes).toEqual([]);
    expect(began).toHaveLength(11);
  });

  test("refuses a writer after ten seconds without movement, and continues when the queue moves again", async () => {
    const { ask, end, began, codes } = queue();
    ask("stuck");
    ask("early");
    await vi.advanceTimersByTimeAsync(9_000);
    ask("late");
    expect(codes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(codes).toEqual(["early storage_unavailable"]);
    await end("stuck");
    expect(began).toEqual(["stuck", "late"]);
    await end("late");
    ask("next");
    await end("nobody");
    expect(began).toEqual(["stuck", "late", "next"]);
  });
});
