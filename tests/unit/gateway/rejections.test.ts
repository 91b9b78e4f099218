import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBudgetRefusals } from "@/lib/gateway/metering/recent-budget-refusals";
import { type Rejected, RejectionCounter } from "@/lib/gateway/metering/rejections";
import type { RejectionRecord, Rejections } from "@/lib/ports/store";
import { FakeClock } from "../../support/factories";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function rejected(fields: Partial<Rejected> = {}): Rejected {
  return {
    keyId: "key_1",
    userId: "usr_1",
    model: "tts",
    error: "rate_limited",
    limit: "key_rpm",
    requestId: "req",
    status: 429,
    message: "Too many.",
    retryAfterS: 3,
    address: null,
    ...fields,
  };
}

function open() {
  const clock = new FakeClock();
  clock.at -= clock.at % 60_000;
  const written: RejectionRecord[][] = [];
  const published: (string | null | undefined)[] = [];
  const logged: string[] = [];
  const store = { isDown: false, isConfirmed: true, fails: Promise.resolve() };
  const rejections: Pick<Rejections, "add"> = {
    add: async (records) => {
      await store.fails;
      if (store.isDown) throw new Error("down");
      written.push(records.map((one) => ({ ...one })));
      return store.isConfirmed;
    },
  };
  const log = { info() {}, warn: (event: string) => logged.push(event), error() {} };
  const counter = new RejectionCounter({
    store: { rejections: rejections as Rejections },
    clock,
    log,
    live: { publish: (_topic, userId) => published.push(userId) },
  });
  const total = () => written.flat().reduce((sum, one) => sum + one.calls, 0);
  return { counter, clock, written, published, logged, store, total };
}

test("a flood of equal requests is one row with the latest example, written two seconds later", async () => {
  const { counter, clock, written, published } = open();
  for (let i = 0; i < 10_000; i++) {
    clock.at += i === 9_999 ? 1 : 0;
    counter.count(rejected({ requestId: `req_${i}`, message: "x".repeat(900) }));
  }
  expect(written).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(written).toMatchObject([[{ calls: 10_000, requestId: "req_9999", at: clock.at }]]);
  expect(written[0]?.[0]?.message).toHaveLength(500);
  expect(published).toEqual(["usr_1"]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(written).toHaveLength(1);
});

test("caps the models of a key and the groups of a minute, and loses no request", async () => {
  const { counter, clock, written, total } = open();
  for (let i = 0; i < 1_000; i++)
    counter.count(rejected({ model: `made-up-${i}`, error: "model_not_found" }));
  await counter.flush();
  expect(written.flat()).toHaveLength(9);
  expect(written.flat().find((one) => one.model === null)).toMatchObject({ keyId: "key_1", calls: 992 });
  for (let i = 0; i < 5_000; i++) counter.count(rejected({ keyId: `key_${i}`, userId: `usr_${i}` }));
  await counter.flush();
  const rows = written.flat();
  expect(rows.length).toBeLessThanOrEqual(1_024 + 2);
  expect(rows.find((one) => one.keyId === null)).toMatchObject({ userId: null, model: null });
  // The limits last for the minute, not for a batch.
  counter.count(rejected({ model: "made-up-9999", error: "model_not_found" }));
  await counter.flush();
  expect(written.at(-1)).toMatchObject([{ model: null, calls: 1 }]);
  expect(total()).toBe(6_001);
  clock.at += 60_000;
  counter.count(rejected({ model: "made-up-9999", error: "model_not_found" }));
  await counter.flush();
  expect(written.at(-1)).toMatchObject([{ model: "made-up-9999", minute: clock.at }]);
});

test("keeps the counts while the store is unavailable, up to a limit", async () => {
  const { counter, clock, written, logged, store, total } = open();
  store.isDown = true;
  counter.count(rejected());
  await vi.advanceTimersByTimeAsync(2_000);
  counter.count(rejected({ requestId: "later" }));
  await vi.advanceTimersByTimeAsync(2_000);
  store.isDown = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(written).toMatchObject([[{ calls: 2, requestId: "later" }]]);
  store.isDown = true;
  for (let minute = 0; minute < 6; minute++) {
    clock.at += 60_000;
    for (let i = 0; i < 1_000; i++) counter.count(rejected({ keyId: `key_${i}` }));
    await counter.flush();
  }
  expect(logged).toContain("rejections_dropped");
  store.isDown = false;
  await counter.flush();
  expect(total()).toBe(2 + 4_096);
});

test("adds requests counted during a failed write to those of that write", async () => {
  const { counter, written, store, total } = open();
  store.isDown = true;
  store.fails = new Promise((resolve) => setTimeout(resolve, 2_300));
  for (let i = 0; i < 3; i++) counter.count(rejected({ requestId: `early_${i}` }));
  await vi.advanceTimersByTimeAsync(2_000);
  for (let i = 0; i < 2; i++) counter.count(rejected({ requestId: `late_${i}` }));
  await vi.advanceTimersByTimeAsync(500);
  expect(written).toEqual([]);
  store.isDown = false;
  await vi.advanceTimersByTimeAsync(4_000);
  expect(total()).toBe(5);
  expect(written.flat()).toMatchObject([{ calls: 5, requestId: "late_1" }]);
});

test("does not add requests again when it is unknown whether they were written", async () => {
  const { counter, logged, store, total } = open();
  store.isConfirmed = false;
  for (let i = 0; i < 3; i++) counter.count(rejected());
  await counter.flush();
  store.isConfirmed = true;
  await counter.flush();
  expect(total()).toBe(3);
  expect(logged).toEqual(["rejections_unconfirmed"]);
});

test("a refusal by a budget is recent for five minutes, for that budget alone", () => {
  const clock = new FakeClock();
  const refusals = createBudgetRefusals(clock);
  const budget = { totalNano: null, dailyNano: 5, monthlyNano: 5 };
  refusals.note({ owner: "key", period: "daily" }, { id: "a", budget });
  const isRecent = (owner: "key" | "user", period: "daily" | "monthly", limitNano = 5) =>
    refusals.isRecent({ owner, id: "a", period, limitNano });
  clock.advance(5 * 60_000 - 1);
  expect([isRecent("key", "daily"), isRecent("key", "monthly"), isRecent("user", "daily")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isRecent("key", "daily", 6)).toBe(false);
  clock.advance(1);
  expect(isRecent("key", "daily")).toBe(false);
});
