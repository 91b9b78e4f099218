import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { enterChannel } from "@/lib/gateway/routing/enter-channel";
import { UpstreamProgress } from "@/lib/ports/upstream-progress";
import { eventsOver } from "@/lib/server/process/shared-state";
import { shareEvents } from "@/lib/shared-state/events";
import { RedisCircuits } from "@/lib/shared-state/redis/circuits";
import { RedisReplies } from "@/lib/shared-state/redis/replies";
import { createCipher } from "@/lib/store/cipher";
import { FakeClock, lexicalChannel } from "../support/factories";
import { type GatewayHarness, openGatewayHarness } from "../support/gateway-harness";
import { startRedis, type TestRedis } from "../support/redis";
import { openRedisInstance, type RedisInstance } from "../support/shared-limits";

/** Circuits, stored replies and live events of several instances that share a Redis. */

interface Node extends GatewayHarness {
  redis: RedisInstance;
}

const SECRET = "a secret of the tests, long enough";
const KEY = { headers: { "idempotency-key": "order-17" } };
let redis: TestRedis;
let clock: FakeClock;
const nodes: Node[] = [];
let one: Node;
let other: Node;

async function until(condition: () => boolean, ms = 10_000): Promise<number> {
  const began = performance.now();
  while (!condition()) {
    if (performance.now() - began > ms) throw new Error(`The condition did not hold within ${ms} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now() - began;
}

async function openNode(name: string, engine?: Parameters<typeof openGatewayHarness>[0]): Promise<Node> {
  const instance = await openRedisInstance({ url: redis.url, name, clock });
  await until(() => instance.link.isUp);
  const harness = openGatewayHarness({ ...engine, clock });
  const { circuits, idempotency, live } = harness.services.state;
  harness.services.limiter = { ...instance.local, shared: instance.limits };
  circuits.share(new RedisCircuits(instance.link, clock, name, (key, health) => circuits.apply(key, health)));
  idempotency.share(new RedisReplies(instance.link, createCipher({ current: SECRET, previous: [] }), name));
  shareEvents(eventsOver(instance.link), live, name);
  const node = Object.assign(harness, { redis: instance });
  nodes.push(node);
  return node;
}

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  for (const node of nodes) node.redis.close();
  await redis.close();
});
beforeEach(async () => {
  for (const node of nodes.splice(0)) node.redis.close();
  await redis.command("FLUSHALL");
  clock = new FakeClock();
  [one, other] = [await openNode("one"), await openNode("other")];
  other.key = other.addKey({ id: "key_1" }, one.key);
  // Once a message arrives, both connections for messages are up.
  await until(() => one.redis.link.isUp && other.redis.link.isUp);
  await waitForMessages(one, other);
  await waitForMessages(other, one);
});

/** Waits until events of `from` reach `to`. */
async function waitForMessages(from: Node, to: Node): Promise<void> {
  let received = 0;
  const stop = to.services.state.live.watch((topic) => {
    if (topic === "models") received += 1;
  });
  const timer = setInterval(() => from.services.state.live.publish("models"), 50);
  await until(() => received > 0);
  clearInterval(timer);
  stop();
}

function breakChannel({ services }: Node, id: string): void {
  for (let call = 0; call < 5; call++)
    services.state.circuits
      .enter(id, null, "m")
      .failed(new AppError("upstream_invalid", "It failed."), new UpstreamProgress());
}

const stateOn = ({ services }: Node, id: string) => services.state.circuits.health(id, null, "m").state;
const channel = lexicalChannel({ id: "chn_1", keys: [] });
const enter = ({ services }: Node) => enterChannel(services, channel, "m", true);

test("a circuit that opens on one instance is open on the others within a second", async () => {
  breakChannel(one, "chn_1");
  expect(await until(() => stateOn(other, "chn_1") === "open")).toBeLessThan(1_000);
  expect(other.services.state.circuits.health("chn_1", null, "m")).toMatchObject({ reason: "failures" });
  const late = await openNode("late");
  await until(() => stateOn(late, "chn_1") === "open");
});

test("a circuit that opens during an outage of Redis is open on all instances afterwards, also on a new one", async () => {
  const areUp = (isUp: boolean) => until(() => nodes.every((node) => node.redis.link.isUp === isUp));
  await redis.stop();
  await areUp(false);
  breakChannel(one, "chn_1");
  await redis.start();
  await areUp(true);
  await until(() => stateOn(other, "chn_1") === "open");
  const late = await openNode("late");
  await until(() => stateOn(late, "chn_1") === "open");
});

test("a circuit of an instance is stored again in a Redis that came back empty", async () => {
  breakChannel(one, "chn_1");
  await until(() => stateOn(other, "chn_1") === "open");
  await redis.stop();
  await until(() => nodes.every((node) => !node.redis.link.isUp));
  await redis.start();
  await until(() => one.redis.link.isUp);
  const late = await openNode("late");
  await until(() => stateOn(late, "chn_1") === "open");
});

/** IDs of the connections that receive messages. */
async function subscribers(): Promise<string[]> {
  const clients = String(await redis.command("CLIENT", "LIST", "TYPE", "pubsub"));
  return [...clients.matchAll(/^id=(\d+) /gm)].map(([, id = ""]) => id);
}

/** A third instance and the ID of its message connection, which `CLIENT KILL` closes for at least 50 ms. */
async function openThird(): Promise<{ third: Node; connection: string }> {
  const before = await subscribers();
  const third = await openNode("third");
  await waitForMessages(one, third);
  const [connection, ...others] = (await subscribers()).filter((id) => !before.includes(id));
  if (connection === undefined || others.length > 0)
    throw new Error("The message connection of the third instance is unknown.");
  return { third, connection };
}

test("a circuit that opens while an instance has lost its message connection is open there after it reconnects", async () => {
  const { third, connection } = await openThird();
  await redis.command("CLIENT", "KILL", "ID", connection);
  breakChannel(one, "chn_1");
  expect(await until(() => stateOn(third, "chn_1") === "open")).toBeLessThan(1_000);
});

test("a circuit of an instance whose connection for messages is lost is open on the others within a second", async () => {
  const { third, connection } = await openThird();
  await redis.command("CLIENT", "KILL", "ID", connection);
  breakChannel(third, "chn_1");
  expect(
    await until(() => stateOn(one, "chn_1") === "open" && stateOn(other, "chn_1") === "open"),
  ).toBeLessThan(1_000);
});

test("one probe runs over all instances; its success closes the circuit on all", async () => {
  breakChannel(one, "chn_1");
  await until(() => stateOn(other, "chn_1") === "open");
  clock.advance(31_000);
  const entered = await Promise.all([enter(one), enter(other), enter(one), enter(other)]);
  const probes = entered.filter((entry) => entry !== null);
  expect(probes).toHaveLength(1);
  probes[0]?.permit.succeeded(new UpstreamProgress());
  await until(() => stateOn(one, "chn_1") === "closed" && stateOn(other, "chn_1") === "closed");
  expect(await Promise.all([enter(one), enter(other)])).not.toContain(null);
});

test("another instance can send a probe after one that ended without a result", async () => {
  breakChannel(one, "chn_1");
  await until(() => stateOn(other, "chn_1") === "open");
  clock.advance(31_000);
  const probe = await enter(one);
  expect(await enter(other)).toBeNull();
  probe?.permit.endedWithoutResult();
  // The release and the next claim take different connections.
  let next = null;
  for (let turn = 0; turn < 100 && next === null; turn++) {
    clock.advance(300);
    next = await enter(other);
  }
  expect(next).not.toBeNull();
});

test("events of one instance reach the pages of the others within two seconds, and are not sent back", async () => {
  const received: string[] = [];
  const own: string[] = [];
  other.services.state.live.watch((topic, userId) => void received.push(`${topic} ${userId}`));
  one.services.state.live.watch((topic, userId) => void own.push(`${topic} ${userId}`));
  for (let call = 0; call < 100; call++) one.services.state.live.publish("usage", `usr_${call % 2}`);
  one.services.state.live.publish("circuits");
  expect(await until(() => received.includes("circuits null"))).toBeLessThan(2_000);
  expect(received.filter((event) => event.startsWith("usage"))).toEqual(["usage usr_0", "usage usr_1"]);
  await new Promise((resolve) => setTimeout(resolve, 600));
  // The `models` events come from `waitForMessages` on the other instance.
  expect(own.filter((event) => !event.startsWith("models"))).toHaveLength(101);
});

const embed = (node: Node, input = "a text", key = KEY) =>
  node.call("/v1/embeddings", { ...key, body: { model: "patchbay-embed", input } });

test("a request repeated on another instance with its Idempotency-Key gets the first reply and costs nothing", async () => {
  const first = await embed(one);
  expect(first.status).toBe(200);
  // The reply is stored after it is sent.
  await until(() => one.rows.length === 1);
  const repeat = await embed(other);
  expect(repeat.json).toEqual(first.json);
  expect(other.rows).toMatchObject([{ cached: true, costNano: 0 }]);
  expect(await embed(other, "another text")).toMatchObject({ status: 400 });
});

test("simultaneous requests with one Idempotency-Key on two instances run once", async () => {
  const replies = await Promise.all([embed(one), embed(other), embed(one), embed(other)]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  const rows = [...one.rows, ...other.rows];
  expect(rows.map(({ cached }) => cached).sort()).toEqual([false, true, true, true]);
});

test("a wait for another instance's reply lasts until that request ends, and is null when it ends without one", async () => {
  const cipher = createCipher({ current: SECRET, previous: [] });
  const [running, waiting] = [
    new RedisReplies(one.redis.link, cipher, "one"),
    new RedisReplies(other.redis.link, cipher, "other"),
  ];
  expect(await running.claim("usr_1", "order-19", "digest")).toBe("claimed");
  const ended = waiting.wait("usr_1", "order-19");
  const pause = new Promise((resolve) => setTimeout(resolve, 200, "it waits"));
  expect(await Promise.race([ended, pause])).toBe("it waits");
  running.discard("usr_1", "order-19");
  expect(await ended).toBeNull();
  for (const replies of [running, waiting]) replies.close();
});

test("the claim of a running request is stored again in a Redis that came back empty", async () => {
  const cipher = createCipher({ current: SECRET, previous: [] });
  const [running, waiting] = [
    new RedisReplies(one.redis.link, cipher, "one"),
    new RedisReplies(other.redis.link, cipher, "other"),
  ];
  expect(await running.claim("usr_1", "order-20", "digest")).toBe("claimed");
  await redis.stop();
  await until(() => nodes.every((node) => !node.redis.link.isUp));
  await redis.start();
  await until(() => nodes.every((node) => node.redis.link.isUp));
  await expect.poll(() => waiting.has("usr_1", "order-20"), { timeout: 2_000 }).toBe(true);
  expect(await waiting.claim("usr_1", "order-20", "digest")).toBe("elsewhere");
  running.discard("usr_1", "order-20");
  await expect.poll(() => waiting.has("usr_1", "order-20")).toBe(false);
  for (const replies of [running, waiting]) replies.close();
});

test("a repeat on another instance needs no concurrency slot while the first request holds the key's only one", async () => {
  let finish = (): void => undefined;
  const settling = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = await openNode("slow", { settling: () => settling });
  slow.key = slow.addKey({ id: "key_2", concurrency: 1 });
  other.key = other.addKey({ id: "key_2", concurrency: 1 }, slow.key);
  const first = embed(slow);
  const caller = { key: { id: "key_2" }, owner: { id: "usr_1" } };
  await until(() => slow.services.state.idempotency.has(caller, "order-17"));
  const repeat = embed(other);
  const another = embed(other, "a text", { headers: { "idempotency-key": "order-18" } });
  const waiting = setInterval(() => clock.advance(300), 20);
  expect(await another).toMatchObject({ status: 429 });
  clearInterval(waiting);
  finish();
  const replies = await Promise.all([first, repeat]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(other.rows).toMatchObject([{ cached: true, costNano: 0 }]);
});

test("a stored reply is encrypted in Redis and expires within a day", async () => {
  await embed(one);
  const keys = await redis.command("KEYS", "test:*:reply:*");
  const [key] = Array.isArray(keys) ? keys.map(String) : [];
  if (key === undefined) throw new Error("No reply is stored.");
  let value = "";
  while (!value.startsWith("done|")) value = String(await redis.command("GET", key));
  expect(value).not.toMatch(/embedding|patchbay-embed/);
  const ttlMs = Number(await redis.command("PTTL", key));
  expect(ttlMs).toBeGreaterThan(23 * 3_600_000);
  expect(ttlMs).toBeLessThanOrEqual(24 * 3_600_000);
});

test("an instance answers its own repeats without Redis", async () => {
  await embed(one);
  for (const { redis: instance } of nodes) instance.close();
  const isolated = await Promise.all([embed(one, "b", { headers: { "idempotency-key": "b" } }), embed(one)]);
  expect(isolated.map(({ status }) => status)).toEqual([200, 200]);
});
