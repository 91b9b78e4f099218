import { afterEach, expect, test, vi } from "vitest";
import { setUp, startProduct } from "../support/product";
import { startRedis, type TestRedis } from "../support/redis";
import { openRedisInstance } from "../support/shared-limits";

/** What an operator sees of an outage of Redis, and when the slots of a crashed instance are free. */

/** Alert conditions are checked every 15 s, and open an alert once they have held for 5 s. */
const ALERT_MS = 60_000;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function redisServer(): Promise<TestRedis> {
  const redis = await startRedis();
  closers.push(() => redis.close());
  return redis;
}

test("an outage of Redis opens an alert and shows in /metrics until it ends", {
  timeout: 120_000,
}, async () => {
  const redis = await redisServer();
  const product = await startProduct({ nodeAdapterOnly: true, env: { REDIS_URL: redis.url } });
  closers.push(() => product.close());
  const cookie = await setUp(product.url);
  const openAlerts = async () => {
    const reply = await fetch(`${product.url}/api/alerts?state=opened`, { headers: { cookie } });
    // The console's envelope.
    const { data } = (await reply.json()) as { data: { items: { kind: string; message: string }[] } };
    return data.items;
  };
  const isUp = async () =>
    /^patchbay_redis_up(?:\{.*\})? (\d)$/m.exec(await (await fetch(`${product.url}/metrics`)).text())?.[1];
  await expect.poll(isUp, { timeout: 10_000 }).toBe("1");
  expect(await openAlerts()).toEqual([]);

  const stoppedAt = performance.now();
  await redis.stop();
  await expect.poll(isUp, { timeout: 10_000 }).toBe("0");
  await vi.waitUntil(async () => (await openAlerts()).length > 0, { timeout: ALERT_MS, interval: 250 });
  expect(performance.now() - stoppedAt).toBeGreaterThan(5_000);
  expect(await openAlerts()).toMatchObject([
    { kind: "redis", message: expect.stringMatching(/^Redis does not answer/) },
  ]);
  expect(await isUp()).toBe("0");
  expect(product.output()).toContain("redis_unavailable");

  await redis.start();
  await expect.poll(isUp, { timeout: 20_000 }).toBe("1");
});

test("a concurrency slot in Redis expires within 20 s, which frees the slots of a crashed instance", async () => {
  const redis = await redisServer();
  const one = await openRedisInstance({ url: redis.url });
  closers.push(() => one.close());
  await expect.poll(() => one.link.isUp).toBe(true);
  const slots = [{ bucket: "key_1", limit: 1 }];
  expect((await one.limits.enter({ owner: "usr_1", slots, rates: [], windowMs: 60_000 })).kind).toBe(
    "entered",
  );
  const [key = "", ...others] = (await redis.command("KEYS", "*slots*")) as string[];
  expect(others).toEqual([]);
  const [member = ""] = (await redis.command("ZRANGE", key, "0", "-1")) as string[];
  const expiresAt = await redis.command("ZSCORE", key, member);
  const [seconds, micros] = ((await redis.command("TIME")) as string[]).map(Number);
  const leftMs = Number(expiresAt) - ((seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000);
  // The default lease is 20 s, of which little has passed; a busy machine takes more.
  expect(leftMs).toBeLessThanOrEqual(20_000);
  expect(leftMs).toBeGreaterThan(10_000);
  const setMs = Number(await redis.command("PTTL", key));
  // A negative PTTL would mean that the key never expires.
  expect(setMs).toBeGreaterThan(0);
  expect(setMs).toBeLessThanOrEqual(20_000);
});
