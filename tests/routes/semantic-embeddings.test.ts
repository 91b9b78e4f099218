import { expect, test } from "vitest";
import type { EmbeddingModel, EmbeddingRequest } from "@/lib/ports/embedding-model";
import { embedModel, lexicalChannel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";

const MODEL = "patchbay-embed-en";
const NOTICE = "The input does not look like English.";

/** The gateway with an engine that counts one token per letter, and stops above a limit. */
function openSemantic(maxInputTokens = 20) {
  const requests: EmbeddingRequest[] = [];
  const engine: EmbeddingModel = {
    tokens: {
      *countInSteps(text, limit = Number.POSITIVE_INFINITY) {
        yield;
        return Math.min([...text].length, limit + 1);
      },
    },
    embed: async (request) => {
      requests.push(request);
      const isForeign = request.texts.some((text) => /\P{ASCII}/u.test(text));
      const vectors = request.texts.map(() => new Float32Array(512).fill(1));
      return { vectors, inputTokens: null, ...(isForeign ? { notice: NOTICE } : {}) };
    },
  };
  const harness = openGatewayHarness({
    models: [embedModel({ name: MODEL, aliases: [], dimensions: 512, maxInputTokens, cacheable: false })],
    channels: [lexicalChannel({ provider: "semantic", models: [{ name: MODEL, upstreamName: MODEL }] })],
    engine: () => engine,
  });
  return { harness, requests };
}

test("counts the tokens of a built-in model by the model's own vocabulary, in the reply and in the ledger", async () => {
  const { harness } = openSemantic();
  const texts = await harness.call("/v1/embeddings", {
    body: { model: MODEL, input: ["four", "nine char"] },
  });
  expect(texts.json.usage).toEqual({ prompt_tokens: 13, total_tokens: 13 });
  // "hello world" as cl100k_base: two IDs, eleven letters.
  const ids = await harness.call("/v1/embeddings", { body: { model: MODEL, input: [15339, 1917] } });
  expect(ids.json.usage.prompt_tokens).toBe(11);
  expect(harness.rows.map((row) => [row.inputTokens, row.estimated])).toEqual([
    [13, false],
    [11, false],
  ]);
  const counted = await harness.call(`/v1beta/models/${MODEL}:countTokens`, {
    body: { contents: [{ parts: [{ text: "four" }] }] },
  });
  expect(counted.json.totalTokens).toBe(4);
});

test.each<[string | number[]]>([["hello world"], [[15339, 1917]]])(
  "accepts a text of as many cl100k_base tokens as the limit, of which its own vocabulary makes more: %j",
  async (input) => {
    const { harness, requests } = openSemantic(2);
    const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input } });
    expect([reply.status, reply.json.usage]).toEqual([200, { prompt_tokens: 11, total_tokens: 11 }]);
    expect(requests.map(({ texts }) => texts)).toEqual([["hello world"]]);
  },
);

test("accepts a text that is too long by cl100k_base only", async () => {
  const { harness } = openSemantic(2);
  // Several cl100k_base tokens each.
  const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input: "𓀀𓀁" } });
  expect([reply.status, reply.json.usage]).toEqual([200, { prompt_tokens: 2, total_tokens: 2 }]);
});

test("refuses a text that is longer than the model accepts by both vocabularies, before the engine is asked", async () => {
  const { harness, requests } = openSemantic();
  const reply = await harness.call("/v1/embeddings", {
    body: { model: MODEL, input: ["ok", "a ".repeat(21)] },
  });
  expect(reply.status).toBe(400);
  expect(reply.json.error).toMatchObject({
    param: "input",
    code: "context_length_exceeded",
    message: expect.stringMatching(/maximum context length is 20 tokens \(input 1\)/),
  });
  expect(requests).toEqual([]);
});

test("sends the engine's notice as x-patchbay-notice, in OpenAI's and in Gemini's API", async () => {
  const { harness } = openSemantic();
  const ask = (input: string) => [
    harness.call("/v1/embeddings", { body: { model: MODEL, input } }),
    harness.call(`/v1/engines/${MODEL}/embeddings`, { body: { model: MODEL, input } }),
    harness.call(`/v1beta/models/${MODEL}:embedContent`, { body: { content: { parts: [{ text: input }] } } }),
  ];
  for (const reply of await Promise.all(ask("schön"))) {
    expect([reply.status, reply.headers["x-patchbay-notice"]]).toEqual([200, NOTICE]);
  }
  for (const reply of await Promise.all(ask("fine"))) {
    expect([reply.status, reply.headers["x-patchbay-notice"]]).toEqual([200, undefined]);
  }
});
