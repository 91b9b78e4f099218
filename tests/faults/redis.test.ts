import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import { afterEach, expect, test } from "vitest";
import { createContainer } from "@/lib/server/process/container";
import { readEnvironment } from "@/lib/server/process/env";
import { RedisReplies } from "@/lib/shared-state/redis/replies";
import { createCipher } from "@/lib/store/cipher";
import { lexicalChannel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";
import { startRedis, type TestRedis } from "../support/redis";
import { openRedisInstance, type RedisInstance, type RedisInstanceOptions } from "../support/shared-limits";
import { openTcpGate, type TcpGate } from "../support/tcp-gate";

/** Redis slow, stopped, flapping, full, read-only, or with another password: no request fails or waits long. */

const WINDOW = 60_000;
/** The longest wait of 5 ms on a machine that other tests keep busy. */
const BRIEF_MS = 150;
/** Longer than the product's 4 ms, so that one wait and two differ even on a busy machine. */
const ANSWER_MS = 200;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function redisServer(settings?: readonly string[], password?: string): Promise<TestRedis> {
  const redis = await startRedis(settings, password);
  closers.push(() => redis.close());
  return redis;
}

async function gateTo(redis: TestRedis): Promise<TcpGate> {
  const gate = await openTcpGate(redis.port);
  closers.push(() => gate.close());
  return gate;
}

async function instance(options: RedisInstanceOptions): Promise<RedisInstance> {
  const one = await openRedisInstance(options);
  closers.push(() => one.close());
  return one;
}

/** An instance whose connections to Redis can be blocked, and the gate. */
async function stallingInstance(answerMs: number) {
  const redis = await redisServer();
  const gate = await gateTo(redis);
  const one = await instance({ url: `redis://127.0.0.1:${gate.port}`, answerMs });
  await until(() => one.link.isUp);
  return { redis, gate, one };
}

async function until(condition: () => boolean, ms = 15_000): Promise<void> {
  const giveUpAt = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`The condition did not hold within ${ms} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const ask = (limit: number) => [{ bucket: "rpm:key_1", limit, cost: 1 }];

/** Takes one unit `count` times; returns how many were admitted, how many asked Redis, and the longest wait. */
async function drain({ limits }: RedisInstance, count: number, limit: number) {
  let admitted = 0;
  let asked = 0;
  let longestMs = 0;
  for (let call = 0; call < count; call++) {
    const began = performance.now();
    const taking = limits.take("usr_1", ask(limit), WINDOW);
    if (taking instanceof Promise) asked += 1;
    const { allowed } = await taking;
    longestMs = Math.max(longestMs, performance.now() - began);
    if (allowed) admitted += 1;
  }
  return { admitted, asked, longestMs };
}

/**
 * Expects that requests use the instance's share of the limits during an outage, that at most one of them waits, and
 * that the limits are shared again after `repair`.
 */
async function expectFallback(one: RedisInstance, repair: () => unknown): Promise<void> {
  const during = await drain(one, 30, 10);
  expect(during.longestMs).toBeLessThan(BRIEF_MS);
  expect(during.asked).toBeLessThanOrEqual(1);
  await until(() => !one.link.isUp, 2_000);
  expect(one.limits.take("usr_1", ask(10), WINDOW)).not.toBeInstanceOf(Promise);
  expect(one.counted.get("redis_fallbacks")).toBeGreaterThan(20);
  expect(one.logged).toContain("redis_unavailable");
  expect(one.link.health.reason).toEqual(expect.any(String));
  await repair();
  await until(() => one.link.isUp);
  expect(one.logged.at(-1)).toBe("redis_recovered");
  expect(one.limits.take("usr_1", ask(1_000), WINDOW)).toBeInstanceOf(Promise);
}

test("while Redis stalls, one call waits briefly and the others not at all", async () => {
  const { gate, one } = await stallingInstance(4);
  gate.block();
  await expectFallback(one, () => gate.reopen());
});

test("limits fall back to the share while Redis is stopped, and recover when it comes back empty", async () => {
  const redis = await redisServer();
  const one = await instance({ url: redis.url, answerMs: 50 });
  await redis.stop();
  await expectFallback(one, () => redis.start());
});

test("a call with limits of requests, tokens and its channel waits for one late answer, not for three", async () => {
  const answerMs = 1_000;
  const { gate, one } = await stallingInstance(answerMs);
  const harness = openGatewayHarness({ channels: [lexicalChannel({ rpm: 1_000 })] });
  harness.services.limiter = { ...one.local, shared: one.limits };
  harness.key = harness.addKey({ rpm: 1_000, tpm: 100_000 });
  const embed = (input: string) =>
    harness.call("/v1/embeddings", { body: { model: "patchbay-embed", input } });
  expect(await embed("before")).toMatchObject({ status: 200 });
  gate.block();
  const began = performance.now();
  expect(await embed("during")).toMatchObject({ status: 200 });
  expect(performance.now() - began).toBeLessThan(2 * answerMs);
  expect(one.counted.get("redis_fallbacks")).toBe(3);
});

test("a single late answer does not open the breaker, and the limits are shared again right after it", async () => {
  const { gate, one } = await stallingInstance(ANSWER_MS);
  gate.block();
  expect(await drain(one, 3, 10)).toMatchObject({ admitted: 3, asked: 1 });
  gate.reopen();
  await until(() => one.link.isPrompt, 2_000);
  expect((await drain(one, 10, 1_000)).asked).toBe(10);
  expect(one.counted.get("redis_outages")).toBeUndefined();
  expect(one.counted.get("redis_fallbacks")).toBe(3);
});

test("a Redis that stalls opens the breaker without further calls", async () => {
  const { gate, one } = await stallingInstance(4);
  gate.block();
  expect((await drain(one, 1, 10)).admitted).toBe(1);
  await until(() => !one.link.isUp, 2_000);
});

function repliesOf({ link }: RedisInstance, name: string): RedisReplies {
  const cipher = createCipher({ current: "a secret of the tests, long enough", previous: [] });
  const replies = new RedisReplies(link, cipher, name);
  closers.push(() => replies.close());
  return replies;
}

test("while Redis does not answer, claims of an Idempotency-Key wait only until the breaker opens", async () => {
  const { gate, one } = await stallingInstance(20);
  const replies = repliesOf(one, "one");
  gate.block();
  const began = performance.now();
  for (const name of ["a", "b", "c"]) expect(await replies.claim("usr_1", name, "digest")).toBe("claimed");
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("a claim of an Idempotency-Key waits for Redis even after a late answer, and finds the request running elsewhere", async () => {
  const { redis, gate, one } = await stallingInstance(20);
  const other = await instance({ url: redis.url, name: "other" });
  await until(() => other.link.isUp);
  expect(await repliesOf(other, "other").claim("usr_1", "a", "digest")).toBe("claimed");
  gate.block();
  await drain(one, 1, 10);
  const claim = repliesOf(one, "one").claim("usr_1", "a", "digest");
  await new Promise((resolve) => setTimeout(resolve, 300));
  gate.reopen();
  expect(await claim).toBe("elsewhere");
});

test("no call fails while Redis flaps, and the log stays short", async () => {
  const { gate, one } = await stallingInstance(4);
  for (let turn = 0; turn < 6; turn++) {
    gate.block();
    expect((await drain(one, 8, 1_000)).admitted).toBe(8);
    await until(() => !one.link.isUp, 2_000);
    gate.reopen();
    await until(() => one.link.isUp);
    expect((await drain(one, 8, 1_000)).admitted).toBe(8);
  }
  expect(one.counted.get("redis_outages")).toBeGreaterThanOrEqual(6);
  expect(one.logged.filter((event) => event === "redis_unavailable").length).toBeLessThanOrEqual(3);
});

test("limits fall back to the share while a full Redis refuses every write, and recover", async () => {
  const redis = await redisServer();
  const one = await instance({ url: redis.url, answerMs: 50 });
  await redis.command("CONFIG", "SET", "maxmemory", "1");
  await expectFallback(one, () => redis.command("CONFIG", "SET", "maxmemory", "0"));
});

test("limits fall back to the share while Redis is a read-only replica, and recover", async () => {
  const redis = await redisServer();
  const primary = await redisServer();
  const one = await instance({ url: redis.url, answerMs: 50 });
  await redis.command("REPLICAOF", "127.0.0.1", String(primary.port));
  await expectFallback(one, () => redis.command("REPLICAOF", "NO", "ONE"));
});

test("a server starts with a wrong Redis password and needs no restart when it is corrected", async () => {
  const redis = await redisServer(["--requirepass", "right"], "right");
  const one = await instance({ url: `redis://:wrong@127.0.0.1:${redis.port}`, answerMs: 50 });
  expect(one.link.health.reason).toMatch(/WRONGPASS/);
  await expectFallback(one, () => redis.command("CONFIG", "SET", "requirepass", "wrong"));
});

test("the share of an instance is the limit divided by the live instances, less what it has admitted", async () => {
  const redis = await redisServer();
  const one = await instance({ url: redis.url, liveInstances: 2 });
  expect((await drain(one, 3, 10)).admitted).toBe(3);
  await redis.stop();
  await until(() => !one.link.isUp);
  expect((await drain(one, 10, 10)).admitted).toBe(2);
  // A limit below the number of instances still allows one call.
  expect(await one.limits.take("usr_2", [{ bucket: "rpm:key_2", limit: 1, cost: 1 }], WINDOW)).toMatchObject({
    allowed: true,
  });
});

test("the slots of a crashed instance are free once their lease expires; those of a running instance are kept", async () => {
  const redis = await redisServer();
  const leaseMs = 1_000;
  const [one, other] = [
    await instance({ url: redis.url, name: "one", leaseMs }),
    await instance({ url: redis.url, name: "other", leaseMs }),
  ];
  const slot = { owner: "usr_1", slots: [{ bucket: "slots", limit: 1 }], rates: [], windowMs: WINDOW };
  expect((await one.limits.enter(slot)).kind).toBe("entered");
  await new Promise((resolve) => setTimeout(resolve, leaseMs * 2));
  expect((await other.limits.enter(slot)).kind).toBe("full");
  one.close();
  const began = performance.now();
  const entry = await other.limits.enterOrWait(slot, began + 20_000, new AbortController().signal);
  expect(entry.kind).toBe("entered");
});

test("slots of running calls are registered again in a Redis that came back empty", async () => {
  const redis = await redisServer();
  const one = await instance({ url: redis.url });
  const slot = { owner: "usr_1", slots: [{ bucket: "slots", limit: 1 }], rates: [], windowMs: WINDOW };
  const entry = await one.limits.enter(slot);
  await redis.stop();
  await until(() => !one.link.isUp);
  await redis.start();
  await until(() => one.link.isUp);
  const other = await instance({ url: redis.url, name: "other" });
  await until(() => other.link.isUp);
  expect((await other.limits.enter(slot)).kind).toBe("full");
  if (entry.kind === "entered") entry.leave();
  const began = performance.now();
  const next = await other.limits.enterOrWait(slot, began + 5_000, new AbortController().signal);
  expect(next.kind).toBe("entered");
});

test.each([
  { aheadMs: 3_600_000, step: "an hour", rate: "entered", slot: "entered" },
  { aheadMs: 10_000, step: "ten seconds", rate: "limited", slot: "full" },
])("after Redis' clock was set back by $step, a used-up rate is $rate and a slot $slot", async (one) => {
  const redis = await redisServer();
  const { limits, link } = await instance({ url: redis.url });
  await until(() => link.isUp);
  const old = Date.now() + one.aheadMs;
  await redis.command("RPUSH", "test:{usr_1}:rate:rpm:key_1", `${old}:${old}:0:10`);
  await redis.command("PEXPIREAT", "test:{usr_1}:rate:rpm:key_1", String(old + WINDOW));
  await redis.command("ZADD", "test:{usr_1}:slots:slots", String(old + 20_000), "crashed:1");
  const rates = ask(10);
  const slots = [{ bucket: "slots", limit: 1 }];
  const enter = { owner: "usr_1", windowMs: WINDOW };
  expect((await limits.enter({ ...enter, slots: [], rates })).kind).toBe(one.rate);
  expect((await limits.enter({ ...enter, slots, rates: [] })).kind).toBe(one.slot);
});

test("calls through the gateway succeed before, during and after an outage", async () => {
  const redis = await redisServer();
  const gate = await gateTo(redis);
  const one = await instance({ url: `redis://127.0.0.1:${gate.port}`, answerMs: 20 });
  const harness = openGatewayHarness();
  harness.services.limiter = { ...one.local, shared: one.limits };
  harness.key = harness.addKey({ rpm: 1_000, tpm: 100_000, concurrency: 50 });
  const call = () => harness.call("/v1/embeddings", { body: { model: "patchbay-embed", input: "a text" } });
  const statuses = async (count: number) => {
    const replies = await Promise.all(Array.from({ length: count }, call));
    return [...new Set(replies.map(({ status }) => status))];
  };
  const first = await call();
  expect(first).toMatchObject({ status: 200, headers: { "x-ratelimit-remaining-requests": "999" } });
  expect(await statuses(10)).toEqual([200]);
  gate.block();
  expect(await statuses(20)).toEqual([200]);
  gate.reopen();
  await until(() => one.link.isUp);
  expect(await statuses(10)).toEqual([200]);
});

test("three instances at several hundred calls a second admit the limit within 1 %", async () => {
  const redis = await redisServer();
  const names = ["one", "two", "three"];
  const instances = await Promise.all(
    names.map((name) => instance({ url: redis.url, name, liveInstances: 3 })),
  );
  const LIMIT = 1_200;
  let admitted = 0;
  const admit = async ({ limits }: RedisInstance): Promise<void> => {
    const { allowed } = await limits.take("usr_1", ask(LIMIT), WINDOW);
    if (allowed) admitted += 1;
  };
  // 600 calls a second for four seconds, twice the limit.
  for (let round = 0; round < 80; round++) {
    await Promise.all([
      ...instances.flatMap((one) => Array.from({ length: 10 }, () => admit(one))),
      new Promise((resolve) => setTimeout(resolve, 50)),
    ]);
  }
  expect(admitted).toBeGreaterThanOrEqual(LIMIT * 0.99);
  expect(admitted).toBeLessThanOrEqual(LIMIT * 1.01);
  for (const one of instances) expect(one.counted.get("redis_fallbacks")).toBeUndefined();
});

test("a start that fails after it has connected to Redis closes its connections", async () => {
  const redis = await redisServer();
  const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-late-"));
  closers.push(() => rmSync(dataDirectory, { recursive: true, force: true }));
  const env = readEnvironment({
    PATCHBAY_DATA_DIR: dataDirectory,
    PATCHBAY_LOG_LEVEL: "silent",
    REDIS_URL: redis.url,
  });
  const connected = async () =>
    String(await redis.command("CLIENT", "LIST"))
      .trim()
      .split("\n").length;
  const container = await createContainer(env);
  await expect.poll(connected).toBeGreaterThan(1);
  await container.close();
  const database = new Database(path.join(dataDirectory, "patchbay.db"));
  database.exec("drop table alerts");
  database.close();
  await expect(createContainer(env)).rejects.toThrow("no such table: alerts");
  // Only the connection of this command is left.
  await expect.poll(connected).toBe(1);
});

test("a subscription made while the connection is lost begins when it is restored", async () => {
  const redis = await redisServer();
  const { link } = await instance({ url: redis.url });
  await expect.poll(() => link.exchange("test:", ["PING"])).toBe("PONG");
  await redis.stop();
  await until(() => !link.isUp);
  const received: string[] = [];
  link.subscribe("events", (message) => received.push(message));
  await redis.start();
  const publish = async () => {
    await redis.command("PUBLISH", "test:events", "hello");
    return received;
  };
  await expect.poll(publish).toContain("hello");
});

test("a subscription made while connected begins at once", async () => {
  const redis = await redisServer();
  const { link } = await instance({ url: redis.url });
  await expect.poll(() => link.exchange("test:", ["PING"])).toBe("PONG");
  const received: string[] = [];
  link.subscribe("events", (message) => received.push(message));
  const publish = async () => {
    await redis.command("PUBLISH", "test:events", "hello");
    return received;
  };
  await expect.poll(publish).toContain("hello");
});
