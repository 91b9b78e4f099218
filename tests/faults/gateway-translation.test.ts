import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { medianPitch } from "../support/measure-audio";
import {
  expectFailure,
  type Reply,
  type RoutedProduct,
  samplesOf,
  spoken,
  startRouted,
} from "../support/routed-product";
import { pitchOf, tonePcm, vectorOf } from "../support/upstream/sounds";

/** Translation between the caller's dialect and the channel's: the upstream requests, and the replies. */

let routed: RoutedProduct;
beforeAll(async () => {
  routed = await startRouted();
});
afterAll(() => routed?.close());

const TEXT = "The quick brown fox jumps over the lazy dog.";

/** The last upstream call that requested speech or embeddings. */
function lastCall() {
  const call = routed.upstream.ledger.findLast((one) => one.method === "POST");
  // The tests know the shape of the requests that they cause.
  return { path: call?.path ?? "", body: call?.body as ReturnType<typeof JSON.parse> };
}

function floats(pcm: Buffer): Float32Array {
  return Float32Array.from({ length: pcm.length >> 1 }, (_, at) => pcm.readInt16LE(at * 2) / 32_768);
}

const seconds = (pcm: Buffer) => pcm.length / 48_000;

describe("Gemini's dialect on an OpenAI channel", () => {
  test("speaks with the equivalent voice, and returns exactly the upstream's samples", async () => {
    const { name } = await routed.route("speech", [{ as: "tts", options: { list_voices: false } }]);
    const [path, body] = spoken("gemini", name, TEXT);
    const reply = await routed.send(path, {
      ...(body as object),
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
      },
    });
    const sent = lastCall();
    expect(sent.path).toBe("/v1/audio/speech");
    expect(sent.body).toMatchObject({ model: "tts", input: TEXT, response_format: "pcm" });
    expect(sent.body.voice).toMatch(/^[a-z]+$/);
    expect(reply.json.candidates[0].content.parts[0].inlineData.mimeType).toBe(
      "audio/L16;codec=pcm;rate=24000",
    );
    expect(samplesOf(reply).equals(tonePcm(TEXT, sent.body.voice, 24_000))).toBe(true);
    expect(reply.json.modelVersion).toBe(name);
  });

  test("speaks a conversation line by line, each speaker with the voice mapped by the operator", async () => {
    const voices = { Puck: "echo", Kore: "nova" };
    const { name } = await routed.route("speech", [{ as: "tts", options: { list_voices: false, voices } }]);
    const speakerVoice = (speaker: string, voiceName: string) => ({
      speaker,
      voiceConfig: { prebuiltVoiceConfig: { voiceName } },
    });
    const before = routed.upstream.ledger.length;
    const reply = await routed.send(`/v1beta/models/${name}:generateContent`, {
      contents: [
        { parts: [{ text: "TTS the following:\nJoe: Is the kettle on?\nJane: It is.\nJoe: Good." }] },
      ],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [speakerVoice("Joe", "Puck"), speakerVoice("Jane", "Kore")],
          },
        },
      },
    });
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    const lines = routed.upstream.ledger
      .slice(before)
      .map(({ body }) => body as { input: string; voice: string })
      .map(({ input, voice }) => [voice, input.trim()]);
    expect(lines).toEqual([
      ["echo", "Is the kettle on?"],
      ["nova", "It is."],
      ["echo", "Good."],
    ]);
    const pcm = samplesOf(reply);
    expect(seconds(pcm)).toBeCloseTo(1.5, 1);
    // Each line lasts half a second; the middle one has the pitch of the other voice.
    const pitch = (from: number) =>
      medianPitch(floats(pcm.subarray(from * 48_000, (from + 0.4) * 48_000)), 24_000);
    expect(pitch(0.05)).toBeCloseTo(pitchOf("echo"), -1);
    expect(pitch(0.55)).toBeCloseTo(pitchOf("nova"), -1);
    expect(pitch(1.05)).toBeCloseTo(pitchOf("echo"), -1);
    const [row] = await routed.rows(name);
    expect(row).toMatchObject({ status: 200, attempts: 1, audio_ms: Math.round(pcm.length / 48) });
  });

  test("streams frames of whole samples, with usage only in the last frame", async () => {
    const { name } = await routed.route("speech", [{ as: "tts" }]);
    const [path, body] = spoken("gemini", name, TEXT.repeat(5));
    const reply = await routed.send(path.replace(":generateContent", ":streamGenerateContent?alt=sse"), body);
    const frames = reply.text
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.replace(/^data: /, "")));
    expect(frames.length).toBeGreaterThan(1);
    const pieces = frames.map((frame) =>
      Buffer.from(frame.candidates[0].content.parts[0].inlineData.data, "base64"),
    );
    expect(pieces.every((piece) => piece.length % 2 === 0)).toBe(true);
    expect(Buffer.concat(pieces).equals(tonePcm(TEXT.repeat(5), lastCall().body.voice, 24_000))).toBe(true);
    expect(frames.map((frame) => frame.usageMetadata !== undefined)).toEqual(
      frames.map((_, at) => at === frames.length - 1),
    );
  });

  test.each([
    ["raw samples at 16 kHz", "tts--rate-16000"],
    ["raw samples at 44.1 kHz", "tts--rate-44100"],
    ["a WAV file at 22.05 kHz", "tts--wav-22050"],
    ["a WAV file of unknown length", "tts--wav-endless"],
  ])("converts %s to 24 kHz with the same length and pitch", async (_what, as) => {
    const { name } = await routed.route("speech", [{ as }]);
    const pcm = samplesOf(await routed.send(...spoken("gemini", name, TEXT)));
    expect(seconds(pcm)).toBeCloseTo(0.5, 1);
    expect(medianPitch(floats(pcm), 24_000)).toBeCloseTo(pitchOf(lastCall().body.voice), -1);
  });
});

describe("OpenAI's dialect on a Gemini channel", () => {
  const MAGIC: Readonly<Record<string, (reply: Reply) => boolean>> = {
    mp3: ({ bytes }) => bytes.toString("latin1", 0, 3) === "ID3" || bytes[0] === 0xff,
    opus: ({ bytes }) => bytes.toString("latin1", 0, 4) === "OggS",
    aac: ({ bytes }) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf0) === 0xf0,
    flac: ({ bytes }) => bytes.toString("latin1", 0, 4) === "fLaC",
    wav: ({ bytes }) => bytes.toString("latin1", 0, 4) === "RIFF" && bytes.readUInt32LE(24) === 24_000,
    pcm: ({ bytes }) => bytes.equals(tonePcm(TEXT, voiceSent(), 24_000)),
  };
  function voiceSent(): string {
    return lastCall().body.generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName;
  }

  test.each(Object.entries(MAGIC))("returns audio in the format %s", async (format, hasFormat) => {
    const { name } = await routed.route("speech", [{ as: "tts", provider: "gemini" }]);
    const body = { model: name, input: TEXT, voice: "nova", response_format: format };
    const reply = await routed.send("/v1/audio/speech", body);
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    expect(hasFormat(reply)).toBe(true);
    const sent = lastCall();
    expect(sent.path).toBe("/v1beta/models/tts:streamGenerateContent?alt=sse");
    expect(sent.body.contents[0].parts).toEqual([{ text: TEXT }]);
    // One of Gemini's own voices.
    expect(voiceSent()).toMatch(/^[A-Z][a-z]+$/);
  });

  test("refuses 'speed', which Gemini does not support, instead of ignoring it", async () => {
    const { name } = await routed.route("speech", [{ as: "tts", provider: "gemini" }]);
    const reply = await routed.send("/v1/audio/speech", {
      model: name,
      input: TEXT,
      voice: "nova",
      speed: 1.5,
    });
    expectFailure("openai", reply, 400);
    expect(reply.json.error.param).toBe("speed");
  });

  test("passes 'speed' to the next channel that supports it without counting an attempt", async () => {
    const { name } = await routed.route("speech", [{ as: "tts", provider: "gemini" }, { as: "tts" }]);
    const reply = await routed.send("/v1/audio/speech", {
      model: name,
      input: TEXT,
      voice: "nova",
      speed: 2,
      response_format: "pcm",
    });
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    expect(reply.headers["x-patchbay-channel"]).toBe(`${name}-1`);
    expect(reply.headers["x-patchbay-attempts"]).toBe("1");
    expect(lastCall().body.speed).toBe(2);
  });
});

describe("OpenAI's embeddings on a Gemini channel", () => {
  const ask = async (fields: object, model: Record<string, unknown> = {}) => {
    const { name } = await routed.route("embeddings", [{ as: "embed.16", provider: "gemini" }], model);
    return routed.send("/v1/embeddings", { model: name, ...fields });
  };

  test("keep their order, count and numbers", async () => {
    const input = ["one", "two", "three"];
    const { json } = await ask({ input });
    expect(lastCall().path).toBe("/v1beta/models/embed.16:batchEmbedContents");
    for (const [at, text] of input.entries()) {
      expect(json.data[at].index).toBe(at);
      for (const [i, value] of vectorOf(text, 16).entries())
        expect(json.data[at].embedding[i]).toBeCloseTo(value, 5);
    }
  });

  test("are shortened to 'dimensions' by the upstream and normalised again", async () => {
    const { json } = await ask({ input: "one", dimensions: 4 });
    expect(lastCall().body.outputDimensionality).toBe(4);
    const vector: number[] = json.data[0].embedding;
    const cut = [...vectorOf("one", 16).subarray(0, 4)];
    const norm = Math.hypot(...cut);
    expect(norm).toBeLessThan(0.9);
    for (const [at, number] of cut.entries()) expect(vector[at]).toBeCloseTo(number / norm, 5);
  });

  test("are the same numbers in base64 and as floats", async () => {
    const { name } = await routed.route("embeddings", [{ as: "embed.16", provider: "gemini" }]);
    const get = async (encoding_format: string) =>
      (await routed.send("/v1/embeddings", { model: name, input: "one", encoding_format })).json.data[0]
        .embedding;
    const bytes = Buffer.from(await get("base64"), "base64");
    const numbers: number[] = await get("float");
    expect(bytes.length).toBe(64);
    expect(numbers.map((_, at) => bytes.readFloatLE(at * 4))).toEqual(numbers.map(Math.fround));
  });

  test("of token IDs are requested from the upstream with the decoded texts", async () => {
    const { json } = await ask({ input: [[15339, 1917], [15339]] });
    const texts = lastCall().body.requests.map(
      (one: { content: { parts: { text: string }[] } }) => one.content.parts[0]?.text,
    );
    expect(texts).toEqual(["hello world", "hello"]);
    expect(json.data).toHaveLength(2);
  });

  test("of 768 numbers in place of 1,024 requested ones are refused with both sizes", async () => {
    const { name } = await routed.route("embeddings", [
      { as: "embed.768--ignores-dimensions", provider: "gemini" },
    ]);
    const reply = await routed.send("/v1/embeddings", { model: name, input: "one", dimensions: 1_024 });
    expectFailure("openai", reply, 502, "upstream_invalid");
    expect(reply.json.error.message).toMatch(/768.*1,?024|1,?024.*768/);
  });
});

test("Gemini's embeddings on an OpenAI channel keep their order and size", async () => {
  const { name } = await routed.route("embeddings", [{ as: "embed.16" }]);
  const requests = ["one", "two"].map((text) => ({
    model: `models/${name}`,
    content: { parts: [{ text }] },
    outputDimensionality: 8,
  }));
  const { json } = await routed.send(`/v1beta/models/${name}:batchEmbedContents`, { requests });
  expect(lastCall().body).toMatchObject({ model: "embed.16", input: ["one", "two"], dimensions: 8 });
  expect(json.embeddings[1].values).toHaveLength(8);
  for (const [at, value] of vectorOf("two", 8).entries())
    expect(json.embeddings[1].values[at]).toBeCloseTo(value, 5);
});

test("answers an alias under its own name in every dialect", async () => {
  const aliases = [`alias-${Date.now()}`];
  const [alias = ""] = aliases;
  await routed.route("embeddings", [{ as: "embed.8" }], { aliases });
  expect((await routed.send("/v1/embeddings", { model: alias, input: "a" })).json.model).toBe(alias);
  const engines = await routed.send(`/v1/engines/${alias}/embeddings`, { model: alias, input: "a" });
  expect(engines.json.model).toBe(alias);
  expect(lastCall().body.model).toBe("embed.8");
  const speech = await routed.route("speech", [{ as: "tts" }], { aliases: [`${alias}-speech`] });
  const reply = await routed.send(...spoken("gemini", `${alias}-speech`, TEXT));
  expect(reply.json.modelVersion).toBe(`${alias}-speech`);
  expect((await routed.rows(speech.name))[0]?.model).toBe(speech.name);
});
