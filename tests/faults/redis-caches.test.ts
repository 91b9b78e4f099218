import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { decodeSpeech, encodeSpeech } from "@/lib/gateway/speech/speech-cache";
import type { EmbeddingModel } from "@/lib/ports/embedding-model";
import { MAX_SHARED_VALUE_BYTES, type SharedCache } from "@/lib/ports/shared-state";
import { RedisCache } from "@/lib/shared-state/redis/cache";
import { MAX_COUNTED } from "@/lib/shared-state/redis/owner-values";
import { createCipher } from "@/lib/store/cipher";
import { lexicalChannel, speechModel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";
import { startRedis, type TestRedis } from "../support/redis";
import { until } from "../support/routed-product";
import { openRedisInstance, type RedisInstance } from "../support/shared-limits";
import { openSpeechHarness, readBody, ScriptedSpeech, spoken } from "../support/speech-harness";
import { openTcpGate } from "../support/tcp-gate";

/** The second level of the vector and speech caches: instances that share a Redis. */

const SECRET = "a secret of the tests, long enough";
const OTHER_SECRET = "another secret of the tests, long enough";
const DIGEST_KEY = "a digest key of the tests, long enough";
const MB = 1024 * 1024;
const HOUR_MS = 3_600_000;
/** The longest wait of `ANSWER_MS` on a machine that other tests keep busy. */
const BRIEF_MS = 400;

const closers: (() => unknown)[] = [];
let redis: TestRedis;
let instance: RedisInstance;
beforeAll(async () => {
  redis = await startRedis();
  instance = await openRedisInstance({ url: redis.url });
  await until(async () => instance.link.isUp);
});
afterAll(async () => {
  instance.close();
  await redis.close();
});
beforeEach(() => redis.command("FLUSHALL"));
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function openCache({ maxScopeBytes = 64 * MB, secret = SECRET, link = instance.link } = {}): SharedCache {
  const cipher = createCipher({ current: secret, previous: [], digestKey: DIGEST_KEY });
  return new RedisCache({ link, cipher, maxScopeBytes });
}

async function commandList(...args: string[]): Promise<string[]> {
  const answer = await redis.command(...args);
  return Array.isArray(answer) ? answer.map(String) : [];
}

/** Keys of values, without indexes. */
const valueKeys = async () =>
  (await commandList("KEYS", "test:*:cache:*")).filter((key) => !key.endsWith(":bytes"));

/** Stores one value and waits until Redis has it. */
async function keep(
  cache: SharedCache,
  scope: string,
  key: string,
  value: Uint8Array,
  generation = 0,
): Promise<void> {
  cache.store(scope, [{ key, value }], generation);
  await until(async () => (await cache.find(scope, [key]))?.[0] !== undefined);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const bytes = (...values: number[]) => Uint8Array.from(values);
const random = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 2_654_435_761) >>> 24);

/** An instance whose engine records the texts that it embeds. */
function openNode(cache: SharedCache | null, onEmbed = () => {}) {
  const embedded: string[][] = [];
  const engine: EmbeddingModel = {
    async embed({ texts }) {
      embedded.push(texts);
      onEmbed();
      const vectorOf = (text: string) =>
        Float32Array.from({ length: 1_024 }, (_, at) => (at + text.length) / 7);
      return { vectors: texts.map(vectorOf), inputTokens: null };
    },
  };
  const node = openGatewayHarness({ channels: [lexicalChannel()], engine: () => engine });
  const counted: string[] = [];
  node.services.metrics.count = (name) => void counted.push(name);
  node.services.state.sharedCache = cache;
  const embed = (input: string | string[], headers = {}) =>
    node.call("/v1/embeddings", {
      headers,
      body: { model: "patchbay-embed", input, encoding_format: "base64" },
    });
  return { node, embedded, counted, embed };
}

test("a text that one instance embedded is a cache hit on another, free and with the same vector", async () => {
  const [one, other] = [openNode(openCache()), openNode(openCache())];
  const first = await one.embed("seven green kettles");
  expect(first.headers["x-patchbay-cache"]).toBe("miss");
  await until(async () => (await valueKeys()).length === 1);
  const second = await other.embed("seven green kettles");
  expect(second.headers["x-patchbay-cache"]).toBe("hit");
  expect(second.text).toBe(first.text);
  expect(other.embedded).toEqual([]);
  expect(other.node.rows).toMatchObject([{ status: 200, cached: true, costNano: 0, attempts: 0 }]);
  expect(other.counted.filter((name) => name.includes("cache"))).toEqual(["shared_cache_hits", "cache_hits"]);
  other.counted.splice(0);
  await other.embed("seven green kettles");
  // From the instance's own cache.
  expect(other.counted.filter((name) => name.includes("cache"))).toEqual(["cache_hits"]);
});

test("does not find a value stored just before the caches were cleared", async () => {
  const cache = openCache();
  cache.store("usr_1", [{ key: "old", value: bytes(1) }], 0);
  cache.setGeneration(1);
  await keep(cache, "usr_1", "new", bytes(2), 1);
  const [old, added] = (await cache.find("usr_1", ["old", "new"])) ?? [];
  expect(old).toBeUndefined();
  expect(added).toEqual(Buffer.from([2]));
});

test("only the texts that no instance embedded are sent to the channel", async () => {
  const [one, other] = [openNode(openCache()), openNode(openCache())];
  await one.embed(["a", "bb"]);
  await until(async () => (await valueKeys()).length === 2);
  const reply = await other.embed(["ccc", "a", "bb"]);
  expect(other.embedded).toEqual([["ccc"]]);
  expect(reply.headers["x-patchbay-cache"]).toBe("miss");
  const alone = await openNode(null).embed(["ccc", "a", "bb"]);
  expect(reply.json.data).toEqual(alone.json.data);
  expect(other.counted.filter((name) => name.includes("cache"))).toEqual([
    "shared_cache_misses",
    "cache_misses",
  ]);
});

test("no-store, and a cache that the settings turn off, neither read nor write the shared cache", async () => {
  const [one, other] = [openNode(openCache()), openNode(openCache())];
  await one.embed("private", { "cache-control": "no-store" });
  one.node.services.state.vectorCache.resize(0);
  await one.embed("private");
  await other.embed("marker");
  await until(async () => (await valueKeys()).length > 0);
  expect(await valueKeys()).toHaveLength(1);
  expect(other.counted.filter((name) => name.includes("shared"))).toEqual(["shared_cache_misses"]);
  expect(one.counted.filter((name) => name.includes("shared"))).toEqual([]);
});

test("speech of one instance is a cache hit on another, with the same audio and for its owner only", async () => {
  const open = () => {
    const speech = new ScriptedSpeech(() => spoken(3));
    const channel = lexicalChannel({ id: "chn_1", provider: "embedded-speech", embedded: true });
    const harness = openSpeechHarness([{ channel, speech }], { model: { cacheable: true } });
    harness.ctx.services.state.sharedCache = openCache();
    const speak = async () => {
      const body = {
        model: speechModel().name,
        input: "Good morning.",
        voice: "alloy",
        response_format: "pcm",
      };
      const reply = await harness.post("/v1/audio/speech", body);
      return { reply, bytes: (await readBody(reply)).bytes };
    };
    return { ...harness, speech, speak };
  };
  const [one, other] = [open(), open()];
  const first = await one.speak();
  expect(first.reply.headers["x-patchbay-cache"]).toBe("miss");
  await until(async () => (await valueKeys()).length === 1);
  const second = await other.speak();
  expect(second.reply.headers["x-patchbay-cache"]).toBe("hit");
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expect(other.speech.requests).toHaveLength(0);
  expect(other.rows).toMatchObject([{ status: 200, cached: true, costNano: 0 }]);
  other.ctx.caller.owner.id = "usr_2";
  expect((await other.speak()).reply.headers["x-patchbay-cache"]).toBe("miss");
});

test("speech from the shared cache begins at a whole sample for any length stored before it", () => {
  for (const inputTokens of [1, 10, 100]) {
    const usage = { inputTokens, outputTokens: null };
    const stored = encodeSpeech({
      chunks: [Buffer.from([1, 2, 3, 4])],
      usage,
      finishReason: "stop",
      isEmbedded: false,
      ignored: [],
    });
    if (stored === null) throw new Error("A short speech fits.");
    const [chunk = new Uint8Array(1)] = decodeSpeech(stored).chunks;
    expect(chunk.byteOffset % 2, String(inputTokens)).toBe(0);
    expect(Buffer.from(chunk)).toEqual(Buffer.from([1, 2, 3, 4]));
  }
});

test("a value of another owner, secret or generation, or an altered or moved value, is not found", async () => {
  const cache = openCache();
  await keep(cache, "usr_1", "text", bytes(1, 2, 3));
  expect(await openCache().find("usr_1", ["text", "other"])).toEqual([Buffer.from([1, 2, 3]), undefined]);
  expect(await openCache().find("usr_2", ["text"])).toEqual([undefined]);
  expect(await openCache({ secret: OTHER_SECRET }).find("usr_1", ["text"])).toEqual([undefined]);
  const cleared = openCache();
  cleared.setGeneration(1);
  expect(await cleared.find("usr_1", ["text"])).toEqual([undefined]);

  const [key = ""] = await valueKeys();
  await keep(cache, "usr_1", "moved", bytes(9));
  const moved = (await valueKeys()).find((one) => one !== key) ?? "";
  await redis.command("COPY", key, moved, "REPLACE");
  expect(await cache.find("usr_1", ["moved", "text"])).toEqual([undefined, Buffer.from([1, 2, 3])]);
  for (const at of [0, 5, 17, 30]) {
    const before = await redis.command("GETRANGE", key, String(at), String(at));
    await redis.command("SETRANGE", key, String(at), before === "x" ? "y" : "x");
    expect(await cache.find("usr_1", ["text"])).toEqual([undefined]);
  }
  await redis.command("SET", key, "");
  expect(await cache.find("usr_1", ["text"])).toEqual([undefined]);
});

test("Redis stores neither texts nor owners, and expires every key within a day", async () => {
  const { node, embed } = openNode(openCache());
  const clear = await embed("seven green kettles");
  await until(async () => (await valueKeys()).length === 1);
  const keys = await commandList("KEYS", "*");
  const stored: string[] = [];
  for (const key of keys) {
    const ttlMs = Number(await redis.command("PTTL", key));
    if (!key.includes(":cache")) continue;
    expect(ttlMs).toBeGreaterThan(23 * HOUR_MS);
    expect(ttlMs).toBeLessThanOrEqual(24 * HOUR_MS);
    stored.push(key);
  }
  expect(stored).toHaveLength(3);
  const [name = ""] = await valueKeys();
  const value = await instance.link.lookUp(name, ["MGET", name]);
  if (!Buffer.isBuffer(value?.[0])) throw new Error("The value cannot be read.");
  const vector = Buffer.from(clear.json.data[0].embedding, "base64");
  expect(value[0].length).toBeGreaterThanOrEqual(vector.length);
  expect(value[0].includes(vector.subarray(0, 8))).toBe(false);
  expect(`${stored.join()}${value[0].toString("latin1")}`).not.toMatch(/kettles|usr_|patchbay-embed/);
  expect(node.rows).toHaveLength(1);
});

test("a scope's oldest values are evicted above its limit, and no value above a megabyte is stored", async () => {
  const cache = openCache({ maxScopeBytes: 10_000 });
  for (const key of ["a", "b", "c", "d"]) await keep(cache, "usr_1", key, random(3_000));
  await keep(cache, "usr_2", "a", random(3_000));
  const found = await cache.find("usr_1", ["a", "b", "c", "d"]);
  expect(found?.map((value) => value?.length)).toEqual([undefined, 3_000, 3_000, 3_000]);
  const large = openCache();
  large.store("usr_3", [{ key: "large", value: random(MAX_SHARED_VALUE_BYTES + 1) }], 0);
  await keep(large, "usr_3", "largest", random(MAX_SHARED_VALUE_BYTES));
  expect(await large.find("usr_3", ["large"])).toEqual([undefined]);
  const keys = Array.from({ length: 65 }, (_, at) => `key ${at}`);
  large.store(
    "usr_4",
    keys.map((key) => ({ key, value: bytes(1) })),
    0,
  );
  await keep(large, "usr_4", "marker", bytes(1));
  expect((await large.find("usr_4", keys.slice(0, 64)))?.filter((value) => value !== undefined)).toEqual([]);
});

test.each(["index", "sum"])(
  "an owner's limit holds after Redis evicted the %s of its values",
  async (lost) => {
    const cache = openCache({ maxScopeBytes: 10_000 });
    for (const key of ["a", "b", "c"]) await keep(cache, "usr_1", key, random(3_000));
    const [total = ""] = await commandList("KEYS", "test:*:bytes");
    const index = total.replace(/:bytes$/, "");
    const lostValues = lost === "index" ? await valueKeys() : [];
    await redis.command("DEL", lost === "index" ? index : total);
    for (const key of ["d", "e", "f", "g"]) await keep(cache, "usr_1", key, random(3_000));
    const listed = (await valueKeys()).filter((key) => key !== index && !lostValues.includes(key));
    const stored = await Promise.all(listed.map((key) => redis.command("STRLEN", key)));
    expect(sum(stored.map(Number))).toBeLessThanOrEqual(10_000);
    const sizes = (await commandList("ZRANGE", index, "0", "-1")).map((entry) => Number.parseInt(entry, 10));
    expect(sizes).toHaveLength(3);
    expect(Number(await redis.command("GET", total))).toBe(sum(sizes));
    expect((await cache.find("usr_1", ["d", "e"]))?.map((value) => value?.length)).toEqual([
      undefined,
      3_000,
    ]);
  },
);

test("an index too long to be counted again is forgotten, and its values expire", async () => {
  const cache = openCache({ maxScopeBytes: 10_000 });
  await keep(cache, "usr_1", "a", random(3_000));
  const [total = ""] = await commandList("KEYS", "test:*:bytes");
  const index = total.replace(/:bytes$/, "");
  const entries = Array.from({ length: MAX_COUNTED }, (_, at) => [String(at + 1), `1:${at}`]).flat();
  await redis.command("ZADD", index, ...entries);
  await redis.command("DEL", total);
  await keep(cache, "usr_1", "b", random(3_000));
  const sizes = (await commandList("ZRANGE", index, "0", "-1")).map((entry) => Number.parseInt(entry, 10));
  expect(sizes).toHaveLength(1);
  expect(Number(await redis.command("GET", total))).toBe(sum(sizes));
});

test("a value read or computed before the caches were cleared is neither found nor stored", async () => {
  const cache = openCache();
  await keep(cache, "usr_1", "text", bytes(1));
  const found = cache.find("usr_1", ["text"]);
  cache.setGeneration(1);
  expect(await found).toBeNull();
  cache.store("usr_1", [{ key: "late", value: bytes(2) }], 0);
  await keep(cache, "usr_1", "marker", bytes(3), 1);
  expect(await cache.find("usr_1", ["late", "marker"])).toEqual([undefined, Buffer.from([3])]);
});

test("the result of a call during which the caches were cleared is not stored", async () => {
  const cache = openCache();
  let clearings = 0;
  const clear = () => {
    clearings += 1;
    cache.setGeneration(clearings);
  };
  const { embed } = openNode(cache, clear);
  await embed("seven green kettles");
  const speech = new ScriptedSpeech(() => {
    clear();
    return spoken(3);
  });
  const channel = lexicalChannel({ id: "chn_1", provider: "embedded-speech", embedded: true });
  const harness = openSpeechHarness([{ channel, speech }], { model: { cacheable: true } });
  harness.ctx.services.state.sharedCache = cache;
  const body = { model: speechModel().name, input: "Good morning.", voice: "alloy", response_format: "pcm" };
  await readBody(await harness.post("/v1/audio/speech", body));
  await keep(cache, "usr_1", "marker", bytes(1), clearings);
  expect(await valueKeys()).toHaveLength(1);
});

test("values that wait for Redis are bounded, and further values are not stored", async () => {
  const cache = openCache();
  const keys = Array.from({ length: 9 }, (_, at) => `key ${at}`);
  for (const key of keys) cache.store("usr_1", [{ key, value: random(MAX_SHARED_VALUE_BYTES) }], 0);
  const found = async (key: string) => (await cache.find("usr_1", [key]))?.[0] !== undefined;
  for (const key of keys.slice(0, 8)) await until(() => found(key));
  await keep(cache, "usr_1", "marker", bytes(1));
  expect(await found("key 8")).toBe(false);
});

test("a call that already waited in vain for its rate limit in Redis does not wait for the shared cache", async () => {
  const { gate, slow } = await openStallingInstance();
  const cache = openCache({ link: slow.link });
  gate.block();
  const took: number[] = [];
  for (let call = 0; call < 4; call++) {
    await slow.limits.take("usr_1", [{ bucket: "rpm:key_1", limit: 9, cost: 1 }], 60_000);
    const began = performance.now();
    await cache.find("usr_1", ["a key"]);
    took.push(performance.now() - began);
  }
  expect(sum(took)).toBeLessThan(2 * ANSWER_MS);
});

/** Longer than the product's 4 ms, which a busy machine can exceed for seconds. */
const ANSWER_MS = 100;

/** An instance whose connection to Redis can be blocked. */
async function openStallingInstance() {
  const gate = await openTcpGate(redis.port);
  closers.push(() => gate.close());
  const slow = await openRedisInstance({ url: `redis://127.0.0.1:${gate.port}`, answerMs: ANSWER_MS });
  closers.push(() => slow.close());
  // Also waits for the connection that carries large values.
  await until(async () => slow.link.isUp && (await slow.link.exchange("test:", ["PING"])) === "PONG");
  return { gate, slow };
}

test("a large value counts as waiting until Redis has it, even after a long time", async () => {
  const { gate, slow } = await openStallingInstance();
  gate.block();
  const delivery = slow.link.deliver("test:a key", ["SET", "test:a key", "a value"]).then(() => "over");
  const waited = new Promise((resolve) => setTimeout(() => resolve("waiting"), 1_500));
  expect(await Promise.race([delivery, waited])).toBe("waiting");
  gate.reopen();
  expect(await delivery).toBe("over");
});

test("a stalled Redis delays calls briefly, until look-ups stop, and fails none", async () => {
  const { gate, slow } = await openStallingInstance();
  const cache = openCache({ link: slow.link });
  const { embed } = openNode(cache);
  await embed("before");
  gate.block();
  const took: number[] = [];
  for (let call = 0; call < 10; call++) {
    const began = performance.now();
    const reply = await cache.find("usr_1", ["a key"]);
    took.push(performance.now() - began);
    expect(reply).toBeNull();
  }
  expect(Math.max(...took)).toBeLessThan(BRIEF_MS);
  // After five look-ups without an answer there is no further one, whether or not the breaker has opened meanwhile.
  expect(sum(took.slice(5))).toBeLessThan(2 * ANSWER_MS);
  expect((await embed("during")).status).toBe(200);
  gate.reopen();
  const other = openNode(openCache());
  await other.embed("after");
  const again = openNode(cache);
  await until(async () => {
    again.node.services.state.vectorCache.clear();
    return (await again.embed("after")).headers["x-patchbay-cache"] === "hit";
  });
});
