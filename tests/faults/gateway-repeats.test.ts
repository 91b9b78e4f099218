import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectFailure, type RoutedProduct, spoken, startRouted, until } from "../support/routed-product";
import { tokensOf, vectorOf } from "../support/upstream/sounds";

/** Idempotency-Key, caches and batching through a real process, with an upstream that counts its calls. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted({ env: { PATCHBAY_LIMITS: JSON.stringify({ idleMs: 400 }) } });
});
afterAll(() => routed?.close());

const TEXT = "The quick brown fox jumps over the lazy dog.";
const PRICES = { input_per_million_tokens: "1", output_per_million_seconds: "100" };
const paidCalls = () => routed.upstream.ledger.filter((call) => call.method === "POST").length;

/** Every framing of speech: one JSON document, both streams, raw and encoded audio, events. */
const FRAMINGS: readonly [string, (model: string) => [path: string, body: unknown]][] = [
  ["Gemini's JSON", (model) => spoken("gemini", model, TEXT)],
  ["Gemini's events", (model) => streamed(model, ":streamGenerateContent?alt=sse")],
  ["Gemini's JSON array", (model) => streamed(model, ":streamGenerateContent")],
  ["raw samples", (model) => spoken("openai", model, TEXT)],
  ["an MP3 file", (model) => openai(model, { response_format: "mp3" })],
  ["OpenAI's events", (model) => openai(model, { stream_format: "sse" })],
];

function streamed(model: string, method: string): [string, unknown] {
  const [path, body] = spoken("gemini", model, TEXT);
  return [path.replace(":generateContent", method), body];
}

function openai(model: string, fields: object): [string, unknown] {
  const [path, body] = spoken("openai", model, TEXT);
  return [path, { ...(body as object), ...fields }];
}

describe("with an Idempotency-Key", () => {
  const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

  test.each(FRAMINGS)(
    "speech as %s is synthesised once and sent twice with equal bytes",
    async (_name, call) => {
      const { name } = await routed.route("speech", [{ as: "tts" }], { prices: PRICES });
      const key = randomUUID();
      const before = paidCalls();
      const first = await routed.send(...call(name), withKey(key));
      const second = await routed.send(...call(name), withKey(key));
      expect(first.status, first.text.slice(0, 300)).toBe(200);
      expect(second.status).toBe(200);
      expect(second.isWhole).toBe(true);
      expect(second.bytes.equals(first.bytes)).toBe(true);
      expect(second.headers["content-type"]).toBe(first.headers["content-type"]);
      expect(paidCalls() - before).toBe(1);
      const [repeat, made] = await routed.rows(name);
      expect(made).toMatchObject({ cached: false, attempts: 1 });
      expect(Number(made?.cost_usd)).toBeGreaterThan(0);
      expect(repeat).toMatchObject({ cached: true, attempts: 0, cost_usd: "0.000000000", status: 200 });
      expect(repeat?.request_id).not.toBe(made?.request_id);
    },
  );

  test("twenty concurrent requests make one upstream call and twenty usage rows, one of them charged", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8" }], { prices: PRICES });
    const key = randomUUID();
    const before = paidCalls();
    const body = { model: name, input: TEXT };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => routed.send("/v1/embeddings", body, withKey(key))),
    );
    expect(new Set(replies.map((reply) => `${reply.status} ${reply.text}`)).size).toBe(1);
    expect(paidCalls() - before).toBe(1);
    const rows = await routed.rows(name);
    expect(rows).toHaveLength(20);
    expect(rows.filter((row) => !row.cached)).toHaveLength(1);
  });

  test("refuses a different body, in the caller's dialect, and runs the request of another API key", async () => {
    const { name } = await routed.route("speech", [{ as: "tts" }]);
    const key = randomUUID();
    await routed.send(...spoken("gemini", name, "one"), withKey(key));
    const gemini = await routed.send(...spoken("gemini", name, "two"), withKey(key));
    expectFailure("gemini", gemini, 400, "INVALID_ARGUMENT");
    expect(gemini.json.error.message).toContain("Idempotency-Key");
    expectFailure("openai", await routed.send(...spoken("openai", name, "one"), withKey(key)), 400);
    const other = await routed.newKey();
    const theirs = await routed.send(...spoken("gemini", name, "two"), { ...withKey(key), key: other });
    expect(theirs.status).toBe(200);
  });

  test("a call that failed, whose stream broke, or whose caller left runs again", async () => {
    const { name, ids } = await routed.route("speech", [{ as: "tts--status-500" }]);
    const key = randomUUID();
    const repair = (version: number, upstream_name: string) =>
      routed.console(
        `/api/channels/${ids[0]}`,
        { version, models: [{ name, upstream_name }], base_url: `${routed.upstream.origin}/v1` },
        "PATCH",
      );
    expect((await routed.send(...spoken("openai", name, TEXT), withKey(key))).status).toBe(502);
    await repair(1, "tts--cut-at-chunk-3");
    const cut = await routed.send(...spoken("openai", name, TEXT), withKey(key));
    expect([cut.status, cut.isWhole]).toEqual([200, false]);
    await repair(2, "tts--stall-at-chunk-3");
    const leaving = new AbortController();
    const left = routed.send(...spoken("openai", name, TEXT), {
      ...withKey(key),
      signal: leaving.signal,
      onBytes: () => leaving.abort(),
    });
    await left.catch(() => null);
    await until(() => routed.upstream.inFlight() === 0);
    await repair(3, "tts");
    const good = await routed.send(...spoken("openai", name, TEXT), withKey(key));
    expect([good.status, good.isWhole]).toEqual([200, true]);
    expect((await routed.send(...spoken("openai", name, TEXT), withKey(key))).bytes.equals(good.bytes)).toBe(
      true,
    );
    const rows = await routed.rows(name);
    expect(rows.map((row) => [row.status, row.cached])).toEqual([
      [200, true],
      [200, false],
      [499, false],
      [502, false],
      [502, false],
    ]);
  });

  test("a repeat runs its own call when the caller of the first request leaves", async () => {
    const { name } = await routed.route("speech", [{ as: "tts--stall-at-chunk-3" }, { as: "tts" }]);
    const key = randomUUID();
    const leaving = new AbortController();
    let isReceiving = false;
    const first = routed
      .send(...spoken("openai", name, TEXT), {
        ...withKey(key),
        signal: leaving.signal,
        onBytes: () => {
          isReceiving = true;
        },
      })
      .catch(() => null);
    await until(() => isReceiving);
    const second = routed.send(...spoken("openai", name, TEXT), withKey(key));
    leaving.abort();
    await first;
    const reply = await second;
    // The repeat's own call stalls, too: it must fail instead of waiting without end.
    expect([reply.status, reply.isWhole]).toEqual([200, false]);
    expect(await routed.whenRows(name, 2)).toHaveLength(2);
  });
});

describe("from the cache", () => {
  test.each(FRAMINGS)(
    "speech as %s costs nothing, calls no upstream and has the same audio",
    async (_name, call) => {
      const { name } = await routed.route("speech", [{ as: "tts" }], { cacheable: true, prices: PRICES });
      const before = paidCalls();
      const first = await routed.send(...call(name));
      const second = await routed.send(...call(name));
      expect([first, second].map((reply) => reply.headers["x-patchbay-cache"])).toEqual(["miss", "hit"]);
      expect(second.isWhole).toBe(true);
      const audio = (text: string) => text.replace(/"responseId":"[^"]*"/g, "");
      expect(audio(second.bytes.toString("latin1"))).toBe(audio(first.bytes.toString("latin1")));
      expect(paidCalls() - before).toBe(1);
      const fresh = await routed.send(...call(name), { headers: { "cache-control": "no-store" } });
      expect(fresh.headers["x-patchbay-cache"]).toBe("bypass");
      expect(paidCalls() - before).toBe(2);
      const [, hit] = await routed.rows(name);
      expect(hit).toMatchObject({ cached: true, cost_usd: "0.000000000", attempts: 0, audio_ms: 500 });
    },
  );

  test("neither truncated speech nor speech from before a channel change is served", async () => {
    const { name, ids } = await routed.route("speech", [{ as: "tts--cut-at-chunk-3" }], { cacheable: true });
    await routed.send(...spoken("openai", name, TEXT));
    const again = await routed.send(...spoken("openai", name, TEXT));
    expect([again.headers["x-patchbay-cache"], again.isWhole]).toEqual(["miss", false]);
    const change = (version: number) =>
      routed.console(
        `/api/channels/${ids[0]}`,
        { version, models: [{ name, upstream_name: "tts" }] },
        "PATCH",
      );
    await change(1);
    expect((await routed.send(...spoken("openai", name, TEXT))).isWhole).toBe(true);
    expect((await routed.send(...spoken("openai", name, TEXT))).headers["x-patchbay-cache"]).toBe("hit");
    await change(2);
    expect((await routed.send(...spoken("openai", name, TEXT))).headers["x-patchbay-cache"]).toBe("miss");
  });

  test("embeddings are served for all or some texts of a request, and only in the requested size", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.16" }], {
      cacheable: true,
      prices: PRICES,
    });
    const ask = (input: unknown, more: object = {}) =>
      routed.send("/v1/embeddings", { model: name, input, ...more });
    await ask("known");
    const batch = await ask(["new", "known"]);
    expect(routed.upstream.ledger.at(-1)?.body).toMatchObject({ input: ["new"] });
    for (const [i, value] of vectorOf("known", 16).entries())
      expect(batch.json.data[1].embedding[i]).toBeCloseTo(value, 6);
    const before = paidCalls();
    expect((await ask(["known", "new"])).headers["x-patchbay-cache"]).toBe("hit");
    expect(paidCalls()).toBe(before);
    expect((await ask("known", { dimensions: 4 })).json.data[0].embedding).toHaveLength(4);
    expect(paidCalls()).toBe(before + 1);
  });
});

describe("batched", () => {
  test("texts of 64 callers are sent in few calls, and each caller gets its own vector and share of the tokens", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.16" }], {
      batching: true,
      prices: PRICES,
    });
    const before = routed.upstream.ledger.length;
    const texts = Array.from({ length: 64 }, (_, i) => `text ${"word ".repeat(i % 7)}${i}`);
    const replies = await Promise.all(
      texts.map((input) => routed.send("/v1/embeddings", { model: name, input })),
    );
    for (const [at, { status, json }] of replies.entries()) {
      expect(status).toBe(200);
      for (const [i, value] of vectorOf(texts[at] ?? "", 16).entries())
        expect(json.data[0].embedding[i]).toBeCloseTo(value, 6);
    }
    const calls = routed.upstream.ledger.slice(before);
    console.log(`64 texts in ${calls.length} calls`);
    expect(calls.length).toBeLessThan(48);
    // The upstream counts as many tokens as the ledger.
    const billed = calls.reduce((sum, call) => sum + call.tokens, 0);
    expect(billed).toBe(texts.reduce((sum, text) => sum + tokensOf(text), 0));
    const rows = await routed.rows(name);
    expect(rows).toHaveLength(64);
    expect(rows.reduce((sum, row) => sum + row.input_tokens, 0)).toBe(billed);
  });

  test("a failed batch fails over as a whole, and is counted as one failure", async () => {
    const targets = [{ as: "embed.16--status-503" }, { as: "embed.16" }];
    const { name, ids } = await routed.route("embeddings", targets, { batching: true });
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        routed.send("/v1/embeddings", { model: name, input: `text ${i}` }),
      ),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
    expect(replies.every((reply) => reply.headers["x-patchbay-channel"] === `${name}-1`)).toBe(true);
    const { health } = await routed.console(`/api/channels/${ids[0]}`);
    const calls = routed.upstream.ledger.filter((call) => call.model === "embed.16--status-503").length;
    expect(health.state).toBe(calls >= 5 ? "open" : "closed");
  });

  test("texts are counted in the metrics, with hits and misses of the caches", async () => {
    const metrics = await (await fetch(`${routed.product.url}/metrics`)).text();
    const metricOf = (name: string) =>
      Number(new RegExp(`^patchbay_${name}_total (\\d+)`, "m").exec(metrics)?.[1] ?? 0);
    expect(metricOf("cache_hits")).toBeGreaterThan(5);
    expect(metricOf("cache_misses")).toBeGreaterThan(5);
    expect(metricOf("upstream_batches")).toBeGreaterThan(0);
    expect(metricOf("batched_texts")).toBeGreaterThan(metricOf("upstream_batches"));
    expect(metricOf("idempotent_repeats")).toBeGreaterThan(5);
  });
});
