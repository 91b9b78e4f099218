import { expect, test } from "vitest";
import type { EmbeddingModel, EmbeddingRequest } from "@/lib/ports/embedding-model";
import { embedModel, lexicalChannel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";

const MODEL = "patchbay-embed-en";
const NOTICE = "Not English: 0 of 1.";

/** The gateway with an engine that counts one token per letter, and stops above a limit. */
function openSemantic(maxInputTokens = 20, cacheable = false) {
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
      const texts = request.texts.flatMap((text, at) => (/\P{ASCII}/u.test(text) ? [at] : []));
      const vectors = request.texts.map(() => new Float32Array(512).fill(1));
      const text = (inputs: readonly number[], of: number) => `Not English: ${inputs.join(", ")} of ${of}.`;
      return { vectors, inputTokens: null, ...(texts.length > 0 ? { notice: { texts, text } } : {}) };
    },
  };
  const harness = openGatewayHarness({
    models: [embedModel({ name: MODEL, aliases: [], dimensions: 512, maxInputTokens, cacheable })],
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
  "accepts a text within the limit in cl100k_base tokens and above it in the model's own tokens: %j",
  async (input) => {
    const { harness, requests } = openSemantic(2);
    const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input } });
    expect([reply.status, reply.json.usage]).toEqual([200, { prompt_tokens: 11, total_tokens: 11 }]);
    expect(requests.map(({ texts }) => texts)).toEqual([["hello world"]]);
  },
);

test("accepts a text within the limit in the model's own tokens and above it in cl100k_base tokens", async () => {
  const { harness } = openSemantic(2);
  // Several cl100k_base tokens each.
  const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input: "𓀀𓀁" } });
  expect([reply.status, reply.json.usage]).toEqual([200, { prompt_tokens: 2, total_tokens: 2 }]);
});

test("refuses a text above the limit in both vocabularies, before the engine is called", async () => {
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

test("names texts in a notice by their place in the request, whichever texts are cached, and in each repeat", async () => {
  const { harness, requests } = openSemantic(20, true);
  const ask = async (...input: string[]) => {
    const reply = await harness.call("/v1/embeddings", { body: { model: MODEL, input } });
    return [reply.headers["x-patchbay-cache"], reply.headers["x-patchbay-notice"]];
  };
  expect(await ask("fine", "also fine")).toEqual(["miss", undefined]);
  const expected = ["miss", "Not English: 1 of 3."];
  expect(await ask("fine", "schön", "also fine")).toEqual(expected);
  expect(await ask("fine", "schön", "also fine")).toEqual(expected);
  expect(requests.map(({ texts }) => texts)).toEqual([["fine", "also fine"], ["schön"], ["schön"]]);
});
