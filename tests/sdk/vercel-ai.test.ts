import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, embed, embedMany, experimental_generateSpeech as generateSpeech } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";

let product: Product;
let key: string;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  key = await createKey(product.url, await setUp(product.url));
});
afterAll(() => product?.close());

const openai = () => createOpenAI({ apiKey: key, baseURL: `${product.url}/v1` });
const google = () => createGoogleGenerativeAI({ apiKey: key, baseURL: `${product.url}/v1beta` });

test("Vercel's AI SDK speaks through its OpenAI provider", async () => {
  const { audio } = await generateSpeech({
    model: openai().speech("patchbay-speech"),
    text: "Hello from the other side.",
    voice: "coral",
    outputFormat: "wav",
  });
  expect(Buffer.from(audio.uint8Array.subarray(0, 4)).toString("latin1")).toBe("RIFF");
  expect(audio.uint8Array.length).toBeGreaterThan(24_000);
});

test("Vercel's AI SDK embeds one text and many through its OpenAI provider", async () => {
  const model = openai().embedding("patchbay-embed");
  const one = await embed({ model, value: "a river in spring" });
  expect(one.embedding).toHaveLength(1024);
  const many = await embedMany({ model, values: ["a river in spring", "a stone"] });
  expect(many.embeddings[0]).toEqual(one.embedding);
  expect(many.usage.tokens).toBeGreaterThan(4);
});

test("Vercel's AI SDK embeds through its Google provider", async () => {
  const { embeddings } = await embedMany({
    model: google().embedding("patchbay-embed"),
    values: ["uno", "dos"],
    providerOptions: { google: { outputDimensionality: 64 } },
  });
  expect(embeddings.map((vector) => vector.length)).toEqual([64, 64]);
});

test("Vercel's AI SDK throws its own APICallError for an unknown model, and does not offer a retry", async () => {
  const refused = await embed({
    model: openai().embedding("no-such-model"),
    value: "x",
    maxRetries: 0,
  }).catch((error: unknown) => error);
  expect(APICallError.isInstance(refused)).toBe(true);
  expect(refused).toMatchObject({ statusCode: 404, isRetryable: false });
});
