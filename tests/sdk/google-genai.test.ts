import * as genai2 from "@google/genai";
import * as genai1 from "genai1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodePcm16, nearestVoice } from "../support/measure-audio";
import { createKey, type Product, setUp, startProduct } from "../support/product";

let product: Product;
let cookie: string;
let key: string;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
});
afterAll(() => product?.close());

// Both majors have the same API for what is used here; version 1 has different types.
const SDKS = [
  ["2", genai2],
  ["1", genai1 as unknown as typeof genai2],
] as const;

const MODEL = "patchbay-speech";

describe.each(SDKS)(
  "the official @google/genai package, major %s",
  (_major, { GoogleGenAI, ApiError, Modality }) => {
    const client = (apiKey = key, apiVersion?: string) =>
      new GoogleGenAI({
        apiKey,
        ...(apiVersion ? { apiVersion } : {}),
        httpOptions: { baseUrl: product.url },
      });
    const voice = (voiceName: string) => ({ voiceConfig: { prebuiltVoiceConfig: { voiceName } } });

    function secondsOf(base64: string | undefined): number {
      return Buffer.from(base64 ?? "", "base64").length / 48_000;
    }

    test("plays one speaker", async () => {
      const reply = await client().models.generateContent({
        model: MODEL,
        contents: "Say this: the kettle is on.",
        config: { responseModalities: [Modality.AUDIO], speechConfig: voice("Kore") },
      });
      const blob = reply.candidates?.[0]?.content?.parts?.[0]?.inlineData;
      expect(blob?.mimeType).toBe("audio/L16;codec=pcm;rate=24000");
      expect(secondsOf(blob?.data)).toBeGreaterThan(0.8);
      expect(reply.candidates?.[0]?.finishReason).toBe("STOP");
      const usage = reply.usageMetadata;
      expect(usage?.totalTokenCount).toBe(
        (usage?.promptTokenCount ?? 0) + (usage?.candidatesTokenCount ?? 0),
      );
      expect(usage?.candidatesTokenCount).toBeCloseTo(secondsOf(blob?.data) * 25, -1);
    });

    function samplesOf(base64: string | undefined): Float32Array {
      const bytes = Buffer.from(base64 ?? "", "base64");
      return decodePcm16(
        new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
      );
    }

    /** A line in each of the two voices. */
    async function inBothVoices(line: string) {
      const spoken = async (name: string) => {
        const reply = await client().models.generateContent({
          model: MODEL,
          contents: line,
          config: { responseModalities: [Modality.AUDIO], speechConfig: voice(name) },
        });
        return samplesOf(reply.data);
      };
      return { Puck: await spoken("Puck"), Kore: await spoken("Kore") };
    }

    test("plays a conversation of two speakers, each in their voice", async () => {
      const reply = await client().models.generateContent({
        model: MODEL,
        contents: "TTS the following conversation:\nJoe: How are you today?\nJane: Very well, thank you.",
        config: {
          responseModalities: [Modality.AUDIO],
          speechConfig: {
            multiSpeakerVoiceConfig: {
              speakerVoiceConfigs: [
                { speaker: "Joe", ...voice("Puck") },
                { speaker: "Jane", ...voice("Kore") },
              ],
            },
          },
        },
      });
      const both = samplesOf(reply.data);
      const joe = await inBothVoices("How are you today?");
      const jane = await inBothVoices("Very well, thank you.");
      expect(nearestVoice(both.subarray(0, joe.Puck.length), joe, 24_000)).toBe("Puck");
      expect(nearestVoice(both.subarray(-jane.Kore.length), jane, 24_000)).toBe("Kore");
    });

    test("plays a stream with the usage at the end", async () => {
      const stream = await client().models.generateContentStream({
        model: MODEL,
        contents: "The first sentence is here. The second one follows. And a third ends it.",
        config: { responseModalities: [Modality.AUDIO], speechConfig: voice("Puck") },
      });
      const frames: { seconds: number; finish: string | undefined; total: number | undefined }[] = [];
      for await (const frame of stream) {
        frames.push({
          seconds: secondsOf(frame.candidates?.[0]?.content?.parts?.[0]?.inlineData?.data),
          finish: frame.candidates?.[0]?.finishReason,
          total: frame.usageMetadata?.totalTokenCount,
        });
      }
      expect(frames.length).toBeGreaterThan(2);
      expect(frames.reduce((sum, frame) => sum + frame.seconds, 0)).toBeGreaterThan(2);
      expect(frames.at(-1)?.finish).toBe("STOP");
      expect(frames.at(-1)?.total).toBeGreaterThan(50);
      expect(
        frames.slice(0, -1).every((frame) => frame.finish === undefined && frame.total === undefined),
      ).toBe(true);
    });

    test("gets one embedding per text", async () => {
      const reply = await client().models.embedContent({
        model: "patchbay-embed",
        contents: ["first text", "second text"],
        config: { outputDimensionality: 128 },
      });
      expect(reply.embeddings?.map((one) => one.values?.length)).toEqual([128, 128]);
    });

    test("counts tokens", async () => {
      expect((await client().models.countTokens({ model: MODEL, contents: "hello world" })).totalTokens).toBe(
        2,
      );
    });

    test("lists and finds models", async () => {
      const names: (string | undefined)[] = [];
      for await (const model of await client().models.list()) names.push(model.name);
      expect(names).toEqual(expect.arrayContaining(["models/patchbay-speech", "models/patchbay-embed"]));
      expect((await client().models.get({ model: MODEL })).name).toBe("models/patchbay-speech");
    });

    test("works on version v1 of the URL", async () => {
      const reply = await client(key, "v1").models.generateContent({
        model: MODEL,
        contents: "Version one.",
        config: { responseModalities: [Modality.AUDIO] },
      });
      expect(secondsOf(reply.data)).toBeGreaterThan(0.3);
    });

    test.each([
      [400, "an unknown voice", MODEL, "Korre"],
      [404, "an unknown model", "no-such-model", "Kore"],
    ] as const)("throws its own ApiError with status %i for %s", async (status, _what, model, voiceName) => {
      const refused = await client()
        .models.generateContent({
          model,
          contents: "x",
          config: { responseModalities: [Modality.AUDIO], speechConfig: voice(voiceName) },
        })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect(refused).toMatchObject({ status });
    });

    test("throws its own ApiError with status 401 for a wrong key", async () => {
      const refused = await client("sk-pb-wrong")
        .models.list()
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect(refused).toMatchObject({ status: 401 });
    });

    test("throws its own ApiError with status 429 when the key's rate limit is reached", async () => {
      const narrow = await createKey(product.url, cookie, { name: "narrow", rpm: 1 });
      await client(narrow).models.get({ model: MODEL });
      const refused = await client(narrow)
        .models.get({ model: MODEL })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ApiError);
      expect(refused).toMatchObject({ status: 429 });
    });
  },
);
