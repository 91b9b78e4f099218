import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LinkBreaker, MAX_FAILURES } from "@/lib/shared-state/redis/link-breaker";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openBreaker(write: () => Promise<void>, now = () => Date.now()): LinkBreaker {
  return new LinkBreaker({
    clock: { now, monotonic: () => Date.now() },
    log: { info() {}, warn() {}, error() {} },
    metrics: { count() {} },
    answerMs: 4,
    isReady: () => true,
    write,
  });
}

test("pauses between the probes of a Redis that fails, and opens after the fifth failure", async () => {
  let writes = 0;
  let isFailing = false;
  const breaker = openBreaker(async () => {
    writes++;
    if (isFailing) throw new Error("LOADING");
  });
  await breaker.probe();
  expect(breaker.isUp).toBe(true);
  writes = 0;
  isFailing = true;
  breaker.recordFailure("LOADING");
  await vi.advanceTimersByTimeAsync(0);
  // A stall shorter than the pauses does not open it.
  expect([writes, breaker.isUp, breaker.isFailing]).toEqual([1, true, true]);
  await vi.advanceTimersByTimeAsync(19);
  expect(writes).toBe(1);
  await vi.advanceTimersByTimeAsync(1 + 20 * (MAX_FAILURES - 3));
  expect([writes, breaker.isUp]).toEqual([MAX_FAILURES - 1, false]);
  breaker.close();
});

test("says how long Redis has been away, also after the wall clock was set back", async () => {
  let setBackMs = 0;
  const breaker = openBreaker(
    async () => undefined,
    () => Date.now() - setBackMs,
  );
  await breaker.probe();
  expect(breaker.health).toMatchObject({ isUp: true, downMs: null });
  breaker.goDown("lost");
  setBackMs = 3_600_000;
  vi.setSystemTime(Date.now() + 5_000);
  expect(breaker.health).toMatchObject({ isUp: false, downMs: 5_000 });
  breaker.close();
});
