import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChannelRecord } from "@/lib/ports/store";
import { createLexicalModel } from "@/lib/providers/lexical/lexical-model";
import { fitVectors } from "@/lib/providers/upstream/embeddings";
import { embeddingModelContract } from "../../contracts/embedding-model";
import { callOptions, channelTo, createRig, UPSTREAM_KEY } from "../../support/upstream/rig";
import { startUpstream, type Upstream } from "../../support/upstream/server";
import { vectorOf } from "../../support/upstream/sounds";

let upstream: Upstream;
let rig: ReturnType<typeof createRig>;
beforeAll(async () => {
  upstream = await startUpstream({ key: UPSTREAM_KEY });
  rig = createRig([upstream]);
});
afterAll(async () => {
  await rig.close();
  await upstream.close();
});

function embedding(
  provider: string,
  options: Record<string, unknown> = {},
  fields: Partial<ChannelRecord> = {},
) {
  return rig.embedding(channelTo(provider, upstream, { options, ...fields }));
}

embeddingModelContract("the lexical engine", async () => ({
  model: createLexicalModel(),
  name: "patchbay-embed",
  dimensions: 1_024,
}));

const CHANNELS: readonly [string, Record<string, unknown>][] = [
  ["openai", {}],
  ["openai", { encoding_format: "float" }],
  ["openai", { dimensions: "shorten", max_batch: 2 }],
  ["openai", { azure_api_version: "2024-10-21" }],
  ["gemini", {}],
  ["gemini", { dimensions: "shorten", max_batch: 2 }],
];

for (const [provider, options] of CHANNELS) {
  embeddingModelContract(`${provider} ${JSON.stringify(options)}`, async () => ({
    model: embedding(provider, options),
    name: "embed.768",
    dimensions: 768,
  }));
}

test.each(["openai", "gemini"])("%s: forwards vectors of any norm unchanged", async (provider) => {
  const scaled = (text: string, length: number) => vectorOf(text, length).map((number) => number * 3);
  const request = { model: "embed.64--scaled-3", texts: ["one"] };
  const { vectors } = await embedding(provider).embed(request, callOptions());
  expect(vectors).toEqual([scaled("one", 64)]);
});

test.each([{}, { dimensions: "shorten" }])(
  "gemini: normalises a shortened vector again: %j",
  async (options) => {
    const request = { model: "embed.64--scaled-3", texts: ["one"], dimensions: 16 };
    const { vectors } = await embedding("gemini", options).embed(request, callOptions());
    const prefix = vectorOf("one", 64).subarray(0, 16);
    const norm = Math.hypot(...prefix);
    for (const [at, number] of prefix.entries()) expect(vectors[0]?.[at]).toBeCloseTo(number / norm, 6);
  },
);

test("keeps the base64 of an upstream's shortened vector that is normalised already", async () => {
  const request = { model: "embed.768", texts: ["one"], dimensions: 384 };
  const { base64 } = await embedding("openai").embed(request, callOptions());
  expect(Buffer.from(base64 ?? []).toString()).toBe(
    Buffer.from(vectorOf("one", 384).buffer).toString("base64"),
  );
});

test.each([2, 3])("cuts a vector of %d zeros to zeros", (length) => {
  expect(fitVectors([new Float32Array(length)], 2, true)).toEqual([new Float32Array(2)]);
});

test("refuses vectors of different lengths when no length was requested, even if longer ones may be shortened", () => {
  expect(() => fitVectors([new Float32Array(2), new Float32Array(3)], undefined, true)).toThrow(
    "a vector of 3 numbers where the first has 2",
  );
});

const FAILURES: readonly [string, string][] = [
  ["reset-before-headers", "upstream_error"],
  ["not-http", "upstream_invalid"],
  ["garbage", "upstream_invalid"],
  ["garbage-json", "upstream_invalid"],
  ["not-utf8", "upstream_invalid"],
  ["empty", "upstream_invalid"],
  ["null-number", "upstream_invalid"],
  ["wrong-count", "upstream_invalid"],
  ["bad-gzip", "upstream_invalid"],
  ["redirect-307", "upstream_redirect"],
  ["status-400", "invalid"],
  ["status-401", "upstream_error"],
  ["status-404", "invalid"],
  ["status-413", "invalid"],
  ["html-status-404", "upstream_error"],
  ["status-429", "upstream_rate_limited"],
  ["status-500", "upstream_error"],
  ["status-504", "upstream_timeout"],
  ["error-with-200-400", "invalid"],
  ["error-with-200-429", "upstream_rate_limited"],
];

test.each(
  ["openai", "gemini"].flatMap((provider) => FAILURES.map(([failure, code]) => [provider, failure, code])),
)("%s: maps the failure '%s' to %s", async (provider, failure, code) => {
  const work = embedding(provider).embed({ model: `embed--${failure}`, texts: ["a b", "c"] }, callOptions());
  await expect(work).rejects.toMatchObject({ code });
});

test.each([["nan"], ["same-index"]])("openai: maps the failure '%s' to upstream_invalid", async (failure) => {
  const work = embedding("openai").embed({ model: `embed--${failure}`, texts: ["a b", "c"] }, callOptions());
  await expect(work).rejects.toMatchObject({ code: "upstream_invalid" });
});

test.each([
  [401, { upstreamStatus: 401, upstreamRefusal: "credentials" }],
  [402, { upstreamStatus: 402, upstreamRefusal: "account" }],
  [503, { upstreamStatus: 503 }],
  // 7 is not an HTTP status: the error counts as a 500.
  [7, { upstreamStatus: 500 }],
])(
  "openai: reads the status of an error that arrives with status 200 from its code %d",
  async (code, details) => {
    const request = { model: `embed--error-with-200-${code}`, texts: ["a b", "c"] };
    await expect(embedding("openai").embed(request, callOptions())).rejects.toMatchObject({
      code: "upstream_error",
      message: `The channel's upstream answered with an error (${details.upstreamStatus}).`,
      details: { ...details, upstreamMessage: "Provider returned an error." },
    });
  },
);

test("uses the position for a missing index, since Google's endpoint leaves out index 0", async () => {
  const texts = ["one", "two", "three"];
  const { vectors } = await embedding("openai").embed(
    { model: "embed--no-first-index", texts },
    callOptions(),
  );
  expect(vectors).toEqual(texts.map((text) => vectorOf(text, 256)));
});

test("sorts vectors by the order of their texts", async () => {
  const texts = ["one", "two", "three"];
  const { vectors } = await embedding("openai").embed({ model: "embed--reversed", texts }, callOptions());
  expect(vectors).toEqual(texts.map((text) => vectorOf(text, 256)));
});

const SWAPPED: readonly [Record<string, unknown>, string][] = [
  [{}, "base64 requested, floats returned"],
  [{ encoding_format: "float" }, "floats requested, base64 returned"],
];

test.each(SWAPPED)("openai with options %j: reads exact vectors (%s)", async (options) => {
  const { vectors } = await embedding("openai", options).embed(
    { model: "embed--swapped", texts: ["one"] },
    callOptions(),
  );
  expect(vectors).toEqual([vectorOf("one", 256)]);
});

test.each(["openai", "gemini"])(
  "%s: names both lengths when a vector has another length than requested",
  async (provider) => {
    const work = embedding(provider).embed(
      { model: "embed--wrong-size-768", texts: ["a"], dimensions: 1_024 },
      callOptions(),
    );
    await expect(work).rejects.toMatchObject({
      code: "upstream_invalid",
      message: expect.stringMatching(/768.*1024/),
      // A server may ignore the field, and serve all requests without it.
      details: { isCausedByRequest: true },
    });
  },
);

test.each(["openai", "gemini"])(
  "%s: shortens a longer vector only with the channel's option for it",
  async (provider) => {
    const request = { model: "embed.768--ignores-dimensions", texts: ["a"], dimensions: 128 };
    const strict = embedding(provider).embed(request, callOptions());
    await expect(strict).rejects.toMatchObject({
      code: "upstream_invalid",
      message: expect.stringMatching(/768.*128/),
    });
    const { vectors } = await embedding(provider, { dimensions: "shorten" }).embed(request, callOptions());
    expect(vectors[0]?.length).toBe(128);
  },
);

const USAGE: readonly [string, number | null][] = [
  ["", 3],
  ["--usage-minus", null],
  ["--usage-text", null],
  ["--usage-huge", null],
  ["--usage-half", null],
  ["--usage-absent", null],
];

test.each(
  ["openai", "gemini"].flatMap((provider) =>
    USAGE.map(([failure, tokens]) => [provider, failure, tokens] as const),
  ),
)("%s: reads the token count of usage '%s' as %s", async (provider, failure, tokens) => {
  const { inputTokens } = await embedding(provider).embed(
    { model: `embed${failure}`, texts: ["one two three"] },
    callOptions(),
  );
  expect(inputTokens).toBe(tokens);
});

test("splits more texts than one call takes, and adds up their tokens", async () => {
  const texts = Array.from({ length: 250 }, (_, i) => `text ${i}`);
  const before = upstream.ledger.length;
  const { vectors, inputTokens } = await embedding("gemini").embed({ model: "embed", texts }, callOptions());
  const calls = upstream.ledger.slice(before);
  expect(calls.map(({ path }) => path)).toEqual(Array(3).fill("/v1beta/models/embed:batchEmbedContents"));
  expect(vectors).toEqual(texts.map((text) => vectorOf(text, 256)));
  expect(inputTokens).toBe(calls.reduce((sum, { tokens }) => sum + tokens, 0));
});

test("sends OpenAI the requested fields, and no null", async () => {
  const before = upstream.ledger.length;
  await embedding("openai").embed(
    { model: "embed", texts: ["a"], dimensions: 64, user: "u-1" },
    callOptions(),
  );
  await embedding("openai").embed({ model: "embed", texts: ["a"] }, callOptions());
  expect(upstream.ledger.slice(before).map(({ body }) => body)).toEqual([
    { model: "embed", input: ["a"], encoding_format: "base64", dimensions: 64, user: "u-1" },
    { model: "embed", input: ["a"], encoding_format: "base64" },
  ]);
});

test("uses Azure's form: deployment in the path, api-version, api-key header", async () => {
  const before = upstream.ledger.length;
  const azure = { options: { azure_api_version: "2024-10-21" }, baseUrl: upstream.origin };
  await embedding("openai", azure.options, azure).embed({ model: "my embed", texts: ["a"] }, callOptions());
  const entry = upstream.ledger[before];
  expect(entry?.path).toBe("/openai/deployments/my%20embed/embeddings?api-version=2024-10-21");
  expect(entry?.headers["api-key"]).toBe(UPSTREAM_KEY);
  expect(entry?.headers.authorization).toBeUndefined();
});

test("sends Gemini the task and length, one text by embedContent and more in a batch", async () => {
  const before = upstream.ledger.length;
  const model = embedding("gemini");
  await model.embed(
    { model: "embed", texts: ["a"], dimensions: 64, taskType: "RETRIEVAL_QUERY" },
    callOptions(),
  );
  await model.embed({ model: "tunedModels/mine", texts: ["a", "b"] }, callOptions());
  const [single, batch] = upstream.ledger.slice(before);
  expect(single?.path).toBe("/v1beta/models/embed:embedContent");
  expect(single?.headers["x-goog-api-key"]).toBe(UPSTREAM_KEY);
  expect(single?.body).toEqual({
    model: "models/embed",
    content: { parts: [{ text: "a" }] },
    taskType: "RETRIEVAL_QUERY",
    outputDimensionality: 64,
  });
  expect(batch?.path).toBe("/v1beta/tunedModels/mine:batchEmbedContents");
  expect(batch?.body).toEqual({
    requests: ["a", "b"].map((text) => ({ model: "tunedModels/mine", content: { parts: [{ text }] } })),
  });
});
