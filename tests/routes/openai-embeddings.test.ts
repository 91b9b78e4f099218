import { expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import type { EmbeddingModel, EmbeddingRequest } from "@/lib/ports/embedding-model";
import { channelRecord, embedModel, openGatewayHarness } from "../support/gateway-harness";

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

/** An engine that remembers what it was asked and answers constant vectors. */
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

test("a text gives one unit vector of 1,024 numbers, the model's name and the counted tokens", async () => {
  const door = openGatewayHarness();
  const reply = await door.call(ENGINES, { body: { model: MODEL, input: "Hello, how are you?" } });
  expect(reply.status).toBe(200);
  const { data, ...rest } = reply.json;
  expect(rest).toEqual({ object: "list", model: MODEL, usage: { prompt_tokens: 6, total_tokens: 6 } });
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ object: "embedding", index: 0 });
  expect(data[0].embedding).toHaveLength(1_024);
  expect(lengthOf(data[0].embedding)).toBeCloseTo(1, 6);
});

test("base64 holds the very numbers of float, and the order is that of the input", async () => {
  const door = openGatewayHarness();
  const input = ["first text", "  ", "dritter Text", "первый", "first text"];
  const float = await door.call(FLAT, { body: { model: MODEL, input } });
  const base64 = await door.call(FLAT, { body: { model: MODEL, input, encoding_format: "base64" } });
  const alone = await door.call(FLAT, { body: { model: MODEL, input: "dritter Text" } });
  expect(float.json.data.map((one: { index: number }) => one.index)).toEqual([0, 1, 2, 3, 4]);
  for (const [i, one] of float.json.data.entries()) {
    expect(floatsOf(base64.json.data[i].embedding)).toEqual(one.embedding);
  }
  expect(alone.json.data[0].embedding).toEqual(float.json.data[2].embedding);
  expect(float.json.data[0].embedding).toEqual(float.json.data[4].embedding);
});

test("token ids are embedded as the text they stand for", async () => {
  const door = openGatewayHarness();
  const text = await door.call(FLAT, { body: { model: MODEL, input: "hello world" } });
  const one = await door.call(FLAT, { body: { model: MODEL, input: [15339, 1917] } });
  const two = await door.call(FLAT, { body: { model: MODEL, input: [[15339, 1917], [15339]] } });
  expect(one.json.data).toEqual(text.json.data);
  expect(two.json.data[0]).toEqual(text.json.data[0]);
  expect(two.json.usage.prompt_tokens).toBe(3);
});

test("a shortened vector is the prefix, normalised again", async () => {
  const door = openGatewayHarness();
  const whole = await door.call(FLAT, { body: { model: MODEL, input: "a cat on a mat" } });
  const short = await door.call(FLAT, { body: { model: MODEL, input: "a cat on a mat", dimensions: 256 } });
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
  ["a list in a list without ids", { model: MODEL, input: [[]] }, "input"],
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
  ["no dimensions", { model: MODEL, input: "a", dimensions: 0 }, "dimensions"],
  ["a fraction of a dimension", { model: MODEL, input: "a", dimensions: 1.5 }, "dimensions"],
  ["dimensions in quotes", { model: MODEL, input: "a", dimensions: "256" }, "dimensions"],
  ["more dimensions than there are", { model: MODEL, input: "a", dimensions: 1_025 }, "dimensions"],
  ["2^31 dimensions", { model: MODEL, input: "a", dimensions: 2 ** 31 }, "dimensions"],
  ["a stream", { model: MODEL, input: "a", stream: true }, "stream"],
  ["an object for a user", { model: MODEL, input: "a", user: {} }, "user"],
])("%s is 400 and names the field, and nothing is booked", async (_, body, param) => {
  const door = openGatewayHarness();
  const reply = await door.call(ENGINES, { body });
  expect(reply.status).toBe(400);
  expect(reply.json.error).toMatchObject({ type: "invalid_request_error", param });
  expect(Object.keys(reply.json.error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(door.rows).toEqual([]);
});

test("null counts as absent, and a user is kept in the books", async () => {
  const door = openGatewayHarness();
  const body = { model: MODEL, input: "a", encoding_format: null, dimensions: null };
  expect((await door.call(ENGINES, { body })).status).toBe(200);
  await door.call(ENGINES, {
    body: { model: MODEL, input: "a", user: "u-7" },
    headers: { "x-patchbay-tags": "t" },
  });
  expect(door.rows.map((row) => [row.user, row.tags])).toEqual([
    [null, null],
    ["u-7", "t"],
  ]);
});

test("more tokens than the model takes are refused in OpenAI's words, whatever their form", async () => {
  const door = openGatewayHarness({ models: [embedModel({ maxInputTokens: 10 })] });
  for (const input of ["word ".repeat(12), Array.from({ length: 11 }, () => 15339), "x".repeat(100_000)]) {
    const reply = await door.call(FLAT, { body: { model: MODEL, input } });
    expect(reply.status).toBe(400);
    expect(reply.json.error.code).toBe("context_length_exceeded");
    expect(reply.json.error.message).toContain("maximum context length");
  }
  const fits = await door.call(FLAT, {
    body: { model: MODEL, input: Array.from({ length: 10 }, () => 15339) },
  });
  expect(fits.status).toBe(200);
});

test("more than 300,000 tokens in all are refused", async () => {
  const door = openGatewayHarness();
  const many = Array.from({ length: 40 }, () => Array.from({ length: 8_000 }, () => 15339));
  const reply = await door.call(FLAT, { body: { model: MODEL, input: many } });
  expect([reply.status, reply.json.error.code]).toEqual([400, "max_tokens_per_request"]);
  const texts = Array.from({ length: 40 }, () => "hello ".repeat(8_000));
  const also = await door.call(FLAT, { body: { model: MODEL, input: texts } });
  expect([also.status, also.json.error.code]).toEqual([400, "max_tokens_per_request"]);
});

test("path and body may name one model by name and alias; the reply names it as the body does", async () => {
  const door = openGatewayHarness();
  const reply = await door.call(ENGINES, { body: { model: "text-embedding-3-small", input: "a" } });
  expect([reply.status, reply.json.model]).toEqual([200, "text-embedding-3-small"]);
  const turned = await door.call("/v1/engines/text-embedding-3-small/embeddings", {
    body: { model: MODEL, input: "a" },
  });
  expect([turned.status, turned.json.model]).toEqual([200, MODEL]);
});

test("the engines path alone names the model only where the operator allows it", async () => {
  const door = openGatewayHarness({ legacyEngines: true });
  const reply = await door.call(ENGINES, { body: { input: "a" } });
  expect([reply.status, reply.json.model]).toEqual([200, MODEL]);
});

test("an unknown model is 404, and one of another kind 400 that says what it is for", async () => {
  const speech = embedModel({ name: "patchbay-speech", aliases: [], operation: "speech" });
  const door = openGatewayHarness({ models: [embedModel(), speech] });
  const unknown = await door.call(FLAT, { body: { model: "nope", input: "a" } });
  expect([unknown.status, unknown.json.error.code]).toEqual([404, "model_not_found"]);
  const wrong = await door.call(FLAT, { body: { model: "patchbay-speech", input: "a" } });
  expect(wrong.status).toBe(400);
  expect(wrong.json.error.message).toContain("speech");
});

test("fields that are none of ours reach neither the engine nor its choice", async () => {
  const { engine, requests } = recorder();
  const door = openGatewayHarness({ engine: () => engine });
  const smuggled = {
    api_base: "http://attacker.example",
    base_url: "http://attacker.example",
    api_key: "k",
    extra_headers: { host: "attacker.example" },
    model_list: [],
    mock_response: "x",
  };
  await door.call(FLAT, { body: { model: MODEL, input: "a", ...smuggled } });
  expect(requests).toEqual([
    { model: MODEL, texts: ["a"], dimensions: undefined, taskType: undefined, user: undefined },
  ]);
});

test("the reply waits until the call is in the books", async () => {
  let release = (): void => {};
  const committed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const door = openGatewayHarness({ settling: () => committed });
  let isAnswered = false;
  const reply = door.call(FLAT, { body: { model: MODEL, input: "a" } }).then((answer) => {
    isAnswered = true;
    return answer;
  });
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  release();
  expect((await reply).status).toBe(200);
});

test("a row holds who, what, where and how much", async () => {
  const door = openGatewayHarness({
    models: [embedModel({ prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 } })],
  });
  const reply = await door.call(FLAT, {
    body: { model: "text-embedding-3-small", input: "one two three four five" },
  });
  expect(reply.status).toBe(200);
  const [row] = door.rows;
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
  // Five tokens and a tenth, rounded up to whole tokens.
  expect(door.reservations.map((one) => one.row.reservedNano)).toEqual([120]);
  expect(reply.headers).toMatchObject({
    "x-patchbay-channel": "Built-in embeddings",
    "x-patchbay-attempts": "1",
    "x-patchbay-overhead-ms": "0.0",
  });
});

test("a budget without room is 429 insufficient_quota before any engine is asked", async () => {
  const { engine, requests } = recorder();
  const priced = {
    models: [embedModel({ prices: { ...embedModel().prices, inputPerMillionTokens: 20_000_000 } })],
  };
  const door = openGatewayHarness({ ...priced, engine: () => engine, refused: "key" });
  const spent = await door.call(FLAT, { body: { model: MODEL, input: "a" } });
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

test("a channel that fails is followed by another, and the reply tells how often it was tried", async () => {
  const asked: string[] = [];
  const { engine } = recorder();
  const door = openGatewayHarness({
    channels: [
      channelRecord({ id: "chn_bad", name: "bad" }),
      channelRecord({ id: "chn_good", name: "good", priority: 1 }),
    ],
    engine: (channel) => {
      asked.push(channel.id);
      if (channel.id === "chn_good") return engine;
      return { embed: () => Promise.reject(new AppError("upstream_error", "The channel answered 500.")) };
    },
  });
  const reply = await door.call(FLAT, { body: { model: MODEL, input: "a" } });
  expect(reply.status).toBe(200);
  expect(asked).toEqual(["chn_bad", "chn_good"]);
  expect(reply.headers).toMatchObject({ "x-patchbay-channel": "good", "x-patchbay-attempts": "2" });
  expect(door.rows[0]).toMatchObject({ channelId: "chn_good", attempts: 2 });
});

test.each([
  ["too few vectors", () => []],
  ["a vector of another length", () => [new Float32Array(768).fill(0.03)]],
  ["a vector with a number that is none", () => [new Float32Array(1_024).fill(Number.NaN)]],
])("%s is 502 upstream_invalid, booked as such and free", async (_, answer) => {
  const { engine } = recorder(answer);
  const door = openGatewayHarness({ engine: () => engine });
  const reply = await door.call(FLAT, { body: { model: MODEL, input: "a" } });
  expect([reply.status, reply.json.error.code]).toEqual([502, "upstream_invalid"]);
  expect(reply.headers["x-should-retry"]).toBe("false");
  expect(door.rows[0]).toMatchObject({ status: 502, error: "upstream_invalid", costNano: 0, inputTokens: 0 });
});

test("a caller who leaves stops the engine and is booked as 499", async () => {
  const leaving = new AbortController();
  let stopped = false;
  const door = openGatewayHarness({
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
  await door.call(FLAT, { body: { model: MODEL, input: "a" }, signal: leaving.signal });
  expect(stopped).toBe(true);
  expect(door.rows[0]).toMatchObject({ status: 499, error: "caller_left" });
});

test("a large reply comes whole though it is written in pieces", async () => {
  const door = openGatewayHarness();
  const input = Array.from({ length: 300 }, (_, i) => `text number ${i}`);
  const reply = await door.call(FLAT, { body: { model: MODEL, input } });
  expect(reply.json.data.map((one: { index: number }) => one.index)).toEqual(input.map((_, i) => i));
  const last = await door.call(FLAT, { body: { model: MODEL, input: "text number 299" } });
  expect(reply.json.data[299].embedding).toEqual(last.json.data[0].embedding);
});
