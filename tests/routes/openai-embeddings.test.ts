import { expect, test, vi } from "vitest";
import { AppError } from "@/lib/errors";
import type { EmbeddingModel, EmbeddingRequest } from "@/lib/ports/embedding-model";
import type { UsageRecord } from "@/lib/ports/store";
import { embedModel, FakeClock, lexicalChannel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";
import { channelTo, createRig } from "../support/upstream/rig";
import { startUpstream } from "../support/upstream/server";

const ENGINES = "/v1/engines/patchbay-embed/embeddings";
const FLAT = "/v1/embeddings";
const MODEL = "patchbay-embed";

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}

function lengthOf(vector: number[]): number {
  return Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}

/** An engine that records its requests and returns constant vectors. */
function recorder(answer?: (request: EmbeddingRequest) => Float32Array[]): {
  engine: EmbeddingModel;
  requests: EmbeddingRequest[];
} {
  const requests: EmbeddingRequest[] = [];
  const engine: EmbeddingModel = {
    embed: async (request) => {
      requests.push(request);
      const make = () => new Float32Array(request.dimensions ?? 1_024).fill(1 / 32);
      return { vectors: answer?.(request) ?? request.texts.map(make), inputTokens: null };
    },
  };
  return { engine, requests };
}

test("returns a unit vector of 1,024 numbers, the model's name and the counted tokens", async () => {
  const harness = openGatewayHarness();
  const reply = await harness.call(ENGINES, { body: { model: MODEL, input: "Hello, how are you?" } });
  expect(reply.status).toBe(200);
  const { data, ...rest } = reply.json;
  expect(rest).toEqual({ object: "list", model: MODEL, usage: { prompt_tokens: 6, total_tokens: 6 } });
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ object: "embedding", index: 0 });
  expect(data[0].embedding).toHaveLength(1_024);
  expect(lengthOf(data[0].embedding)).toBeCloseTo(1, 6);
});

test("returns the same numbers in base64 and float, in the order of the input", async () => {
  const harness = openGatewayHarness();
  const input = ["first text", "  ", "dritter Text", "первый", "first text"];
  const float = await harness.call(FLAT, { body: { model: MODEL, input } });
  const base64 = await harness.call(FLAT, { body: { model: MODEL, input, encoding_format: "base64" } });
  const alone = await harness.call(FLAT, { body: { model: MODEL, input: "dritter Text" } });
  expect(float.json.data.map((one: { index: number }) => one.index)).toEqual([0, 1, 2, 3, 4]);
  for (const [i, one] of float.json.data.entries()) {
    // Numbers are printed with the digits that a 32-bit float needs.
    expect(floatsOf(base64.json.data[i].embedding)).toEqual([...Float32Array.from(one.embedding)]);
  }
  expect(alone.json.data[0].embedding).toEqual(float.json.data[2].embedding);
  expect(float.json.data[0].embedding).toEqual(float.json.data[4].embedding);
});

test("embeds token IDs as the text they encode", async () => {
  const harness = openGatewayHarness();
  const text = await harness.call(FLAT, { body: { model: MODEL, input: "hello world" } });
  const one = await harness.call(FLAT, { body: { model: MODEL, input: [15339, 1917] } });
  const two = await harness.call(FLAT, { body: { model: MODEL, input: [[15339, 1917], [15339]] } });
  expect(one.json.data).toEqual(text.json.data);
  expect(two.json.data[0]).toEqual(text.json.data[0]);
  expect(two.json.usage.prompt_tokens).toBe(3);
});

test("shortens a vector to its prefix and normalises it again", async () => {
  const harness = openGatewayHarness();
  const whole = await harness.call(FLAT, { body: { model: MODEL, input: "a cat on a mat" } });
  const short = await harness.call(FLAT, {
    body: { model: MODEL, input: "a cat on a mat", dimensions: 256 },
  });
  const vector: number[] = short.json.data[0].embedding;
  const prefix: number[] = whole.json.data[0].embedding.slice(0, 256);
  expect(vector).toHaveLength(256);
  expect(lengthOf(vector)).toBeCloseTo(1, 6);
  for (const [i, x] of vector.entries()) expect(x).toBeCloseTo((prefix[i] ?? 0) / lengthOf(prefix), 5);
});

test.each([
  ["no model", { input: "a" }, "model"],
  ["an empty model", { model: "", input: "a" }, "model"],
  ["a number for a model", { model: 1, input: "a" }, "model"],
  ["null for a model", { model: null, input: "a" }, "model"],
  ["another model than the path's", { model: "other", input: "a" }, "model"],
  ["no input", { model: MODEL }, "input"],
  ["an empty input", { model: MODEL, input: "" }, "input"],
  ["an empty list", { model: MODEL, input: [] }, "input"],
  ["an empty list in a list", { model: MODEL, input: [[]] }, "input"],
  ["an empty text in a list", { model: MODEL, input: ["a", ""] }, "input"],
  ["null for an input", { model: MODEL, input: null }, "input"],
  ["a number for an input", { model: MODEL, input: 5 }, "input"],
  ["an object for an input", { model: MODEL, input: { text: "a" } }, "input"],
  ["ids and texts mixed", { model: MODEL, input: [1, "a"] }, "input"],
  ["texts and ids mixed", { model: MODEL, input: ["a", 1] }, "input"],
  ["a fraction for an id", { model: MODEL, input: [1.5] }, "input"],
  ["a negative id", { model: MODEL, input: [-1] }, "input"],
  ["an id outside the vocabulary", { model: MODEL, input: [100_300] }, "input"],
  ["2,049 inputs", { model: MODEL, input: Array.from({ length: 2_049 }, () => "a") }, "input"],
  ["another format", { model: MODEL, input: "a", encoding_format: "FLOAT" }, "encoding_format"],
  ["an empty format", { model: MODEL, input: "a", encoding_format: "" }, "encoding_format"],
  ["zero dimensions", { model: MODEL, input: "a", dimensions: 0 }, "dimensions"],
  ["a fraction of a dimension", { model: MODEL, input: "a", dimensions: 1.5 }, "dimensions"],
  ["dimensions as a string", { model: MODEL, input: "a", dimensions: "256" }, "dimensions"],
  ["more dimensions than there are", { model: MODEL, input: "a", dimensions: 1_025 }, "dimensions"],
  ["2^31 dimensions", { model: MODEL, input: "a", dimensions: 2 ** 31 }, "dimensions"],
  ["a stream", { model: MODEL, input: "a", stream: true }, "stream"],
  ["an object for a user", { model: MODEL, input: "a", user: {} }, "user"],
])("answers %s with 400 and the field's name, without a usage row", async (_, body, param) => {
  const harness = openGatewayHarness();
  const reply = await harness.call(ENGINES, { body });
  expect(reply.status).toBe(400);
  expect(reply.json.error).toMatchObject({ type: "invalid_request_error", param });
  expect(Object.keys(reply.json.error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(harness.rows).toEqual([]);
});

test("treats null as absent, and records the user field", async () => {
  const harness = openGatewayHarness();
  const body = { model: MODEL, input: "a", encoding_format: null, dimensions: null };
  expect((await harness.call(ENGINES, { body })).status).toBe(200);
  await harness.call(ENGINES, {
    body: { model: MODEL, input: "a", user: "u-7" },
    headers: { "x-patchbay-tags": "t" },
  });
  expect(harness.rows.map((row) => [row.endUser, row.tags])).toEqual([
    [null, null],
    ["u-7", "t"],
  ]);
});

test.each([
  ["in UTF-8", Buffer.from("équipe, 团队").toString("latin1"), "équipe, 团队"],
  ["in Latin-1", "\u00e9quipe", "équipe"],
  ["without other white space around commas", " a b ,c,  d\t,e, f ", "a b,c, d,e, f"],
  ["of white space as none", "  ", null],
])("records tags %s", async (_title, sent, tags) => {
  const harness = openGatewayHarness();
  const call = { body: { model: MODEL, input: "a" }, headers: { "x-patchbay-tags": sent } };
  expect((await harness.call(ENGINES, call)).status).toBe(200);
  expect(harness.rows.map((row) => row.tags)).toEqual([tags]);
});

test("accepts tags of 256 code points, and refuses longer ones", async () => {
  const harness = openGatewayHarness();
  const statuses = [];
  for (const tags of ["a".repeat(256), "🎧".repeat(256), "a".repeat(257), "🎧".repeat(257)]) {
    const headers = { "x-patchbay-tags": Buffer.from(tags).toString("latin1") };
    statuses.push((await harness.call(ENGINES, { body: { model: MODEL, input: "a" }, headers })).status);
  }
  expect(statuses).toEqual([200, 200, 400, 400]);
});

test("refuses more tokens than the model accepts with OpenAI's message, for every form of input", async () => {
  const harness = openGatewayHarness({ models: [embedModel({ maxInputTokens: 10 })] });
  for (const input of ["word ".repeat(12), Array.from({ length: 11 }, () => 15339), "x".repeat(100_000)]) {
    const reply = await harness.call(FLAT, { body: { model: MODEL, input } });
    expect(reply.status).toBe(400);
    expect(reply.json.error.code).toBe("context_length_exceeded");
    expect(reply.json.error.message).toContain("maximum context length");
  }
  const fits = await harness.call(FLAT, {
    body: { model: MODEL, input: Array.from({ length: 10 }, () => 15339) },
  });
  expect(fits.status).toBe(200);
});

test("refuses more than 300,000 tokens in total", async () => {
  const harness = openGatewayHarness();
  const many = Array.from({ length: 40 }, () => Array.from({ length: 8_000 }, () => 15339));
  const reply = await harness.call(FLAT, { body: { model: MODEL, input: many } });
  expect([reply.status, reply.json.error.code]).toEqual([400, "max_tokens_per_request"]);
  const texts = Array.from({ length: 40 }, () => "hello ".repeat(8_000));
  const also = await harness.call(FLAT, { body: { model: MODEL, input: texts } });
  expect([also.status, also.json.error.code]).toEqual([400, "max_tokens_per_request"]);
});

test("accepts name and alias of one model in path and body; the reply has the name of the body", async () => {
  const harness = openGatewayHarness();
  const reply = await harness.call(ENGINES, { body: { model: "text-embedding-3-small", input: "a" } });
  expect([reply.status, reply.json.model]).toEqual([200, "text-embedding-3-small"]);
  const turned = await harness.call("/v1/engines/text-embedding-3-small/embeddings", {
    body: { model: MODEL, input: "a" },
  });
  expect([turned.status, turned.json.model]).toEqual([200, MODEL]);
});

test("accepts a body without model on the engines path where the operator allows it", async () => {
  const harness = openGatewayHarness({ legacyEngines: true });
  const reply = await harness.call(ENGINES, { body: { input: "a" } });
  expect([reply.status, reply.json.model]).toEqual([200, MODEL]);
});

test("answers 404 for an unknown model, and 400 with its operation for one of another operation", async () => {
  const speech = embedModel({ name: "patchbay-speech", aliases: [], operation: "speech" });
  const harness = openGatewayHarness({ models: [embedModel(), speech] });
  const unknown = await harness.call(FLAT, { body: { model: "nope", input: "a" } });
  expect([unknown.status, unknown.json.error.code]).toEqual([404, "model_not_found"]);
  const wrong = await harness.call(FLAT, { body: { model: "patchbay-speech", input: "a" } });
  expect(wrong.status).toBe(400);
  expect(wrong.json.error.message).toContain("speech");
});

test.each([
  [true, 1_024],
  [false, undefined],
])("asks a channel for all dimensions only of a model that can shorten (%s)", async (canShorten, asked) => {
  const { engine, requests } = recorder();
  const harness = openGatewayHarness({ models: [embedModel({ canShorten })], engine: () => engine });
  const reply = await harness.call(FLAT, { body: { model: MODEL, input: "a", dimensions: 1_024 } });
  expect(reply.status).toBe(200);
  expect(requests.map(({ dimensions }) => dimensions)).toEqual([asked]);
});

test("ignores unknown fields", async () => {
  const { engine, requests } = recorder();
  const harness = openGatewayHarness({ engine: () => engine });
  const smuggled = {
    api_base: "http://attacker.example",
    base_url: "http://attacker.example",
    api_key: "k",
    extra_headers: { host: "attacker.example" },
    model_list: [],
    mock_response: "x",
  };
  await harness.call(FLAT, { body: { model: MODEL, input: "a", ...smuggled } });
  expect(requests).toEqual([
    { model: MODEL, texts: ["a"], dimensions: undefined, taskType: undefined, user: undefined },
  ]);
});

test("sends the reply only after the call is settled", async () => {
  let release = (): void => {};
  const committed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const harness = openGatewayHarness({ settling: () => committed });
  let isAnswered = false;
  const reply = harness.call(FLAT, { body: { model: MODEL, input: "a" } }).then((answer) => {
    isAnswered = true;
    return answer;
  });
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  release();
  expect((await reply).status).toBe(200);
});

test("records key, user, model, channel and usage in the row", async () => {
  const harness = openGatewayHarness({
    models: [embedModel({ prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 } })],
  });
  const reply = await harness.call(FLAT, {
    body: { model: "text-embedding-3-small", input: "one two three four five" },
  });
  expect(reply.status).toBe(200);
  const [row] = harness.rows;
  expect(row).toMatchObject({
    requestId: "req-1",
    keyId: "key_1",
    userId: "usr_1",
    model: MODEL,
    channelId: "chn_1",
    operation: "embeddings",
    attempts: 1,
    inputTokens: 5,
    costNano: 100,
    status: 200,
    error: null,
    state: "settled",
    overrun: false,
  });
  // Five tokens plus 10 %, rounded up to whole tokens.
  expect(harness.reservations).toMatchObject([{ row: { state: "open", reservedNano: 120, costNano: 0 } }]);
  expect(reply.headers).toMatchObject({
    "x-patchbay-channel": "Built-in embeddings",
    "x-patchbay-attempts": "1",
    "x-patchbay-overhead-ms": "0.0",
  });
});

test.each([
  ["upstream_error", 502],
  ["upstream_rate_limited", 429],
] as const)(
  "the log line of a call that failed with %s names its model and channel",
  async (code, status) => {
    const harness = openGatewayHarness({
      engine: () => ({ embed: () => Promise.reject(new AppError(code, "The upstream failed.")) }),
    });
    const warned = vi.spyOn(harness.services.log, "warn");
    const reply = await harness.call(FLAT, { body: { model: "text-embedding-3-small", input: "a" } });
    expect(reply.status).toBe(status);
    expect(warned.mock.calls.find(([event]) => event === "request_failed")).toMatchObject([
      "request_failed",
      { code, status, model: MODEL, channel: "chn_1" },
    ]);
  },
);

test("refuses a free call before its upstream while the store is unavailable", async () => {
  const embed = vi.fn(() => Promise.reject(new AppError("upstream_error", "It was called.")));
  const harness = openGatewayHarness({ engine: () => ({ embed }), isStoreFailing: true });
  const reply = await harness.call(FLAT, { body: { model: "patchbay-embed", input: "a" } });
  expect([reply.status, reply.json.error.code]).toEqual([503, "storage_unavailable"]);
  expect(embed).not.toHaveBeenCalled();
});

test("metrics and trace of a call whose entry was not committed agree with its reply and its corrected entry", async () => {
  const harness = openGatewayHarness({
    models: [embedModel({ prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 } })],
    settling: () => Promise.reject(new AppError("storage_unavailable", "The disk is full.")),
  });
  const traced: UsageRecord[] = [];
  harness.services.tracing = {
    begin: () => ({
      traceId: "",
      nextAttempt: () => "",
      refused: () => undefined,
      settled: (entry) => traced.push({ ...entry }),
    }),
  };
  const observed = vi.spyOn(harness.services.metrics, "observeCall");
  const reply = await harness.call(FLAT, { body: { model: MODEL, input: "one two three" } });
  expect(reply.status).toBe(503);
  const failed = { status: 503, error: "storage_unavailable" };
  expect(observed.mock.calls[0]).toMatchObject([failed]);
  expect(traced[0]).toMatchObject({ ...failed, costNano: 0, inputTokens: 3 });
});

test("traces calls of a model, not a count of tokens or a list of voices", async () => {
  const harness = openGatewayHarness();
  const ends: string[] = [];
  harness.services.tracing = {
    begin: () => ({
      traceId: "",
      nextAttempt: () => "",
      refused: () => ends.push("refused"),
      settled: () => ends.push("settled"),
    }),
  };
  const begun = vi.spyOn(harness.services.tracing, "begin");
  const body = { contents: [{ parts: [{ text: "a" }] }] };
  expect((await harness.call(`/v1beta/models/${MODEL}:countTokens`, { body })).status).toBe(200);
  expect((await harness.call("/v1/audio/voices")).status).toBe(200);
  expect(begun).not.toHaveBeenCalled();
  await harness.call(FLAT, { body: { model: MODEL, input: "a" } });
  await harness.call(FLAT, { body: { model: "unknown", input: "a" } });
  expect(begun).toHaveBeenCalledTimes(2);
  expect(ends).toEqual(["settled", "refused"]);
});

test("answers 429 insufficient_quota for an exhausted budget before any engine is called", async () => {
  const { engine, requests } = recorder();
  const priced = {
    models: [embedModel({ prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 } })],
  };
  const harness = openGatewayHarness({ ...priced, engine: () => engine, fullBudget: "key" });
  const spent = await harness.call(FLAT, { body: { model: MODEL, input: "a" } });
  const free = openGatewayHarness({ engine: () => engine });
  free.key = free.addKey({ budget: { totalNano: 0, dailyNano: null, monthlyNano: null } });
  const nothing = await free.call(FLAT, { body: { model: MODEL, input: "a" } });
  for (const reply of [spent, nothing]) {
    expect(reply.status).toBe(429);
    expect(reply.json.error).toMatchObject({ type: "insufficient_quota", code: "insufficient_quota" });
    expect(reply.headers["x-should-retry"]).toBe("false");
  }
  expect(requests).toEqual([]);
});

test("fails over to another channel, with the number of attempts in the headers", async () => {
  const asked: string[] = [];
  const { engine } = recorder();
  const harness = openGatewayHarness({
    channels: [
      lexicalChannel({ id: "chn_bad", name: "bad" }),
      lexicalChannel({ id: "chn_good", name: "good", priority: 1 }),
    ],
    engine: (channel) => ({
      embed: (request, options) => {
        asked.push(channel.id);
        if (channel.id === "chn_good") return engine.embed(request, options);
        return Promise.reject(new AppError("upstream_error", "The channel answered 500."));
      },
    }),
  });
  const reply = await harness.call(FLAT, { body: { model: MODEL, input: "a" } });
  expect(reply.status).toBe(200);
  expect(asked).toEqual(["chn_bad", "chn_good"]);
  expect(reply.headers).toMatchObject({ "x-patchbay-channel": "good", "x-patchbay-attempts": "2" });
  expect(harness.rows[0]).toMatchObject({ channelId: "chn_good", attempts: 2 });
});

test.each([
  ["too few vectors", () => []],
  ["a vector of another length", () => [new Float32Array(768).fill(0.03)]],
  ["a vector with a NaN", () => [new Float32Array(1_024).fill(Number.NaN)]],
])("answers %s with 502 upstream_invalid, recorded as such and free", async (_, answer) => {
  const { engine } = recorder(answer);
  const harness = openGatewayHarness({ engine: () => engine });
  const reply = await harness.call(FLAT, { body: { model: MODEL, input: "a" } });
  expect([reply.status, reply.json.error.code]).toEqual([502, "upstream_invalid"]);
  expect(reply.headers["x-should-retry"]).toBe("false");
  expect(harness.rows[0]).toMatchObject({
    status: 502,
    error: "upstream_invalid",
    costNano: 0,
    inputTokens: 0,
  });
});

test("stops the engine when the caller leaves and records 499", async () => {
  const leaving = new AbortController();
  let stopped = false;
  const harness = openGatewayHarness({
    engine: () => ({
      embed: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            reject(signal.reason);
          });
          leaving.abort();
        }),
    }),
  });
  await harness.call(FLAT, { body: { model: MODEL, input: "a" }, signal: leaving.signal });
  expect(stopped).toBe(true);
  expect(harness.rows).toMatchObject([
    { status: 499, error: "caller_left", inputTokens: 0, costNano: 0, estimated: false },
  ]);
});

test("charges a caller who leaves for the texts of the upstream calls that have replied", async () => {
  const upstream = await startUpstream();
  const clock = new FakeClock();
  const rig = createRig([upstream], { clock });
  const channel = channelTo("openai", upstream, {
    options: { max_batch: 1 },
    models: [{ name: MODEL, upstreamName: "embed--silent-to-stop" }],
  });
  const { prices } = embedModel();
  const harness = openGatewayHarness({
    clock,
    engine: () => rig.embedding(channel),
    channels: [channel],
    models: [
      embedModel({
        prices: { ...prices, inputPerMillionTokens: 20_000_000, inputPerMillionCharacters: 1_000_000 },
      }),
    ],
  });
  const leaving = new AbortController();
  const input = ["hello", "hello world", "STOP 1", "STOP 2", "STOP 3", "STOP 4"];
  const reply = harness.call(FLAT, { body: { model: MODEL, input }, signal: leaving.signal });
  // Four calls run at once: the last two are sent when two have replied.
  await vi.waitFor(() => expect(upstream.ledger).toHaveLength(input.length));
  leaving.abort();
  await reply;
  expect(harness.rows).toMatchObject([
    { status: 499, error: "caller_left", inputTokens: 3, characters: 16, costNano: 76, estimated: true },
  ]);
  await rig.close();
  await upstream.close();
});

test("charges nothing for a call that fails after some of its upstream calls have replied", async () => {
  const engine: EmbeddingModel = {
    embed: async (_request, { progress }) => {
      progress?.repliedTexts.add(0);
      throw new AppError("upstream_error", "It failed.", { upstreamStatus: 500 });
    },
  };
  const { prices } = embedModel();
  const models = [embedModel({ prices: { ...prices, inputPerMillionTokens: 20_000_000 } })];
  const harness = openGatewayHarness({ engine: () => engine, models });
  const reply = await harness.call(FLAT, { body: { model: MODEL, input: ["hello", "world"] } });
  expect(reply.status).toBe(502);
  expect(harness.rows).toMatchObject([
    { error: "upstream_error", inputTokens: 0, costNano: 0, estimated: false },
  ]);
});

test("writes a large reply in chunks without loss", async () => {
  const harness = openGatewayHarness();
  const input = Array.from({ length: 300 }, (_, i) => `text number ${i}`);
  const reply = await harness.call(FLAT, { body: { model: MODEL, input } });
  expect(reply.json.data.map((one: { index: number }) => one.index)).toEqual(input.map((_, i) => i));
  const last = await harness.call(FLAT, { body: { model: MODEL, input: "text number 299" } });
  expect(reply.json.data[299].embedding).toEqual(last.json.data[0].embedding);
});

test.each<[string, string, Record<string, string>]>([
  ["in x-goog-api-key", "", { "x-goog-api-key": "sk-pb-other" }],
  ["in the query", "?key=sk-pb-other", {}],
])("answers 400 to a second, different key %s", async (_name, query, headers) => {
  const harness = openGatewayHarness();
  for (const path of ["/v1/embeddings", `/v1/engines/${MODEL}/embeddings`]) {
    const reply = await harness.call(`${path}${query}`, { headers, body: { model: MODEL, input: "a" } });
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toBe("The request carries two different API keys; send one.");
  }
  expect(harness.rows).toEqual([]);
});

test("accepts the same key in three places, but not a key in x-goog-api-key alone", async () => {
  const harness = openGatewayHarness();
  const body = { model: MODEL, input: "a" };
  const headers = { "x-goog-api-key": harness.key };
  expect((await harness.call(`/v1/embeddings?key=${harness.key}`, { headers, body })).status).toBe(200);
  const alone = { ...headers, authorization: "" };
  expect((await harness.call("/v1/embeddings", { headers: alone, body })).status).toBe(401);
});

test.each<[string, unknown, string]>([
  ["an empty text", ["a", "b", ""], "'input.2' must not be an empty string."],
  ["a number among texts", ["a", 1], "'input.1' must be a string, as the first element is."],
  ["a text among ids", [1, 2, "a"], "'input.2' must be a token id (a whole number from 0)."],
  ["a fraction in a list of ids", [[1], [2, 1.5]], "'input.1.1' must be a token id (a whole number from 0)."],
  ["an empty list of ids", [[1], []], "'input.1' must not be an empty list."],
  ["a text among lists", [[1], "a"], "'input.1' must be a list of token ids, as the first element is."],
  [
    "an id outside the vocabulary",
    [1, 2, 100_300, 100_301],
    "'input.2' must be a token id of cl100k_base; got 100300.",
  ],
  ["such an id in a list", [[1], [2, 100_300]], "'input.1.1' must be a token id of cl100k_base; got 100300."],
])("names the element of an input that has %s", async (_name, input, message) => {
  const harness = openGatewayHarness();
  const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input } });
  expect(reply.status).toBe(400);
  expect(reply.json.error).toMatchObject({ message, param: "input" });
});

test("percent-encodes a channel's name in its header so that decoding returns it", async () => {
  const name = "Büro 50% 东京";
  const harness = openGatewayHarness({ channels: [lexicalChannel({ name })] });
  const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input: "a" } });
  const sent = String(reply.headers["x-patchbay-channel"]);
  expect(sent).toMatch(/^[\x20-\x7e]+$/);
  expect(decodeURIComponent(sent)).toBe(name);
});
