import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../support/product";
import {
  expectFailure,
  type RoutedProduct,
  type RouteTarget,
  samplesOf,
  spoken,
  startRouted,
} from "../support/routed-product";
import { startUpstream, type Upstream } from "../support/upstream/server";
import { vectorOf } from "../support/upstream/sounds";

/** Calls through the whole gateway: a real process with real sockets, adapter, ledger, routing and providers. */

let routed: RoutedProduct;
let redirecting: Upstream;
let redirectTarget: Server;
const redirectedRequests: unknown[] = [];

beforeAll(async () => {
  routed = await startRouted({
    env: {
      PATCHBAY_LIMITS: JSON.stringify({
        embeddingsFirstByteMs: 1_000,
        speechFirstByteMs: 1_000,
        idleMs: 400,
      }),
    },
  });
  redirectTarget = createServer((request, reply) => {
    redirectedRequests.push(request.headers);
    reply.end("{}");
  });
  await new Promise<void>((resolve) => redirectTarget.listen(0, "127.0.0.1", resolve));
  const address = redirectTarget.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  redirecting = await startUpstream({ redirectTo: `http://127.0.0.1:${port}/steal` });
});
afterAll(async () => {
  await routed?.close();
  await redirecting?.close();
  redirectTarget?.close();
});

const embed = (model: string, input: unknown = "one text", more: object = {}) =>
  routed.send("/v1/embeddings", { model, input, ...more });
const SIZE = 8;
const GOOD: RouteTarget = { as: `embed.${SIZE}` };

/** Upstream failures, each with the status and error code that the caller gets if there is no other channel. */
const FAILURES: readonly [title: string, as: string, status: number, code: string][] = [
  ["resets before headers", "reset-before-headers", 502, "upstream_error"],
  ["closes before headers", "close-before-headers", 502, "upstream_error"],
  ["does not speak HTTP", "not-http", 502, "upstream_invalid"],
  ["sends too many headers", "many-headers", 502, "upstream_invalid"],
  ["never answers", "black-hole", 504, "upstream_timeout"],
  ["sends headers and then nothing", "stall-at-chunk-0", 504, "upstream_timeout"],
  ["answers HTML with 200", "garbage", 502, "upstream_invalid"],
  ["answers half a JSON document with 200", "garbage-json", 502, "upstream_invalid"],
  ["answers invalid UTF-8", "not-utf8", 502, "upstream_invalid"],
  ["answers an empty 200", "empty", 502, "upstream_invalid"],
  ["answers endlessly", "huge", 502, "upstream_invalid"],
  ["answers a gzip bomb", "bomb", 502, "upstream_invalid"],
  ["answers invalid gzip", "bad-gzip", 502, "upstream_invalid"],
  ["cuts its answer", "cut-at-byte-40", 502, "upstream_truncated"],
  ["cuts its chunked answer", "cut-chunked-at-byte-40", 502, "upstream_truncated"],
  ["answers vectors of another size", "wrong-size-5", 502, "upstream_invalid"],
  ["answers one vector too few", "wrong-count", 502, "upstream_invalid"],
  ["answers a vector with NaN", "nan", 502, "upstream_invalid"],
  ["answers a vector with null", "null-number", 502, "upstream_invalid"],
  ["answers 408", "status-408", 504, "upstream_timeout"],
  ["answers 425", "status-425", 502, "upstream_error"],
  ["answers 500", "status-500", 502, "upstream_error"],
  ["answers 503", "status-503", 502, "upstream_error"],
  ["answers 529", "status-529", 502, "upstream_error"],
  ["answers 400 and then nothing", "stalled-status-400", 502, "upstream_error"],
  ["answers an HTML 502", "html-status-502", 502, "upstream_error"],
  ["refuses the key", "status-401", 502, "upstream_error"],
  ["denies the key's permission", "status-403", 502, "upstream_error"],
  ["is out of credit", "no-money", 502, "upstream_error"],
];

describe("failover of embeddings", () => {
  test.each(FAILURES)("uses a healthy channel when an upstream %s", async (_title, failure) => {
    const { name } = await routed.route("embeddings", [{ as: `embed.${SIZE}--${failure}` }, GOOD], {
      dimensions: SIZE,
    });
    const reply = await embed(name);
    expect(reply.status, reply.text).toBe(200);
    const vector = reply.json.data[0].embedding;
    expect(vector).toHaveLength(SIZE);
    for (const [at, value] of vectorOf("one text", SIZE).entries()) expect(vector[at]).toBeCloseTo(value, 5);
    expect(reply.headers["x-patchbay-channel"]).toBe(`${name}-1`);
    expect(reply.headers["x-patchbay-attempts"]).toBe("2");
    const [row] = await routed.rows(name);
    expect(row).toMatchObject({ status: 200, attempts: 2, error: null });
  });

  test.each(FAILURES)(
    "returns the error in both dialects when the only upstream %s",
    async (_title, failure, status, code) => {
      const { name } = await routed.route("embeddings", [{ as: `embed.${SIZE}--${failure}` }], {
        dimensions: SIZE,
      });
      const openai = await embed(name);
      expectFailure("openai", openai, status, code);
      expect(openai.headers["x-should-retry"]).toBe("false");
      expect(openai.headers["x-patchbay-channel"]).toBe(`${name}-0`);
      expect(Number(openai.headers["x-patchbay-attempts"])).toBeGreaterThanOrEqual(1);
      expect(openai.text).not.toMatch(/127\.0\.0\.1|10\.1\.2\.3|sk-upstream/);
      const gemini = await routed.send(`/v1beta/models/${name}:embedContent`, {
        content: { parts: [{ text: "another text" }] },
      });
      // A refused key or an account out of credit opens the circuit at once, so that no channel is left.
      const isOpen = ["status-401", "no-money"].includes(failure);
      expectFailure("gemini", gemini, isOpen ? 503 : status, isOpen ? "UNAVAILABLE" : undefined);
      const rows = await routed.rows(name);
      expect(rows).toHaveLength(2);
      expect(rows[1]).toMatchObject({ status, error: code, cost_usd: "0.000000000", input_tokens: 0 });
    },
  );
});

test("fails over when the upstream refuses the connection; without another channel it answers 502 without details", async () => {
  const closedPort = { origin: `http://127.0.0.1:${await freePort()}` };
  const { name } = await routed.route("embeddings", [{ at: closedPort, as: "embed.8" }, GOOD]);
  expect((await embed(name)).headers["x-patchbay-channel"]).toBe(`${name}-1`);
  const { name: alone } = await routed.route("embeddings", [{ at: closedPort, as: "embed.8" }]);
  const reply = await embed(alone);
  expectFailure("openai", reply, 502, "upstream_error");
  expect(reply.text).not.toMatch(/ECONN|127\.0\.0\.1|refused/);
});

test.each([301, 302, 307, 308])(
  "does not follow a redirect (%i) to another origin or send it the key",
  async (status) => {
    const target = { at: redirecting, as: `embed.${SIZE}--redirect-${status}` };
    const { name } = await routed.route("embeddings", [target, GOOD]);
    expect((await embed(name)).status).toBe(200);
    const { name: alone } = await routed.route("embeddings", [target]);
    expectFailure("openai", await embed(alone), 502, "upstream_redirect");
    expect(redirectedRequests).toEqual([]);
  },
);

test("converts an upstream's base64 to the requested numbers, and an upstream's numbers to the requested base64", async () => {
  const { name } = await routed.route("embeddings", [{ as: `embed.${SIZE}--swapped` }]);
  const numbers = (await embed(name, "x", { encoding_format: "float" })).json.data[0].embedding;
  const { embedding } = (await embed(name, "x", { encoding_format: "base64" })).json.data[0];
  const bytes = Buffer.from(embedding, "base64");
  expect(bytes.length).toBe(SIZE * 4);
  expect(numbers).toHaveLength(SIZE);
  for (const [at, value] of numbers.entries()) expect(bytes.readFloatLE(at * 4)).toBe(Math.fround(value));
});

const SPEECH_FAILURES: readonly [title: string, failure: string, status: number, code: string][] = [
  ["answers 200 without audio", "no-audio", 502, "upstream_invalid"],
  ["answers an empty 200", "empty", 502, "upstream_invalid"],
  ["answers 400 and then nothing", "stalled-status-400", 502, "upstream_error"],
  ["answers HTML with 200", "garbage", 502, "upstream_invalid"],
  ["resets before headers", "reset-before-headers", 502, "upstream_error"],
  ["never answers", "black-hole", 504, "upstream_timeout"],
  ["sends headers and then nothing", "stall-at-chunk-0", 504, "upstream_timeout"],
  ["is cut before the first sample", "cut-at-chunk-0", 502, "upstream_truncated"],
  ["sends half a sample", "short-audio-1", 502, "upstream_truncated"],
  ["sends a single sample", "short-audio-2", 502, "upstream_invalid"],
  ["answers 500", "status-500", 502, "upstream_error"],
];

describe.each(["openai", "gemini", "elevenlabs"])("failover of speech from %s", (provider) => {
  test.each(SPEECH_FAILURES)(
    "uses another channel when an upstream %s, and returns the error in both dialects without one",
    async (_title, failure, status, code) => {
      const bad = { as: `tts--${failure}`, provider };
      const { name } = await routed.route("speech", [bad, { as: "tts", provider }]);
      const whole = await routed.send(...spoken("gemini", name));
      expect(whole.status, whole.text).toBe(200);
      expect(whole.headers["x-patchbay-channel"]).toBe(`${name}-1`);
      expect(samplesOf(whole).length).toBeGreaterThanOrEqual(24_000);
      const { name: alone } = await routed.route("speech", [bad]);
      const gemini = await routed.send(...spoken("gemini", alone));
      expectFailure("gemini", gemini, status);
      expect(gemini.headers["x-should-retry"]).toBe("false");
      const openai = await routed.send(...spoken("openai", alone));
      expectFailure(
        "openai",
        openai,
        status,
        provider === "gemini" && failure === "empty" ? undefined : code,
      );
      const rows = await routed.rows(alone);
      expect(rows.map((row) => [row.status, row.audio_ms])).toEqual([
        [status, 0],
        [status, 0],
      ]);
    },
  );
});

test("calls at most three channels, once each, and a single channel twice", async () => {
  const bad = (n: number) => Array.from({ length: n }, () => ({ as: `embed.${SIZE}--status-500` }));
  for (const [channels, attempts] of [
    [5, 3],
    [2, 2],
    [1, 2],
  ] as const) {
    const { name } = await routed.route("embeddings", bad(channels));
    const before = routed.upstream.ledger.length;
    const reply = await embed(name);
    expect(reply.headers["x-patchbay-attempts"]).toBe(String(attempts));
    expect(routed.upstream.ledger.length - before).toBe(attempts);
  }
});

test("one deadline limits all attempts: three channels that never answer take less than 3 s with a limit of 1 s", async () => {
  const holes = [{ as: "embed.8--black-hole" }, { as: "embed.8--black-hole" }, { as: "embed.8--black-hole" }];
  const { name } = await routed.route("embeddings", holes);
  const reply = await embed(name);
  expectFailure("openai", reply, 504, "upstream_timeout");
  expect(reply.headers["x-patchbay-attempts"]).toBe("3");
  expect(reply.tookMs).toBeGreaterThanOrEqual(900);
  expect(reply.tookMs).toBeLessThan(3_000);
});

test("serves every call while one of two channels answers 503, with at most 10 % more upstream calls", async () => {
  const { name } = await routed.route("embeddings", [
    { as: "embed.8--status-503", priority: 0 },
    { as: "embed.8", priority: 0 },
  ]);
  const before = routed.upstream.ledger.length;
  const statuses: number[] = [];
  for (let i = 0; i < 100; i += 1) statuses.push((await embed(name, `text ${i}`)).status);
  const calls = routed.upstream.ledger.length - before;
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(calls).toBeLessThanOrEqual(110);
});

test("passes an upstream's 400 and 404 through with its message and without failover", async () => {
  for (const status of [400, 404]) {
    const { name } = await routed.route("embeddings", [{ as: `embed.8--status-${status}` }, GOOD]);
    const before = routed.upstream.ledger.length;
    const reply = await embed(name);
    expect(reply.status).toBe(status);
    expect(reply.json.error.message).toContain(`with ${status}`);
    expect(reply.text).not.toContain("10.1.2.3");
    expect(routed.upstream.ledger.length - before).toBe(1);
  }
});

test("waits for a slow first byte until the deadline, and no longer than the channel's own limit", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.8--slow-200" }, GOOD]);
  expect((await embed(name)).headers["x-patchbay-channel"]).toBe(`${name}-0`);
  const shortTimeout = { as: "embed.8--slow-5000", timeouts: { first_byte_ms: 50 } };
  const { name: other } = await routed.route("embeddings", [shortTimeout, GOOD]);
  const reply = await embed(other);
  expect(reply.headers["x-patchbay-channel"]).toBe(`${other}-1`);
});

test("skips the refused one of two upstream keys and keeps using the channel", async () => {
  const strict = await startUpstream({ key: "sk-the-good-key-0001" });
  const keys = ["sk-the-bad-key-00002", "sk-the-good-key-0001"];
  const { name, ids } = await routed.route("embeddings", [{ at: strict, as: "embed.8", keys }]);
  for (let i = 0; i < 20; i += 1) expect((await embed(name, `text ${i}`)).status).toBe(200);
  const refused = strict.ledger.filter((call) => call.status === 401);
  expect(refused.length).toBeLessThanOrEqual(1);
  const shown = await routed.console(`/api/channels/${ids[0]}`);
  expect(shown.health.state).toBe("closed");
  if (refused.length > 0)
    expect(shown.keys.map((key: { state: string }) => key.state)).toEqual(["open", "closed"]);
  await strict.close();
});

test("an upstream that never answers a call or a list of voices does not delay the next channel", async () => {
  const silent = createTcpServer((socket) => void socket.on("error", () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { name } = await routed.route("speech", [
    { at: { origin: `http://127.0.0.1:${port}` }, as: "tts" },
    { as: "tts" },
  ]);
  const first = await routed.send(...spoken("gemini", name));
  expect(first.status, first.text.slice(0, 300)).toBe(200);
  expect(first.headers["x-patchbay-channel"]).toBe(`${name}-1`);
  const second = await routed.send(...spoken("gemini", name));
  expect(second.status).toBe(200);
  console.log(`with a silent upstream: ${first.tookMs.toFixed(0)} ms, then ${second.tookMs.toFixed(0)} ms`);
  // The list is not requested again for each call.
  expect(second.tookMs).toBeLessThan(1_500);
  const { name: alone } = await routed.route("speech", [
    { at: { origin: `http://127.0.0.1:${port}` }, as: "tts" },
  ]);
  const late = await routed.send(...spoken("openai", alone));
  expectFailure("openai", late, 504, "upstream_timeout");
  // The wait for the list is part of the first-byte limit, 1 s.
  expect(late.tookMs).toBeLessThan(1_400);
  silent.close();
});
