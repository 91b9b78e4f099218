import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { takeWrongEnrolmentCodes } from "@/lib/console/auth/attempt-limit";
import { limitError } from "@/lib/gateway/admission/admit-request";
import { createRateLimiter } from "@/lib/shared-state/memory-limits";
import { SlotQueues } from "@/lib/shared-state/redis/slots";
import { FakeClock } from "../../support/factories";

test("refuses one of limit + 1 concurrent calls, and admits again when the first one's window has passed", () => {
  const clock = new FakeClock();
  const limiter = createRateLimiter(clock);
  const answers = Array.from({ length: 11 }, () => limiter.take("k", 10, 60_000));
  expect(answers.map((answer) => answer.allowed)).toEqual([...Array<boolean>(10).fill(true), false]);
  expect(answers.at(-1)).toMatchObject({ remaining: 0, retryAfterMs: 60_000 });
  clock.at += 59_999;
  expect(limiter.take("k", 10, 60_000).allowed).toBe(false);
  clock.at += 1;
  expect(limiter.take("k", 10, 60_000)).toMatchObject({ allowed: true, remaining: 9 });
});

test("reports no wait longer than the window at a time with fractions of a millisecond", () => {
  const clock = new FakeClock();
  // 60,000 ms later and back is 60,000.00000000001 ms in floating point.
  clock.at = 5_537.1;
  const limiter = createRateLimiter(clock);
  expect(limiter.take("k", 1, 60_000).resetMs).toBe(60_000);
  expect(limiter.take("k", 1, 60_000)).toMatchObject({
    allowed: false,
    resetMs: 60_000,
    retryAfterMs: 60_000,
  });
});

test("each call restarts the window until the limit is reset, even when the entries of many calls are merged", () => {
  const clock = new FakeClock();
  const limiter = createRateLimiter(clock);
  for (let call = 0; call < 600; call++) {
    clock.at += 1;
    expect(limiter.take("k", 1_000, 60_000).resetMs).toBe(60_000);
  }
});

test("the shares of several processes add up to the limit", async () => {
  const limiters = [1, 2, 3].map((index) => createRateLimiter(new FakeClock(), { index, processes: 3 }));
  const admitted = (limit: number, leastShare?: number) =>
    limiters.map(({ shared }) => {
      const ask = { bucket: `${limit} ${leastShare}`, limit, cost: 1, ...(leastShare ? { leastShare } : {}) };
      const takes = Array.from({ length: 20 }, () => shared.take("usr_1", [ask], 60_000));
      return takes.filter((taken) => "allowed" in taken && taken.allowed).length;
    });
  expect([10, 9, 2, 1].map((limit) => admitted(limit))).toEqual([
    [4, 3, 3],
    [3, 3, 3],
    [1, 1, 0],
    [1, 0, 0],
  ]);
  expect([10, 2].map((limit) => admitted(limit, 1))).toEqual([
    [4, 3, 3],
    [1, 1, 1],
  ]);
  const signal = new AbortController().signal;
  const request = (limit: number) => ({
    owner: "usr_1",
    slots: [{ bucket: `${limit}`, limit }],
    rates: [],
    windowMs: 60_000,
  });
  const entered = (limit: number) =>
    limiters.map(
      ({ shared }) =>
        [1, 2, 3]
          .map(() => shared.enter(request(limit)))
          .filter((entry) => "kind" in entry && entry.kind === "entered").length,
    );
  expect([7, 1].map(entered)).toEqual([
    [3, 2, 2],
    [1, 0, 0],
  ]);
  expect(await limiters[2]?.shared.enterOrWait(request(1), 0, signal)).toMatchObject({
    kind: "full",
    index: 0,
  });
  const ask = { bucket: "1 undefined", limit: 1, cost: 1 };
  expect(await limiters[2]?.shared.take("usr_1", [ask], 60_000)).toMatchObject({
    states: [{ allowed: false, retryAfterMs: 60_000 }],
  });
  // Every address may sign in on each process.
  const ofAddress = limiters.map(({ shared }) => shared.takeForAddress("127.0.0.1", 1, 60_000));
  expect(ofAddress).toMatchObject([{ allowed: true }, { allowed: true }, { allowed: true }]);
});

test("limits that count per process are not divided among several processes", async () => {
  const limiter = createRateLimiter(new FakeClock(), { index: 3, processes: 3 });
  expect(limiter.take("k", 1, 60_000).allowed).toBe(true);
  const leave = limiter.enter("k", 1);
  expect(leave).not.toBeNull();
  expect(limiter.enter("k", 1)).toBeNull();
  const waiting = limiter.enterOrWait("k", 1, 1_000, new AbortController().signal);
  leave?.();
  expect(await waiting).not.toBeNull();
});

test("with more processes than attempts, each process allows an address three attempts, or its limit if lower", async () => {
  const limiter = createRateLimiter(new FakeClock(), { index: 16, processes: 16 });
  const admitted = async (limit: number) => {
    const replies = [1, 2, 3, 4].map(() => limiter.shared.takeForAddress(`login:${limit}`, limit, 60_000));
    return (await Promise.all(replies)).filter(({ allowed }) => allowed).length;
  };
  expect([await admitted(10), await admitted(2)]).toEqual([3, 2]);
});

test("with more processes than allowed wrong codes, each process still lets users enrol in 2FA", async () => {
  const limiter = createRateLimiter(new FakeClock(), { index: 16, processes: 16 });
  const ctx = {
    limiter,
    metrics: { count: () => undefined, observeCall: () => undefined, countRejection: () => undefined },
  };
  await takeWrongEnrolmentCodes(ctx, "usr_1", 0);
  await takeWrongEnrolmentCodes(ctx, "usr_1", 1);
  await expect(takeWrongEnrolmentCodes(ctx, "usr_1", 0)).rejects.toMatchObject({ code: "rate_limited" });
});

test("admits no more than the limit in any window", () => {
  const call = fc.record({ waitMs: fc.integer({ min: 0, max: 400 }), cost: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (calls, limit) => {
      const clock = new FakeClock();
      const limiter = createRateLimiter(clock);
      const passed: { at: number; cost: number }[] = [];
      for (const { waitMs, cost } of calls) {
        clock.at += waitMs;
        if (limiter.take("k", limit, 1_000, cost).allowed) passed.push({ at: clock.at, cost });
        const inWindow = passed.filter((one) => one.at > clock.at - 1_000);
        expect(inWindow.reduce((sum, one) => sum + one.cost, 0)).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test("never refuses a steady rate below the limit", () => {
  const clock = new FakeClock();
  const limiter = createRateLimiter(clock);
  let refused = 0;
  for (let i = 0; i < 50_000; i++) {
    clock.at += 10;
    if (!limiter.take("k", 6_200, 60_000).allowed) refused += 1;
  }
  expect(refused).toBe(0);
});

test("a refusal returns the time until enough units are free", () => {
  const clock = new FakeClock();
  const limiter = createRateLimiter(clock);
  limiter.take("k", 10, 60_000, 6);
  clock.at += 20_000;
  limiter.take("k", 10, 60_000, 4);
  expect(limiter.take("k", 10, 60_000, 1).retryAfterMs).toBe(40_000);
  expect(limiter.take("k", 10, 60_000, 8).retryAfterMs).toBe(60_000);
});

test("a cost of 0 reads without taking", () => {
  const limiter = createRateLimiter(new FakeClock());
  for (let i = 0; i < 5; i++)
    expect(limiter.take("k", 1, 60_000, 0)).toMatchObject({ allowed: true, remaining: 1 });
  limiter.take("k", 1, 60_000);
  expect(limiter.take("k", 1, 60_000, 0).allowed).toBe(false);
});

test("releases a slot once, even when its release is called again", () => {
  const limiter = createRateLimiter(new FakeClock());
  const first = limiter.enter("k", 2);
  const second = limiter.enter("k", 2);
  expect(limiter.enter("k", 2)).toBeNull();
  first?.();
  first?.();
  expect(limiter.enter("k", 2)).not.toBeNull();
  expect(limiter.enter("k", 2)).toBeNull();
  second?.();
  expect(limiter.enter("k", 2)).not.toBeNull();
});

test("calls without a free slot wait in order and take over the next released slot", async () => {
  const limiter = createRateLimiter(new FakeClock());
  const { signal } = new AbortController();
  const leave = limiter.enter("calls", 1);
  const order: string[] = [];
  const first = limiter.enterOrWait("calls", 1, 10_000, signal).then((release) => {
    order.push("first");
    return release;
  });
  const second = limiter.enterOrWait("calls", 1, 10_000, signal).then(() => order.push("second"));
  leave?.();
  // No later call can take the slot before the waiting one.
  expect(limiter.enter("calls", 1)).toBeNull();
  (await first)?.();
  await second;
  expect(order).toEqual(["first", "second"]);
});

test("a waiting call takes over no slot above a limit that was lowered", async () => {
  const limiter = createRateLimiter(new FakeClock());
  const [first, second, third] = [3, 3, 3].map((limit) => limiter.enter("calls", limit));
  let hasEntered = false;
  const waiting = limiter.enterOrWait("calls", 1, 10_000, new AbortController().signal).then((release) => {
    hasEntered = release !== null;
  });
  first?.();
  second?.();
  await nextTurn();
  expect(hasEntered).toBe(false);
  third?.();
  await waiting;
  expect(hasEntered).toBe(true);
});

test("a call that waited too long or left takes no slot", async () => {
  const limiter = createRateLimiter(new FakeClock());
  const leaving = new AbortController();
  const leave = limiter.enter("calls", 1);
  const late = limiter.enterOrWait("calls", 1, 1, new AbortController().signal);
  const gone = limiter.enterOrWait("calls", 1, 10_000, leaving.signal);
  leaving.abort();
  expect([await late, await gone]).toEqual([null, null]);
  leave?.();
  expect(limiter.enter("calls", 1)).not.toBeNull();
});

test("at most 256 calls wait for one bucket", async () => {
  const limiter = createRateLimiter(new FakeClock());
  limiter.enter("calls", 1);
  const callers = Array.from({ length: 256 }, () => new AbortController());
  const waiting = callers.map(({ signal }) => limiter.enterOrWait("calls", 1, 10_000, signal));
  expect(await limiter.enterOrWait("calls", 1, 10_000, new AbortController().signal)).toBeNull();
  for (const caller of callers) caller.abort();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]));
});

test("at most 256 calls of one process wait for a slot of one bucket in Redis", async () => {
  const queues = new SlotQueues();
  const leaving = new AbortController();
  const wait = () =>
    queues.wait(
      "k",
      () => 60_000,
      leaving.signal,
      async () => null,
    );
  const waiting = Array.from({ length: 256 }, wait);
  expect(await Promise.race([wait(), nextTurn("it waits")])).toBeNull();
  leaving.abort();
  expect(await Promise.all(waiting)).toEqual(Array(256).fill(null));
});

test("a waiting call asks at once when the one before it got a slot", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const queues = new SlotQueues();
  const { signal } = new AbortController();
  const ask = vi.fn(async () => "slot");
  const waiting = Array.from({ length: 100 }, () => queues.wait("k", () => 60_000, signal, ask));
  await vi.advanceTimersByTimeAsync(50);
  expect(ask).toHaveBeenCalledTimes(100);
  expect(await Promise.all(waiting)).toEqual(Array(100).fill("slot"));
  vi.useRealTimers();
});

test("hands a slot over to a call that waits with a raised limit behind one with the old limit", async () => {
  const limiter = createRateLimiter(new FakeClock());
  const { signal } = new AbortController();
  const leave = limiter.enter("calls", 2);
  limiter.enter("calls", 2);
  const leaving = new AbortController();
  const old = limiter.enterOrWait("calls", 2, 10_000, leaving.signal);
  for (let call = 0; call < 3; call++) expect(limiter.enter("calls", 5)).not.toBeNull();
  const raised = limiter.enterOrWait("calls", 5, 10_000, signal);
  leave?.();
  expect(await Promise.race([raised, nextTurn("waits")])).toBeTypeOf("function");
  leaving.abort();
  expect(await old).toBeNull();
});

test("a call whose caller has left does not wait for a slot", async () => {
  const limiter = createRateLimiter(new FakeClock());
  limiter.enter("calls", 1);
  expect(await limiter.enterOrWait("calls", 1, 60_000, AbortSignal.abort())).toBeNull();
});

test("keeps a limit for its window beside any number of other buckets, and drops idle buckets after it", () => {
  const clock = new FakeClock();
  const limiter = createRateLimiter(clock);
  const spend = () => limiter.take("rpm:key_1", 1, 60_000).allowed;
  expect(spend()).toBe(true);
  for (let other = 0; other < 50_000; other++) limiter.take(`rpm:other_${other}`, 1, 60_000);
  for (let other = 0; other < 50_000; other++) limiter.takeForAddress(`wrong-keys:${other}`, 1, 60_000);
  expect(spend()).toBe(false);
  expect(limiter.bucketCount()).toBe(50_001);
  clock.at += 60_000;
  expect(spend()).toBe(true);
  expect(limiter.bucketCount()).toBe(1);
});

test("a bucket with a longer window keeps its limit while others expire and are dropped", () => {
  const clock = new FakeClock();
  const limiter = createRateLimiter(clock);
  limiter.take("2fa-enable:usr_1", 1, 600_000);
  clock.at += 60_000;
  for (let other = 0; other < 10; other++) limiter.take(`rpm:other_${other}`, 1, 60_000);
  clock.at += 60_000;
  limiter.take("rpm:key_1", 1, 60_000);
  expect(limiter.bucketCount()).toBe(2);
  expect(limiter.take("2fa-enable:usr_1", 1, 600_000, 0).allowed).toBe(false);
});

test("limits the attempts of an address, and remembers 20,000 addresses", () => {
  const limiter = createRateLimiter(new FakeClock());
  const take = (address: string) => limiter.takeForAddress(`wrong-keys:${address}`, 1, 60_000).allowed;
  expect([take("first"), take("first")]).toEqual([true, false]);
  for (let other = 0; other < 19_999; other++) take(`other ${other}`);
  expect(take("first")).toBe(false);
  for (let other = 0; other < 20_000; other++) take(`another ${other}`);
  expect(take("first")).toBe(true);
});

test("reports that a process's share of a limit is below 1 instead of asking for a smaller request", async () => {
  const { shared } = createRateLimiter(new FakeClock(), { index: 2, processes: 2 });
  const messageFor = async (unit: "requests" | "tokens", limit: number, cost: number) => {
    const ask = {
      bucket: `${unit} ${limit}`,
      limit,
      cost,
      name: "key_rpm",
      subject: "This key is limited to",
    } as const;
    const { states } = await shared.take("usr_1", [ask], 60_000);
    return limitError(
      { metrics: { count: () => undefined, observeCall: () => undefined, countRejection: () => undefined } },
      [ask],
      states,
      unit,
    ).message;
  };
  const advice =
    "The server divides the limit among its processes, and the share of the one that answered is below 1. The limit must be at least the number of processes.";
  expect(await messageFor("requests", 1, 1)).toBe(`This key is limited to 1 request per minute. ${advice}`);
  expect(await messageFor("tokens", 10, 8)).toBe(
    "This key is limited to 10 tokens per minute; this request needs 8, and 5 are left. Send less text in one request.",
  );
});
