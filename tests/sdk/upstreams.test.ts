import * as genai2 from "@google/genai";
import * as genai1 from "genai1";
import OpenAI6 from "openai";
import OpenAI5 from "openai5";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RoutedProduct, startRouted } from "../support/routed-product";
import { tonePcm, vectorOf } from "../support/upstream/sounds";

/** The official SDKs, unmodified, with their default retries, on upstream channels. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted({
    env: {
      PATCHBAY_LIMITS: JSON.stringify({
        speechFirstByteMs: 1_000,
        embeddingsFirstByteMs: 1_000,
        idleMs: 400,
      }),
    },
  });
});
afterAll(() => routed?.close());

const TEXT = "The kettle is on, and the cups are warm.";
const ATTEMPTS = 3;
const paidCalls = () => routed.upstream.ledger.filter((call) => call.method === "POST").length;

/** Failures of the upstream that every attempt of a call meets, on each of its four channels. */
const FAILURES = [
  "status-500",
  "status-503",
  "status-408",
  "limited-3",
  "limited-0",
  "reset-before-headers",
  "black-hole",
  "garbage",
  "redirect-302",
  "status-401",
];

// Both majors of each have the same API for what is used here; the older ones have different types.
const OPENAI = [
  ["6", OpenAI6],
  ["5", OpenAI5 as unknown as typeof OpenAI6],
] as const;
const GENAI = [
  ["2", genai2],
  ["1", genai1 as unknown as typeof genai2],
] as const;

describe.each(OPENAI)("the official openai package, major %s", (_major, OpenAI) => {
  const client = () => new OpenAI({ apiKey: routed.key, baseURL: `${routed.product.url}/v1` });

  test.each(FAILURES)(
    "makes no more upstream calls than the attempt limit allows, despite its two own retries ('%s')",
    async (failure) => {
      const targets = Array.from({ length: 4 }, () => ({ as: `embed.8--${failure}` }));
      const { name } = await routed.route("embeddings", targets);
      const before = paidCalls();
      const refused = await client()
        .embeddings.create({ model: name, input: TEXT })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(OpenAI.APIError);
      const calls = paidCalls() - before;
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThanOrEqual(ATTEMPTS);
    },
  );

  test("gets vectors after a failover from a failing channel, as base64 and as numbers", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.8--status-503" }, { as: "embed.8" }]);
    const decoded = await client().embeddings.create({ model: name, input: TEXT });
    expect(decoded.data[0]?.embedding).toEqual([...vectorOf(TEXT, 8)]);
    const numbers = await client().embeddings.create({ model: name, input: TEXT, encoding_format: "float" });
    expect([...Float32Array.from(numbers.data[0]?.embedding ?? [])]).toEqual(decoded.data[0]?.embedding);
    expect(decoded.model).toBe(name);
  });

  test("plays speech of a Gemini channel", async () => {
    const { name } = await routed.route("speech", [{ as: "tts", provider: "gemini" }]);
    const reply = await client().audio.speech.create({
      model: name,
      voice: "alloy",
      input: TEXT,
      response_format: "pcm",
    });
    const length = tonePcm(TEXT, "any", 24_000).length;
    expect((await reply.arrayBuffer()).byteLength).toBe(length);
  });

  test("reports a stream that breaks as an error, never as the end of the speech", async () => {
    const { name } = await routed.route("speech", [{ as: "tts--cut-at-chunk-3" }]);
    const reply = await client().audio.speech.create({
      model: name,
      voice: "alloy",
      input: TEXT,
      response_format: "pcm",
    });
    await expect(reply.arrayBuffer()).rejects.toThrow();
  });
});

describe.each(GENAI)(
  "the official @google/genai package, major %s",
  (_major, { GoogleGenAI, ApiError, Modality }) => {
    const client = () =>
      new GoogleGenAI({ apiKey: routed.key, httpOptions: { baseUrl: routed.product.url } });
    const config = { responseModalities: [Modality.AUDIO] };

    test.each(FAILURES)(
      "makes no more upstream calls than the attempt limit allows ('%s')",
      async (failure) => {
        const targets = Array.from({ length: 4 }, () => ({ as: `tts--${failure}` }));
        const { name } = await routed.route("speech", targets);
        const before = paidCalls();
        const refused = await client()
          .models.generateContent({ model: name, contents: TEXT, config })
          .catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(ApiError);
        const calls = paidCalls() - before;
        expect(calls).toBeGreaterThan(0);
        expect(calls).toBeLessThanOrEqual(ATTEMPTS);
      },
    );

    test("plays speech of an OpenAI channel, whole and streamed, after a failover from a failing one", async () => {
      const targets = [{ as: "tts--no-audio" }, { as: "tts" }];
      const { name } = await routed.route("speech", targets);
      const whole = await client().models.generateContent({ model: name, contents: TEXT, config });
      const length = tonePcm(TEXT, "any", 24_000).length;
      expect(Buffer.from(whole.data ?? "", "base64").length).toBe(length);
      let bytes = 0;
      for await (const frame of await client().models.generateContentStream({
        model: name,
        contents: TEXT,
        config,
      })) {
        bytes += Buffer.from(frame.data ?? "", "base64").length;
      }
      expect(bytes).toBe(length);
    });

    test("reports a stream that breaks as an error, never as the end of the speech", async () => {
      const { name } = await routed.route("speech", [{ as: "tts--cut-at-chunk-3", provider: "gemini" }]);
      let bytes = 0;
      const listen = async () => {
        const stream = await client().models.generateContentStream({ model: name, contents: TEXT, config });
        for await (const frame of stream) bytes += Buffer.from(frame.data ?? "", "base64").length;
      };
      await expect(listen()).rejects.toThrow();
      expect(bytes).toBeGreaterThan(0);
    });

    test("gets embeddings of an OpenAI channel", async () => {
      const { name } = await routed.route("embeddings", [{ as: "embed.8" }]);
      const reply = await client().models.embedContent({ model: name, contents: [TEXT, "another"] });
      expect(reply.embeddings?.map((one) => one.values?.length)).toEqual([8, 8]);
    });
  },
);
