import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { RedisCache } from "@/lib/shared-state/redis/cache";
import { createCipher } from "@/lib/store/cipher";
import { freePort } from "../support/product";
import { startRedis, type TestRedis } from "../support/redis";
import { openRedisInstance, type RedisInstance } from "../support/shared-limits";
import { ROOT } from "../support/sources";
import { openTcpGate } from "../support/tcp-gate";

/** The forms of `REDIS_URL` against real servers: TLS with an ACL user, Sentinel, Cluster. */

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function server(settings: readonly string[]): Promise<TestRedis> {
  const redis = await startRedis(settings);
  closers.push(() => redis.close());
  return redis;
}

async function instance(url: string, readCa?: () => string): Promise<RedisInstance> {
  const one = await openRedisInstance({ url, ...(readCa === undefined ? {} : { readCa }) });
  closers.push(() => one.close());
  return one;
}

/** Expects limits, slots, messages and cached values to work. */
async function expectShared(one: RedisInstance): Promise<void> {
  const giveUpAt = performance.now() + 15_000;
  while (!one.link.isUp) {
    if (performance.now() > giveUpAt) throw new Error(`Redis is down: ${one.link.health.reason}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const rates = [
    { bucket: "rpm:key_1", limit: 2, cost: 1 },
    { bucket: "rpm:usr_1", limit: 5, cost: 1 },
  ];
  const ask = { owner: "usr_1", slots: [{ bucket: "slots:key_1", limit: 5 }], rates, windowMs: 60_000 };
  const kinds = [];
  for (let call = 0; call < 3; call++) kinds.push((await one.limits.enter(ask)).kind);
  expect(kinds).toEqual(["entered", "entered", "limited"]);
  expect(one.counted.get("redis_fallbacks")).toBeUndefined();
  const received = new Promise((resolve) => one.link.subscribe("hello", resolve));
  const timer = setInterval(() => one.link.publish("hello", "there"), 50);
  expect(await received).toBe("there");
  clearInterval(timer);
  const cipher = createCipher({ current: "a secret of the tests, long enough", previous: [] });
  const cache = new RedisCache({ link: one.link, cipher, maxScopeBytes: 1_000_000 });
  const entries = ["a", "b"].map((key) => ({ key, value: Uint8Array.of(0, 128, 255) }));
  cache.store("usr_1", entries, 0);
  const stored = entries.map(({ value }) => Buffer.from(value));
  await expect.poll(() => cache.find("usr_1", ["a", "b"]), { timeout: 10_000 }).toEqual(stored);
}

test("rediss:// connects as an ACL user with a private certificate authority, once the CA file has its certificate", async () => {
  const file = (name: string) => path.join(ROOT, "tests/support/tls", name);
  const acl = "user patchbay on >secret ~test:* &test:* +@all";
  const port = await freePort();
  const redis = await server([
    ...[
      "--tls-port",
      String(port),
      "--tls-cert-file",
      file("first.crt"),
      "--tls-key-file",
      file("first.key"),
    ],
    ...["--tls-ca-cert-file", file("first.crt"), "--tls-auth-clients", "no"],
  ]);
  await redis.command("ACL", "SETUSER", ...acl.split(" ").slice(1));
  const url = `rediss://patchbay:secret@localhost:${port}`;
  const withoutCa = await instance(url);
  expect(withoutCa.link.isUp).toBe(false);
  expect(withoutCa.link.health.reason).toMatch(/certificate/i);
  // The CA file changes later, as a mounted file does.
  let name = "second.crt";
  const one = await instance(url, () => readFileSync(file(name), "utf8"));
  expect(one.link.isUp).toBe(false);
  name = "first.crt";
  await expectShared(one);
  // An authority that was replaced is no longer trusted.
  const two = await instance(url, () => readFileSync(file(name), "utf8"));
  name = "second.crt";
  await redis.command("CLIENT", "KILL", "TYPE", "normal");
  await expect.poll(() => two.link.health.reason, { timeout: 15_000 }).toMatch(/certificate/i);
});

test("redis+sentinel:// finds the primary", async () => {
  const redis = await server([]);
  const sentinel = await startRedis(["--sentinel"]);
  closers.push(() => sentinel.close());
  await sentinel.command("SENTINEL", "MONITOR", "main", "127.0.0.1", String(redis.port), "1");
  await expectShared(await instance(`redis+sentinel://127.0.0.1:${sentinel.port}/main`));
});

test("redis:// connects again when the primary behind its address has become a replica", async () => {
  const first = await server([]);
  const second = await server([]);
  const gate = await openTcpGate(first.port);
  closers.push(() => gate.close());
  const one = await instance(`redis://127.0.0.1:${gate.port}`);
  const received: string[] = [];
  one.link.subscribe("failover", (message) => received.push(message));
  expect(one.link.isUp).toBe(true);
  gate.connectTo(second.port);
  await first.command("REPLICAOF", "127.0.0.1", String(second.port));
  await expect.poll(() => second.command("GET", "test:probe"), { timeout: 15_000 }).toBe("1");
  await expectShared(one);
  // The connection of messages has moved too, with its subscriptions.
  const timer = setInterval(() => void second.command("PUBLISH", "test:failover", "here"), 50);
  await expect.poll(() => received[0], { timeout: 5_000 }).toBe("here");
  clearInterval(timer);
  await first.stop();
  expect(one.link.isUp).toBe(true);
});

/** The IDs of Patchbay's connections to Redis. */
async function connectionIds(redis: TestRedis): Promise<string[]> {
  const list = String(await redis.command("CLIENT", "LIST"));
  return list.split("\n").flatMap((line) => /^id=(\d+) .* name=patchbay /.exec(line)?.[1] ?? []);
}

const SENDERS: [method: string, send: (link: RedisInstance["link"], args: string[]) => Promise<unknown>][] = [
  ["exchange", (link, args) => link.exchange("", args)],
  ["deliver", (link, args) => link.deliver("", args)],
];

test.each(SENDERS)(
  "%s replaces both connections after a reply of READONLY, and after no other error",
  async (_, send) => {
    const redis = await server([]);
    const one = await instance(redis.url);
    const { link } = one;
    const refuse = (reply: string) => send(link, ["EVAL", `return redis.error_reply('${reply}')`, "0"]);
    await expect.poll(() => link.exchange("", ["ECHO", "a"])).toBe("a");
    const before = await connectionIds(redis);
    expect(before).toHaveLength(2);
    expect(await refuse("LOADING Redis is loading")).toBeUndefined();
    expect(await connectionIds(redis)).toEqual(before);
    expect(await refuse("READONLY You cannot write against a read only replica.")).toBeUndefined();
    await expect
      .poll(async () => (await connectionIds(redis)).filter((id) => !before.includes(id)))
      .toHaveLength(2);
    await expect.poll(() => connectionIds(redis)).toHaveLength(2);
    await expectShared(one);
  },
);

test("redis+cluster:// sends each command to the node of its keys", async () => {
  const redis = await server(["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]);
  await redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  await expectShared(await instance(`redis+cluster://127.0.0.1:${redis.port}`));
});
