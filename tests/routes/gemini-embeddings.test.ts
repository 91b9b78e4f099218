import { expect, test } from "vitest";
import type { EmbeddingRequest } from "@/lib/ports/embedding-model";
import { embedModel, lexicalChannel, speechModel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";
import { ScriptedSpeech, spoken } from "../support/speech-harness";

const MODEL = "patchbay-embed";
const ONE = `/v1beta/models/${MODEL}:embedContent`;
const BATCH = `/v1beta/models/${MODEL}:batchEmbedContents`;

function content(text: string): { parts: { text: string }[] } {
  return { parts: [{ text }] };
}

test("returns one embedding and the tokens of one content, on both versions of the path", async () => {
  const harness = openGatewayHarness();
  const openai = await harness.call("/v1/embeddings", { body: { model: MODEL, input: "hello world" } });
  for (const path of [ONE, ONE.replace("v1beta", "v1"), ONE.replace(":embed", "%3Aembed")]) {
    const reply = await harness.call(path, { body: { content: content("hello world") } });
    expect(reply.status).toBe(200);
    expect(reply.json.embedding.values).toEqual(openai.json.data[0].embedding);
    expect(reply.json.usageMetadata).toEqual({ promptTokenCount: 2, totalTokenCount: 2 });
  }
});

test("returns embeddings in order and the total tokens of a batch, as the official client sends it", async () => {
  const harness = openGatewayHarness();
  const requests = ["one", "two three"].map((text) => ({
    model: `models/${MODEL}`,
    content: { ...content(text), role: "user" },
    outputDimensionality: 64,
    taskType: "RETRIEVAL_QUERY",
  }));
  const reply = await harness.call(BATCH, {
    body: { requests },
    headers: { authorization: "", "x-goog-api-key": harness.key },
  });
  expect(reply.status).toBe(200);
  expect(reply.json.embeddings.map((one: { values: number[] }) => one.values.length)).toEqual([64, 64]);
  expect(reply.json.usageMetadata.promptTokenCount).toBe(3);
  const alone = await harness.call(ONE, {
    body: { content: content("two three"), output_dimensionality: 64 },
  });
  expect(reply.json.embeddings[1]).toEqual(alone.json.embedding);
});

test("joins the parts of a content and passes the task type to the engine", async () => {
  const requests: EmbeddingRequest[] = [];
  const harness = openGatewayHarness({
    engine: () => ({
      embed: async (request) => {
        requests.push(request);
        return { vectors: [new Float32Array(1_024).fill(1 / 32)], inputTokens: null };
      },
    }),
  });
  const parts = [{ text: "a" }, { text: "b" }];
  await harness.call(ONE, { body: { content: { parts }, taskType: "CLUSTERING" } });
  expect(requests[0]).toMatchObject({ texts: ["a\nb"], taskType: "CLUSTERING" });
});

test.each([
  ["title", "gemini"],
  ["taskType, title", "openai"],
  ["taskType, title", "lexical"],
])("reports '%s' as ignored by a channel of %s, also from the cache", async (ignored, provider) => {
  const embed = async () => ({ vectors: [new Float32Array(1_024).fill(1 / 32)], inputTokens: null });
  const harness = openGatewayHarness({
    channels: [lexicalChannel({ provider, embedded: provider === "lexical" })],
    engine: () => ({ embed }),
  });
  const body = { content: content("a"), taskType: "RETRIEVAL_DOCUMENT", title: "T" };
  for (const cache of ["miss", "hit"]) {
    const { headers } = await harness.call(ONE, { body });
    expect([headers["x-patchbay-cache"], headers["x-patchbay-ignored"]]).toEqual([cache, ignored]);
  }
  const { headers } = await harness.call(ONE, { body: { content: content("a") } });
  expect(headers["x-patchbay-ignored"]).toBeUndefined();
});

test.each([
  ["no content", ONE, {}],
  ["no parts", ONE, { content: { parts: [] } }],
  [
    "a part that is not text",
    ONE,
    { content: { parts: [{ inlineData: { data: "", mimeType: "image/png" } }] } },
  ],
  ["an empty text", ONE, { content: content("") }],
  ["dimensions of the wrong type", ONE, { content: content("a"), outputDimensionality: "64" }],
  ["both forms of a field", ONE, { content: content("a"), taskType: "X", task_type: "X" }],
  ["another model than the path's", ONE, { model: "models/other", content: content("a") }],
  ["no requests", BATCH, { requests: [] }],
  [
    "dimensions that differ within a batch",
    BATCH,
    { requests: [{ content: content("a"), outputDimensionality: 64 }, { content: content("b") }] },
  ],
])("answers %s with 400 INVALID_ARGUMENT", async (_, path, body) => {
  const harness = openGatewayHarness();
  const reply = await harness.call(path, { body });
  expect(reply.status).toBe(400);
  expect(reply.json.error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
  expect(harness.rows).toEqual([]);
});

test.each<[string, string, boolean, object, string]>([
  [
    "too many dimensions",
    ONE,
    true,
    { content: content("a"), outputDimensionality: 600 },
    `'outputDimensionality' must be at most 512 for '${MODEL}'; got 600.`,
  ],
  [
    "too many dimensions in embedContentConfig",
    ONE,
    true,
    { content: content("a"), embedContentConfig: { outputDimensionality: 600 } },
    `'embedContentConfig.outputDimensionality' must be at most 512 for '${MODEL}'; got 600.`,
  ],
  [
    "dimensions of a model that cannot shorten",
    ONE,
    false,
    { content: content("a"), output_dimensionality: 64 },
    `'outputDimensionality' must be 512 for '${MODEL}', which cannot shorten vectors; got 64.`,
  ],
  [
    "too many dimensions in a batch",
    BATCH,
    true,
    {
      requests: [
        { content: content("a"), outputDimensionality: 600 },
        { content: content("b"), outputDimensionality: 600 },
      ],
    },
    `'requests.0.outputDimensionality' must be at most 512 for '${MODEL}'; got 600.`,
  ],
  [
    "different dimensions in a batch",
    BATCH,
    true,
    {
      requests: [
        { content: content("a"), outputDimensionality: 2 },
        { content: content("b"), outputDimensionality: 3 },
      ],
    },
    "'requests.1.outputDimensionality' must be the same in all requests of a batch.",
  ],
  [
    "different dimensions in embedContentConfig",
    BATCH,
    true,
    {
      requests: [
        { content: content("a"), embedContentConfig: { outputDimensionality: 2 } },
        { content: content("b"), embedContentConfig: { outputDimensionality: 3 } },
      ],
    },
    "'requests.1.embedContentConfig.outputDimensionality' must be the same in all requests of a batch.",
  ],
  [
    "different task types in embedContentConfig",
    BATCH,
    true,
    {
      requests: [
        { content: content("a"), taskType: "A" },
        { content: content("b"), embedContentConfig: { taskType: "B" } },
      ],
    },
    "'requests.1.embedContentConfig.taskType' must be the same in all requests of a batch.",
  ],
  [
    "a task type in embedContentConfig of the first request only",
    BATCH,
    true,
    {
      requests: [{ content: content("a"), embedContentConfig: { taskType: "A" } }, { content: content("b") }],
    },
    "'requests.1.embedContentConfig.taskType' must be the same in all requests of a batch.",
  ],
  [
    "another model than the path's",
    ONE,
    true,
    { model: "models/other", content: content("a") },
    `'model' is 'models/other' but the path names '${MODEL}'; both must be the same.`,
  ],
  [
    "another model than the path's in a batch",
    BATCH,
    true,
    {
      requests: [
        { model: MODEL, content: content("a") },
        { model: "models/other", content: content("b") },
      ],
    },
    `'requests.1.model' is 'models/other' but the path names '${MODEL}'; both must be the same.`,
  ],
])("names the field that was sent for %s", async (_, path, canShorten, body, message) => {
  const harness = openGatewayHarness({ models: [embedModel({ dimensions: 512, canShorten })] });
  const reply = await harness.call(path, { body });
  expect(reply.status).toBe(400);
  expect(reply.json.error.message).toBe(message);
});

test("answers 403 to a key that may not use the model or its operation, also for counting tokens", async () => {
  const harness = openGatewayHarness();
  const contents = [content("a")];
  const bodies: [string, object][] = [
    [ONE, { content: contents[0] }],
    [ONE.replace("embedContent", "countTokens"), { contents }],
  ];
  for (const [path, body] of bodies) {
    harness.key = harness.addKey({ allowedModels: ["other"] });
    const named = await harness.call(path, { body });
    expect(named.status).toBe(403);
    expect(named.json.error).toMatchObject({
      message: `This key may not use the model '${MODEL}'.`,
      status: "PERMISSION_DENIED",
    });
    harness.key = harness.addKey({ operations: ["speech"] });
    const used = await harness.call(path, { body });
    expect(used.status).toBe(403);
    expect(used.json.error.message).toBe("This key may not be used for embeddings.");
  }
});

test("counts the tokens of contents or of a request without a usage row", async () => {
  const harness = openGatewayHarness();
  const path = `/v1beta/models/${MODEL}:countTokens`;
  const contents = [content("hello world"), content("hello")];
  const reply = await harness.call(path, { body: { contents } });
  expect(reply.json).toEqual({ totalTokens: 3, promptTokensDetails: [{ modality: "TEXT", tokenCount: 3 }] });
  const whole = await harness.call(path, {
    body: {
      generateContentRequest: { model: `models/${MODEL}`, contents, systemInstruction: content("hello") },
    },
  });
  expect(whole.json.totalTokens).toBe(4);
  expect((await harness.call(path, { body: {} })).status).toBe(400);
  expect((await harness.call(path.replace(MODEL, "nope"), { body: { contents } })).status).toBe(404);
  expect(harness.rows).toEqual([]);
});

test("counts the tokens of 1,000,000 characters, and refuses one more", async () => {
  const harness = openGatewayHarness();
  const count = (characters: number) =>
    harness.call(`/v1beta/models/${MODEL}:countTokens`, {
      body: { contents: [content("word ".repeat(characters / 5).padEnd(characters, "."))] },
    });
  expect((await count(1_000_000)).status).toBe(200);
  const refused = await count(1_000_001);
  expect(refused.status).toBe(400);
  expect(refused.json.error.message).toBe("'contents' has 1000001 characters; at most 1000000 are accepted.");
});

test("counts the contents of a speech request as the call itself does", async () => {
  const model = "patchbay-speech";
  const harness = openGatewayHarness({
    models: [speechModel()],
    channels: [lexicalChannel({ models: [{ name: model, upstreamName: model }] })],
    speech: () => new ScriptedSpeech(() => spoken(0.2)),
  });
  const contents = ["Hello there", "General Kenobi"].map(content);
  const path = `/v1beta/models/${model}`;
  const call = await harness.call(`${path}:generateContent`, {
    body: { contents, generationConfig: { responseModalities: ["AUDIO"] } },
  });
  const counted = await harness.call(`${path}:countTokens`, { body: { contents } });
  expect(call.status).toBe(200);
  expect(counted.json.totalTokens).toBe(call.json.usageMetadata.promptTokenCount);
});
