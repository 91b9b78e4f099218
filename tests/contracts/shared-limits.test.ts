import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EntryResult, SharedLimits } from "@/lib/ports/shared-state";
import { createRateLimiter } from "@/lib/shared-state/memory-limits";
import { FakeClock } from "../support/factories";
import { startRedis, type TestRedis } from "../support/redis";
import { openRedisInstance, type RedisInstance } from "../support/shared-limits";

/** An implementation, with its clock and a way to let time pass. */
interface Subject {
  limits: SharedLimits;
  /** Milliseconds on the clock that deadlines of `enterOrWait` use. */
  now(): number;
  pass(ms: number): Promise<void>;
}

const WINDOW = 400;
let redis: TestRedis;
let instance: RedisInstance;
beforeAll(async () => {
  redis = await startRedis();
  instance = await openRedisInstance({ url: redis.url });
});
afterAll(async () => {
  instance.close();
  await redis.close();
});

const SUBJECTS: [name: string, open: () => Subject][] = [
  [
    "memory",
    () => {
      const clock = new FakeClock();
      const pass = async (ms: number) => clock.advance(ms);
      return { limits: createRateLimiter(clock).shared, now: () => clock.monotonic(), pass };
    },
  ],
  [
    "Redis",
    () => ({
      limits: instance.limits,
      now: () => performance.now(),
      pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    }),
  ],
];

let owners = 0;

describe.each(SUBJECTS)("shared limits in %s", (_name, open) => {
  /** A user with buckets that no other test has used. */
  function subject() {
    const owner = `usr_${++owners}`;
    const { limits, now, pass } = open();
    const rate = (limit: number, cost = 1, bucket = "rpm") => ({ bucket: `${bucket}:${owner}`, limit, cost });
    const slot = (limit: number, bucket = "slots") => ({ bucket: `${bucket}:${owner}`, limit });
    const enter = (slots: ReturnType<typeof slot>[], rates: ReturnType<typeof rate>[] = []) =>
      limits.enter({ owner, slots, rates, windowMs: WINDOW });
    const leave = (entry: EntryResult) => {
      if (entry.kind !== "entered") throw new Error(`not entered: ${entry.kind}`);
      entry.leave();
    };
    const take = (...rates: ReturnType<typeof rate>[]) => limits.take(owner, rates, WINDOW);
    return { owner, limits, now, pass, rate, slot, enter, leave, take };
  }

  test("refuses exactly one of limit + 1 simultaneous takes", async () => {
    const { take, rate } = subject();
    const answers = await Promise.all(Array.from({ length: 11 }, () => take(rate(10))));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  test("returns what remains, when the limit resets, and when a refused cost may be retried", async () => {
    const { take, rate } = subject();
    const first = await take(rate(10, 7));
    expect(first).toMatchObject({ allowed: true, states: [{ allowed: true, remaining: 3 }] });
    const second = await take(rate(10, 4));
    expect(second).toMatchObject({ allowed: false, states: [{ allowed: false, remaining: 3 }] });
    const [state] = second.states;
    expect(state?.retryAfterMs).toBeGreaterThan(WINDOW / 2);
    expect(state?.retryAfterMs).toBeLessThanOrEqual(WINDOW);
    expect(state?.resetMs).toBeLessThanOrEqual(WINDOW);
  });

  test("frees a unit one window after it was taken", async () => {
    const { take, rate, pass } = subject();
    await take(rate(2));
    await pass(WINDOW / 2);
    await take(rate(2));
    expect(await take(rate(2))).toMatchObject({ allowed: false });
    await pass(WINDOW / 2 + 20);
    expect(await take(rate(2))).toMatchObject({ allowed: true, states: [{ remaining: 0 }] });
  });

  test("refuses a larger cost until as many earlier entries as it needs have expired", async () => {
    const { take, rate, pass } = subject();
    for (let unit = 0; unit < 4; unit++) {
      await take(rate(4));
      await pass(30);
    }
    const one = await take(rate(4, 1));
    const three = await take(rate(4, 3));
    const wait = (three.states[0]?.retryAfterMs ?? 0) - (one.states[0]?.retryAfterMs ?? 0);
    expect(wait).toBeGreaterThanOrEqual(50);
    expect(wait).toBeLessThan(WINDOW);
  });

  test("takes from all limits or from none", async () => {
    const { take, rate } = subject();
    await take(rate(1, 1, "narrow"));
    const refused = await take(rate(5, 1, "wide"), rate(1, 1, "narrow"));
    expect(refused).toMatchObject({ allowed: false, states: [{ remaining: 5 }, { allowed: false }] });
    expect(await take(rate(5, 0, "wide"))).toMatchObject({ allowed: true, states: [{ remaining: 5 }] });
  });

  test("only reads a limit at a cost of 0, also next to a cost that is taken", async () => {
    const { take, rate } = subject();
    await take(rate(1, 1, "spent"));
    const taken = await take(rate(10, 4, "tokens"), rate(1, 0, "spent"));
    expect(taken).toMatchObject({
      allowed: true,
      states: [{ remaining: 6 }, { allowed: false, remaining: 0 }],
    });
  });

  test("admits as many calls at once as there are slots, until one leaves", async () => {
    const { enter, leave, slot } = subject();
    const first = await enter([slot(2)]);
    const second = await enter([slot(2)]);
    expect(await enter([slot(2)])).toMatchObject({ kind: "full", index: 0 });
    leave(first);
    leave(first);
    const third = await enter([slot(2)]);
    expect(third.kind).toBe("entered");
    expect((await enter([slot(2)])).kind).toBe("full");
    leave(second);
    leave(third);
  });

  test("takes slots and rates together: a refusal by one takes nothing from the other", async () => {
    const { enter, leave, slot, rate, take } = subject();
    const first = await enter([slot(5, "key"), slot(1, "owner")], [rate(2)]);
    expect(await enter([slot(5, "key"), slot(1, "owner")], [rate(2)])).toMatchObject({
      kind: "full",
      index: 1,
    });
    expect(await take(rate(2, 0))).toMatchObject({ states: [{ remaining: 1 }] });
    leave(first);
    leave(await enter([slot(1, "owner")], [rate(2)]));
    const limited = await enter([slot(1, "owner")], [rate(2)]);
    expect(limited).toMatchObject({ kind: "limited", states: [{ allowed: false, remaining: 0 }] });
    const inside = await enter([slot(1, "owner")]);
    expect(inside.kind).toBe("entered");
    leave(inside);
  });

  test("gives a waiting call the slot that another call leaves", async () => {
    const { owner, limits, enter, leave, slot, now } = subject();
    const first = await enter([slot(1)]);
    const ask = { owner, slots: [slot(1)], rates: [], windowMs: WINDOW };
    const waiting = limits.enterOrWait(ask, now() + 10_000, new AbortController().signal);
    leave(first);
    const second = await waiting;
    expect(second.kind).toBe("entered");
    leave(second);
  });

  test("ends a call's wait at its deadline and when its caller leaves", async () => {
    const { owner, limits, enter, leave, slot, now } = subject();
    const first = await enter([slot(1)]);
    const ask = { owner, slots: [slot(1)], rates: [], windowMs: WINDOW };
    const leaving = new AbortController();
    const gone = limits.enterOrWait(ask, now() + 60_000, leaving.signal);
    leaving.abort();
    expect(await gone).toMatchObject({ kind: "full" });
    const late = await limits.enterOrWait(ask, now() + 30, new AbortController().signal);
    expect(late).toMatchObject({ kind: "full" });
    leave(first);
    const next = await enter([slot(1)]);
    expect(next.kind).toBe("entered");
    leave(next);
  });

  test("counts each client address separately", async () => {
    const { owner, limits } = subject();
    const attempt = async (address: string) =>
      (await limits.takeForAddress(`login:${owner}:${address}`, 1, WINDOW)).allowed;
    expect([await attempt("a"), await attempt("a"), await attempt("b")]).toEqual([true, false, true]);
  });

  test("admits the limit of each window when many more calls arrive, and the whole limit in the next one", async () => {
    const { take, rate, pass, now } = subject();
    const startedAt = now();
    let allowed = 0;
    for (let round = 0; round < 15; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => take(rate(1_000))));
      allowed += answers.filter((one) => one.allowed).length;
      if (round < 12) await pass(2);
    }
    expect(allowed).toBeGreaterThanOrEqual(1_000);
    // On a busy machine more than one window passes. Redis' clock counts whole milliseconds.
    const windows = 1 + Math.floor((now() - startedAt + 2) / WINDOW);
    expect(allowed).toBeLessThanOrEqual(windows * 1_000);
    await pass(WINDOW + 20);
    expect(await take(rate(1_000, 1_000))).toMatchObject({ allowed: true });
    expect(await take(rate(1_000))).toMatchObject({ allowed: false });
  });
});

test("the shared limits in Redis never fall back to the instance's share in these tests", () => {
  expect(instance.counted.get("redis_fallbacks")).toBeUndefined();
});

test("every key of the shared limits in Redis has an expiry", async () => {
  const keys = await redis.command("KEYS", "test:*");
  if (!Array.isArray(keys)) throw new Error("KEYS gave no list.");
  expect(keys.length).toBeGreaterThan(0);
  const ttls = await Promise.all(keys.map((key) => redis.command("PTTL", String(key))));
  // -2 is a key that has expired in the meantime, -1 a key without expiry.
  for (const ms of ttls) expect(ms).not.toBe(-1);
});
