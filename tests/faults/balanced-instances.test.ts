import { randomInt } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type BalancedInstances, CACHED_MODEL, ROUTED_MODEL, startBalanced } from "../support/balanced";
import { sendOver } from "../support/routed-product";
import { type Failed, type LoadResult, loadBySdks } from "../support/sdk-load";

/** Three instances on one PostgreSQL and one Redis behind nginx, under load from the official SDKs. */

const COUNT = 3;
const PER_SECOND = 200;
/** The default of PATCHBAY_DRAIN_SECONDS. */
const DRAIN_MS = 25_000;
/** Starting an instance takes half a minute on a machine without CPU to spare. */
const LONG_MS = 240_000;
/** Duration of the test with random failures; the soak run sets an hour. */
const KILLS_MS = Number(process.env.PATCHBAY_TEST_RANDOM_KILLS_SECONDS ?? 12) * 1_000;

let all: BalancedInstances;
beforeAll(async () => {
  all = await startBalanced({ count: COUNT });
}, 120_000);
// Restarts the parts that a failed test left stopped.
beforeEach(() => all.restore());
afterAll(() => all?.close());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const load = () => loadBySdks(all.url, all.key, PER_SECOND);

/** One call on a new connection, to nginx or directly to an instance. */
const embed = (url = all.url, key = all.key) =>
  sendOver(url, "/v1/embeddings", { model: "patchbay-embed", input: "a text" }, key);

function print(what: string, { received, failed, rate }: LoadResult): void {
  console.log(
    `${what}: ${received.length} replies at ${Math.round(rate)} calls/s, ${failed.length} failed for the SDKs`,
  );
}

test(
  "a killed instance loses no call of an SDK, and the ledger has every call once",
  async () => {
    const calls = load();
    await pause(4_000);
    await all.instances[0]?.kill();
    await pause(4_000);
    await all.start(0);
    await pause(4_000);
    const result = await calls.stop();
    print("killed", result);
    expect(result.failed).toEqual([]);
    await all.expectCompleteLedger(result.received);
  },
  LONG_MS,
);

test(
  "instances that are replaced one by one fail no call of an SDK",
  async () => {
    const before = all.nginx.answered().length;
    const stops: number[] = [];
    const calls = load();
    await pause(1_000);
    for (const [index, instance] of all.instances.entries()) {
      expect(await instance.close()).toBe(0);
      stops.push(Number(/"ms":(\d+),"msg":"stopped"/.exec(instance.output())?.[1]));
      await all.start(index);
      await pause(500);
    }
    const result = await calls.stop();
    print("replaced", result);
    expect(result.failed).toEqual([]);
    const lost = all.nginx
      .answered()
      .slice(before)
      .filter(({ status }) => status === 502 || status === 504);
    // nginx does not repeat a POST that it has sent; when the port closes, the kernel resets connections that were not
    // accepted yet.
    console.log(`drained in ${stops.join(", ")} ms; ${lost.length} requests repeated by the SDKs`);
    expect(lost.length).toBeLessThan(result.received.length / 100);
    expect(Math.max(...stops)).toBeLessThan(DRAIN_MS);
    await all.expectCompleteLedger(result.received);
  },
  LONG_MS,
);

test(
  "calls are refused within a second while PostgreSQL restarts, and none is lost",
  async () => {
    const calls = load();
    await pause(3_000);
    await all.postgres.stop("immediate");
    const refused = await Promise.all(all.instances.map(({ url }) => embed(url)));
    await pause(1_500);
    await all.postgres.start();
    const back = performance.now();
    await Promise.all(
      all.instances.map(async ({ url }) => {
        while ((await embed(url)).status !== 200) await pause(20);
      }),
    );
    const recoveredMs = performance.now() - back;
    await pause(3_000);
    const result = await calls.stop();
    print("PostgreSQL", result);
    const refusedMs = Math.max(...refused.map(({ tookMs }) => tookMs));
    console.log(
      `refused after ${Math.round(refusedMs)} ms at most, well ${Math.round(recoveredMs)} ms after the start`,
    );
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 503));
    expect(refusedMs).toBeLessThan(1_000);
    expect(recoveredMs).toBeLessThan(2_000);
    expect(result.failed.filter(({ status }) => status !== 503)).toEqual([]);
    await all.expectCompleteLedger(result.received);
  },
  LONG_MS,
);

test(
  "no call fails while Redis stops and returns",
  async () => {
    const calls = load();
    await pause(2_000);
    await all.redis.stop();
    await pause(3_000);
    await all.redis.start();
    await pause(3_000);
    const result = await calls.stop();
    print("Redis", result);
    expect(result.failed).toEqual([]);
    await all.expectCompleteLedger(result.received);
  },
  LONG_MS,
);

test("a text that one instance embedded is a cache hit on the others", async () => {
  const [first = "", ...others] = all.instances.map(({ url }) => url);
  let texts = 0;
  const send = (url: string, input: string) =>
    sendOver(url, "/v1/embeddings", { model: CACHED_MODEL, input }, all.key);
  for (const other of others) {
    // The vector is stored only after the reply, and not at all while Redis is reconnecting.
    const embedOnBoth = async () => {
      const text = `shared text ${++texts}`;
      const made = await send(first, text);
      await pause(100);
      const found = await send(other, text);
      expect(found.json.data).toEqual(made.json.data);
      return found.headers["x-patchbay-cache"];
    };
    await expect.poll(embedOnBoth, { timeout: 10_000 }).toBe("hit");
    const metrics = await (await fetch(`${other}/metrics`)).text();
    expect(metrics).toMatch(/^patchbay_shared_cache_hits_total [1-9]/m);
  }
}, 30_000);

test("a revoked key is refused by all instances within a second", async () => {
  const key = await all.newKey({ name: "revoked" });
  const urls = all.instances.map(({ url }) => url);
  await Promise.all(
    urls.map(async (url) => {
      while ((await embed(url, key)).status !== 200) await pause(20);
    }),
  );
  const { items } = await all.console("/api/keys?limit=100");
  const { id } = items.find((one: { name: string }) => one.name === "revoked");
  await all.console(`/api/keys/${id}`, undefined, "DELETE");
  const since = performance.now();
  await Promise.all(
    urls.map(async (url) => {
      while ((await embed(url, key)).status !== 401) await pause(5);
    }),
  );
  const tookMs = performance.now() - since;
  console.log(`refused by all ${Math.round(tookMs)} ms after the revocation`);
  expect(tookMs).toBeLessThan(1_000);
}, 30_000);

test("a budget for a hundred requests admits exactly a hundred of three hundred concurrent calls", async () => {
  // Ten characters cost 10,000 nano-dollars.
  const key = await all.newKey({ name: "for a hundred", budget: { total_usd: "0.001000000" } });
  const body = { model: ROUTED_MODEL, input: "ten chars!" };
  const replies = await Promise.all(
    Array.from({ length: 300 }, () => sendOver(all.url, "/v1/embeddings", body, key)),
  );
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({ 200: 100, 429: 200 });
}, 30_000);

/** Failures of single parts; each ends with the part restored. */
const FAILURES: Record<string, () => Promise<void>> = {
  async "kill an instance"() {
    const index = randomInt(COUNT);
    await all.instances[index]?.kill();
    await pause(randomInt(1_000));
    await all.start(index);
  },
  async "replace an instance"() {
    const index = randomInt(COUNT);
    await all.instances[index]?.close();
    await all.start(index);
  },
  async "stop Redis"() {
    await all.redis.stop();
    await pause(randomInt(2_000));
    await all.redis.start();
  },
  async "crash PostgreSQL"() {
    await all.postgres.stop("immediate");
    await pause(randomInt(1_000));
    await all.postgres.start();
  },
  async "restart nginx"() {
    await all.nginx.stop();
    await all.nginx.start();
  },
};

test(
  `random parts fail for ${KILLS_MS / 1_000} s: calls fail only while PostgreSQL or nginx is down, and none is lost`,
  async () => {
    const calls = load();
    const names = Object.keys(FAILURES);
    const done: string[] = [];
    const endAt = performance.now() + KILLS_MS;
    while (performance.now() < endAt) {
      const name = names[randomInt(names.length)] ?? "";
      done.push(name);
      await FAILURES[name]?.();
      all.forgetUpstreamCalls();
      await pause(randomInt(2_000));
    }
    await pause(1_000);
    const result = await calls.stop();
    const counts = names.map((name) => `${name} ${done.filter((one) => one === name).length} times`);
    print(counts.join(", "), result);
    // Not every SDK repeats a call that could not reach the load balancer.
    const isExpected = ({ status }: Failed) =>
      status === 503 || (status === null && done.includes("restart nginx"));
    expect(result.failed.filter((failure) => !isExpected(failure))).toEqual([]);
    await all.expectCompleteLedger(result.received);
  },
  KILLS_MS + LONG_MS,
);
