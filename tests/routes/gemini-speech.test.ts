import { describe, expect, it } from "vitest";
import type { Limits } from "../../lib/contracts/limits";
import { AppError } from "../../lib/errors";
import { BufferedReplies } from "../../lib/gateway/speech/buffered-replies";
import type { Voice } from "../../lib/ports/speech-model";
import type { StopSignal } from "../../lib/ports/stop-signal";
import { EMBEDDED_VOICES } from "../../lib/providers/embedded-speech/voices";
import { speechChannel } from "../support/factories";
import {
  chunksOf,
  END,
  openSpeechHarness,
  readBody,
  ScriptedSpeech,
  spoken,
} from "../support/speech-harness";
import { collect, tone } from "../support/tone";

const PATH = "/v1beta/models/patchbay-speech:generateContent";
const STREAM = "/v1beta/models/patchbay-speech:streamGenerateContent";
const AUDIO = { responseModalities: ["AUDIO"] };
const GOOD = { contents: [{ parts: [{ text: "one two three" }] }], generationConfig: AUDIO };
const speaking = (fields: object) => ({ ...GOOD, generationConfig: { ...AUDIO, ...fields } });
const voice = (voiceName: string) => ({ prebuiltVoiceConfig: { voiceName } });

function harness(speech = new ScriptedSpeech(() => spoken(1)), options = {}) {
  return { speech, ...openSpeechHarness([{ channel: speechChannel("a"), speech }], options) };
}
/** Rejects when the signal aborts. */
function aborted(signal: StopSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function json(reply: Awaited<ReturnType<ReturnType<typeof harness>["post"]>>) {
  return JSON.parse((await readBody(reply)).bytes.toString());
}

describe("generateContent", () => {
  it.each<[string, object]>([
    ["no voice", GOOD],
    ["a voice", speaking({ speechConfig: { voiceConfig: voice("Kore") } })],
    [
      "two speakers",
      speaking({
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [
              { speaker: "Ada", voiceConfig: voice("Kore") },
              { speaker: "Bob", voiceConfig: voice("Puck") },
            ],
          },
        },
      }),
    ],
  ])(
    "answers 503 for a model without a channel and without a default voice, given %s",
    async (_name, body) => {
      const { post, rows } = openSpeechHarness([], { model: { defaultVoice: null } });
      const reply = await post(PATH, body);
      expect(reply.status).toBe(503);
      expect(reply.headers["retry-after"]).toBe("1");
      expect((await json(reply)).error).toEqual({
        code: 503,
        message: "No channel can serve the model 'patchbay-speech' at the moment.",
        status: "UNAVAILABLE",
      });
      expect(rows).toMatchObject([{ status: 503, error: "no_channel_available", costNano: 0 }]);
    },
  );

  it("answers with the audio in base64, the usage and the requested model", async () => {
    const { post, rows, speech } = harness();
    const reply = await post("/v1beta/models/tts-1:generateContent", GOOD);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-patchbay-channel": "a",
      "x-patchbay-attempts": "1",
    });
    const body = await json(reply);
    const data = body.candidates[0].content.parts[0].inlineData.data;
    expect(Buffer.from(data, "base64")).toEqual(await collect(tone(1)));
    expect(body).toEqual({
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data } }],
          },
          finishReason: "STOP",
          index: 0,
          safetyRatings: [],
        },
      ],
      usageMetadata: {
        promptTokenCount: 3,
        candidatesTokenCount: 25,
        totalTokenCount: 28,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 3 }],
        candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 25 }],
      },
      modelVersion: "tts-1",
      responseId: expect.stringMatching(/^[\w-]{20}$/),
    });
    expect(rows).toMatchObject([
      { status: 200, inputTokens: 3, outputTokens: 25, audioMs: 1_000, characters: 13 },
    ]);
    expect(speech.running).toBe(0);
  });

  it("writes the JSON while the audio is synthesised, with the usage last", async () => {
    let made = 0;
    const speech = new ScriptedSpeech(async function* () {
      for await (const event of spoken(60)) {
        made += 1;
        yield event;
      }
    });
    const { post } = harness(speech);
    const body = chunksOf(await post(PATH, GOOD));
    const first = await body.next();
    expect(Buffer.from(first.value).toString()).toMatch(/^\{"candidates":\[.*"data":"[A-Za-z0-9+/]+$/);
    expect(made).toBeLessThanOrEqual(2);
    await body.return?.();
  });

  it("sends the last bytes only once the usage row is on disk", async () => {
    let onDisk = () => {};
    const settling = new Promise<void>((resolve) => {
      onDisk = resolve;
    });
    const { post, rows } = harness(undefined, { settling });
    const body = chunksOf(await post(PATH, GOOD));
    let text = "";
    for (let i = 0; i < 5; i += 1) text += Buffer.from((await body.next()).value).toString();
    const last = body.next();
    const winner = await Promise.race([
      last.then(() => "reply"),
      new Promise((resolve) => setImmediate(resolve, "row")),
    ]);
    expect(winner).toBe("row");
    expect(rows).toEqual([]);
    onDisk();
    text += Buffer.from((await last).value).toString();
    expect(rows).toHaveLength(1);
    expect(JSON.parse(text).usageMetadata.totalTokenCount).toBe(28);
  });

  it("accepts snake_case at every depth", async () => {
    const { post, speech } = harness();
    const reply = await post(PATH, {
      contents: [{ parts: [{ text: "hi" }] }],
      generation_config: {
        response_modalities: ["audio"],
        speech_config: {
          voice_config: { prebuilt_voice_config: { voice_name: "PUCK" } },
          language_code: "en-GB",
        },
      },
    });
    expect(reply.status).toBe(200);
    expect(speech.requests[0]).toMatchObject({
      segments: [{ text: "hi", voice: "Puck" }],
      language: "en-GB",
    });
    expect(speech.requests[0]?.source?.body).toHaveProperty(
      "generationConfig.speechConfig.languageCode",
      "en-GB",
    );
    await readBody(reply);
  });

  it("accepts the newer fields for voice, style and format, and returns a WAV file on request", async () => {
    const { post, speech } = harness();
    const reply = await post(PATH, {
      contents: [{ parts: [{ text: "hi", speechMetadata: { style: "whispered" } }] }],
      generationConfig: {
        ...AUDIO,
        speechConfig: { voiceConfig: { voice: "zephyr" } },
        responseFormat: { audio: { mimeType: "AUDIO_WAV" } },
      },
    });
    const { inlineData } = (await json(reply)).candidates[0].content.parts[0];
    const wav = Buffer.from(inlineData.data, "base64");
    expect(inlineData.mimeType).toBe("audio/wav");
    expect(wav.readUInt32LE(40)).toBe(48_000);
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect(wav.subarray(44)).toEqual(await collect(tone(1)));
    expect(speech.requests[0]?.segments).toEqual([{ text: "hi", voice: "Zephyr", style: "whispered" }]);
  });

  it("assigns a conversation to its speakers", async () => {
    const { post, speech } = harness();
    const reply = await post(PATH, {
      contents: [
        {
          parts: [
            { text: "TTS the conversation between Joe and Jane:\nJoe: Hello.\nHow are you?" },
            { text: "JANE: Fine." },
          ],
        },
      ],
      generationConfig: {
        ...AUDIO,
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [
              { speaker: "Joe", voiceConfig: voice("Kore") },
              { speaker: "Jane", voiceConfig: voice("puck") },
            ],
          },
        },
      },
    });
    await readBody(reply);
    expect(speech.requests[0]?.segments).toEqual([
      { text: "Hello.\nHow are you?", voice: "Kore", speaker: "Joe" },
      { text: "Fine.", voice: "Puck", speaker: "Jane" },
    ]);
  });

  it("finds the speaker of a part whose name is in another Unicode form (NFC or NFD)", async () => {
    const { post, speech } = harness();
    const reply = await post(PATH, {
      contents: [{ parts: [{ text: "hello", speechMetadata: { speaker: "Jose\u0301" } }] }],
      generationConfig: {
        ...AUDIO,
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [
              { speaker: "Ada", voiceConfig: voice("Puck") },
              { speaker: "Jos\u00e9", voiceConfig: voice("Kore") },
            ],
          },
        },
      },
    });
    await readBody(reply);
    expect(speech.requests[0]?.segments).toEqual([{ text: "hello", voice: "Kore", speaker: "Jos\u00e9" }]);
  });

  it("refuses two speakers whose names differ in their Unicode form only", async () => {
    const speakerVoiceConfigs = ["Jos\u00e9", "Jose\u0301"].map((speaker) => ({
      speaker,
      voiceConfig: voice("Kore"),
    }));
    const reply = await harness().post(PATH, {
      contents: [{ parts: [{ text: "Jos\u00e9: hello" }] }],
      generationConfig: { ...AUDIO, speechConfig: { multiSpeakerVoiceConfig: { speakerVoiceConfigs } } },
    });
    expect(reply.status).toBe(400);
    expect((await readBody(reply)).bytes.toString()).toContain("is also the name of another speaker");
  });

  it("counts instructions unless a built-in engine answers, which ignores them", async () => {
    const body = { ...GOOD, systemInstruction: { parts: [{ text: "hello world" }] } };
    const failing = new ScriptedSpeech(() => {
      throw new AppError("upstream_error", "Down.");
    });
    const upstream = {
      channel: speechChannel("g", { provider: "gemini", embedded: false }),
      speech: failing,
    };
    const inside = {
      channel: speechChannel("e", { priority: 9 }),
      speech: new ScriptedSpeech(() => spoken(1)),
    };
    const { post, rows, reserved } = openSpeechHarness([upstream, inside]);
    await readBody(await post(PATH, body));
    expect([reserved[0]?.inputTokens, rows[0]?.inputTokens]).toEqual([5, 3]);
  });

  it("counts at most 200,000 characters of instructions", async () => {
    const channel = speechChannel("g", { provider: "gemini", embedded: false });
    const { post, reserved } = openSpeechHarness([{ channel, speech: new ScriptedSpeech(() => spoken(1)) }]);
    const systemInstruction = { parts: [{ text: "a ".repeat(360_000) }] };
    await readBody(await post(PATH, { ...GOOD, systemInstruction }));
    // "a " 100,000 times has 100,000 tokens; the text has 3.
    expect(reserved[0]?.inputTokens).toBe(100_000 + 3);
  });

  it.each([
    ["the channel's first voice, which has not the model's first one", ["Sulafat", "Puck"], null, "Sulafat"],
    ["the model's first voice where the channel has it", ["Puck", "af_bella"], null, "af_bella"],
    ["the model's default voice, listed or not", ["Sulafat"], "Puck", "Puck"],
    ["the model's default voice as the channel writes it", ["Sulafat"], "sulafat", "Sulafat"],
  ])("without a requested voice, a failover speaks with %s", async (_name, names, defaultVoice, voice) => {
    const channelWith = (id: string, voices: string[], speech: ScriptedSpeech) => {
      speech.voices = async () => voices.map((name) => ({ ...EMBEDDED_VOICES[0], name }) as Voice);
      return { channel: speechChannel(id, { embedded: false, priority: id === "a" ? 1 : 2 }), speech };
    };
    const failing = new ScriptedSpeech(() => {
      throw new AppError("upstream_error", "Down.");
    });
    const speech = new ScriptedSpeech(() => spoken(1));
    const { post, rows } = openSpeechHarness(
      [channelWith("a", ["af_bella"], failing), channelWith("b", names, speech)],
      { model: { defaultVoice } },
    );
    await readBody(await post(PATH, GOOD));
    expect(speech.requests[0]?.segments).toMatchObject([{ voice }]);
    // Without a default of the model, the voice was not known when the entry was opened.
    const voices = defaultVoice === null && voice !== "af_bella" ? [] : [voice];
    expect(rows[0]?.trace?.parameters?.voices).toEqual(voices);
  });

  it("reports ignored fields, except those that an upstream of the same dialect supports", async () => {
    const body = {
      ...speaking({ candidateCount: 2, temperature: 0.5 }),
      systemInstruction: { parts: [{ text: "be brief" }] },
      tools: [{}],
      safetySettings: [{ category: "X", threshold: "Y" }],
      unknownTop: 1,
    };
    const embedded = await harness().post(PATH, body);
    expect(embedded.headers["x-patchbay-ignored"]).toBe("systemInstruction, tools, candidateCount");
    const speech = new ScriptedSpeech(() => spoken(1));
    const upstream = openSpeechHarness([
      { channel: speechChannel("g", { provider: "gemini", embedded: false }), speech },
    ]);
    const reply = await upstream.post(PATH, body);
    expect(reply.headers).not.toHaveProperty("x-patchbay-ignored");
    expect(speech.requests[0]?.source?.body).not.toHaveProperty("unknownTop");
    expect(speech.requests[0]?.source?.body).toHaveProperty("generationConfig.temperature", 0.5);
  });

  it("reports a part's style as ignored by a channel that does not support it", async () => {
    const body = { ...GOOD, contents: [{ parts: [{ text: "hi", speechMetadata: { style: "whispered" } }] }] };
    const ignoredBy = async (fields: object, supported: readonly string[] = []) => {
      const speech = Object.assign(new ScriptedSpeech(() => spoken(1)), { supportedFields: () => supported });
      const { post } = openSpeechHarness([{ channel: speechChannel("a", fields), speech }]);
      return (await post(PATH, body)).headers["x-patchbay-ignored"];
    };
    expect(await ignoredBy({ embedded: true })).toBe("style");
    expect(await ignoredBy({ provider: "elevenlabs", embedded: false })).toBe("style");
    expect(await ignoredBy({ provider: "openai", embedded: false }, ["style"])).toBeUndefined();
    expect(await ignoredBy({ provider: "gemini", embedded: false })).toBeUndefined();
  });

  it("reports sampling and safety fields as ignored by an upstream of another dialect", async () => {
    const body = {
      ...speaking({ temperature: 0.5, top_p: 0.9, seed: 7, stopSequences: [] }),
      safetySettings: [{ category: "X", threshold: "Y" }],
      labels: { team: "a" },
      unknownTop: 1,
    };
    const ignoredBy = async (fields: object) => {
      const speech = new ScriptedSpeech(() => spoken(1));
      const { post } = openSpeechHarness([{ channel: speechChannel("o", fields), speech }]);
      return (await post(PATH, body)).headers["x-patchbay-ignored"];
    };
    expect(await ignoredBy({ provider: "openai", embedded: false })).toBe(
      "safetySettings, labels, temperature, topP, seed",
    );
    expect(await ignoredBy({ provider: "gemini", embedded: false })).toBeUndefined();
    // The contract says that built-in engines ignore these fields, so the reply does not name them.
    expect(await ignoredBy({ embedded: true })).toBeUndefined();
  });

  it("forwards unknown fields inside contents and generationConfig unchanged", async () => {
    const { post, speech } = harness();
    await post(PATH, {
      contents: [{ parts: [{ text: "hi", video_metadata: { fps_x: 1 } }] }],
      generationConfig: { ...AUDIO, brand_new: { a_b: 1 } },
    });
    expect(speech.requests[0]?.source?.body).toMatchObject({
      contents: [{ parts: [{ text: "hi", video_metadata: { fps_x: 1 } }] }],
      generationConfig: { brand_new: { a_b: 1 } },
    });
  });

  describe.each<[string, object]>([
    ["one voice", {}],
    [
      "several speakers",
      {
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [{ speaker: "Ada", voiceConfig: voice("Kore") }],
          },
        },
      },
    ],
  ])("with speechMetadata and %s", (_name, fields) => {
    const sending = (text: string, speechMetadata: object) => ({
      contents: [{ parts: [{ text, speechMetadata: { speaker: "Ada", ...speechMetadata } }] }],
      generationConfig: { ...AUDIO, ...fields },
    });

    it("ignores an unknown field 'text' that is not text", async () => {
      const { post, rows, speech } = harness();
      const reply = await post(PATH, sending("one two", { text: 5, style: "x" }));
      expect(reply.status).toBe(200);
      await readBody(reply);
      expect(speech.requests[0]?.segments).toMatchObject([{ text: "one two", style: "x" }]);
      expect(rows).toMatchObject([{ status: 200, inputTokens: 2, characters: 7 }]);
    });

    it("counts and reserves the text of the part, not an unknown field 'text'", async () => {
      const { post, reserved, rows, speech } = harness();
      await readBody(await post(PATH, sending("one two", { text: "a" })));
      await readBody(await post(PATH, sending("one two", {})));
      expect(speech.requests.map(({ segments }) => segments[0]?.text)).toEqual(["one two", "one two"]);
      expect(rows).toMatchObject([
        { inputTokens: 2, characters: 7 },
        { inputTokens: 2, characters: 7 },
      ]);
      expect(reserved[0]?.reservedNano).toBe(reserved[1]?.reservedNano);
    });

    it("applies the limit on characters to the text of the part", async () => {
      const { post, speech } = harness(undefined, { model: { maxCharacters: 5 } });
      const reply = await post(PATH, sending("one two", { text: "a" }));
      expect([reply.status, (await json(reply)).error.message]).toEqual([
        400,
        "'contents' has 7 characters; patchbay-speech accepts at most 5 per request.",
      ]);
      expect(speech.requests).toEqual([]);
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["no contents", { generationConfig: AUDIO }, /'contents' is required/],
    ["null for contents", { ...GOOD, contents: null }, /'contents' must be an array, not null/],
    ["an object for contents", { ...GOOD, contents: {} }, /'contents' must be an array/],
    ["empty contents", { ...GOOD, contents: [] }, /at least one/],
    [
      "no generationConfig",
      { contents: GOOD.contents },
      /^'generationConfig' is required, with responseModalities \["AUDIO"\]: .* not text generation\.$/,
    ],
    ["10,001 contents", { ...GOOD, contents: Array(10_001).fill({ parts: [{ text: "x" }] }) }, /10000/],
    ["no parts", { ...GOOD, contents: [{}] }, /'contents.0.parts' is required/],
    ["empty parts", { ...GOOD, contents: [{ parts: [] }] }, /at least one part/],
    ["an empty part", { ...GOOD, contents: [{ parts: [{}] }] }, /only text can be spoken/],
    ["a number for text", { ...GOOD, contents: [{ parts: [{ text: 5 }] }] }, /must be text/],
    [
      "an image next to text",
      { ...GOOD, contents: [{ parts: [{ text: "a", inlineData: { data: "!!" } }] }] },
      /inlineData.*is not supported/,
    ],
    ["a file", { ...GOOD, contents: [{ parts: [{ fileData: { fileUri: "file:///x" } }] }] }, /text/],
    [
      "an unknown role",
      { ...GOOD, contents: [{ role: "boss", parts: [{ text: "a" }] }] },
      /'user' or 'model'/,
    ],
    ["white space", { ...GOOD, contents: [{ parts: [{ text: " \n" }] }] }, /must contain text to speak/],
    [
      "no modalities",
      { ...GOOD, generationConfig: {} },
      /exactly \["AUDIO"\].*speech and embeddings, not text/,
    ],
    ["text", speaking({ responseModalities: ["TEXT"] }), /exactly \["AUDIO"\]/],
    ["text and audio as modalities", speaking({ responseModalities: ["AUDIO", "TEXT"] }), /exactly/],
    ["modalities as a string", speaking({ responseModalities: "AUDIO" }), /exactly/],
    ["a thousand modalities", speaking({ responseModalities: Array(1_000).fill("AUDIO") }), /exactly/],
    ["null for speechConfig", speaking({ speechConfig: null }), /speechConfig' must be an object, not null/],
    [
      "a list for speechConfig",
      speaking({ speechConfig: [] }),
      /speechConfig' must be an object, not an array/,
    ],
    ["an empty voiceConfig", speaking({ speechConfig: { voiceConfig: {} } }), /must name a voice/],
    [
      "a voice that names two voices",
      speaking({ speechConfig: { voiceConfig: { ...voice("Kore"), voice: "Puck" } } }),
      /names two voices/,
    ],
    [
      "an unknown voice",
      speaking({ speechConfig: { voiceConfig: voice("Korre") } }),
      /^voiceName 'Korre' is not a voice of model patchbay-speech; did you mean 'Kore'\?$/,
    ],
    [
      "a voice of 201 characters",
      speaking({ speechConfig: { voiceConfig: voice("a".repeat(201)) } }),
      /voiceName' must have at most 200 characters/,
    ],
    [
      "one voice and several",
      speaking({
        speechConfig: {
          voiceConfig: voice("Kore"),
          multiSpeakerVoiceConfig: { speakerVoiceConfigs: [{ speaker: "A", voiceConfig: voice("Puck") }] },
        },
      }),
      /cannot be combined with voiceConfig/,
    ],
    [
      "a part by a speaker that is not configured",
      {
        contents: [
          { parts: [{ text: "a" }] },
          { parts: [{ text: "b" }, { text: "c", speechMetadata: { speaker: "Zed" } }] },
        ],
        generationConfig: {
          ...AUDIO,
          speechConfig: {
            multiSpeakerVoiceConfig: {
              speakerVoiceConfigs: [
                { speaker: "Ada", voiceConfig: voice("Kore") },
                { speaker: "Bob", voiceConfig: voice("Puck") },
              ],
            },
          },
        },
      },
      /^'contents\.1\.parts\.1\.speechMetadata\.speaker' is 'Zed', not a configured speaker: 'Ada', 'Bob'\.$/,
    ],
    [
      "no speakers",
      speaking({ speechConfig: { multiSpeakerVoiceConfig: { speakerVoiceConfigs: [] } } }),
      /at least one speaker/,
    ],
    [
      "nine speakers",
      speaking({
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: Array.from({ length: 9 }, (_, i) => ({
              speaker: `S${i}`,
              voiceConfig: voice("Puck"),
            })),
          },
        },
      }),
      /at most 8 speakers/,
    ],
    [
      "the same speaker twice",
      speaking({
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: [
              { speaker: "A", voiceConfig: voice("Puck") },
              { speaker: "a", voiceConfig: voice("Kore") },
            ],
          },
        },
      }),
      /another speaker/,
    ],
    ["a candidateCount of a billion", speaking({ candidateCount: 1e9 }), /candidateCount/],
    ["a temperature that is not a number", speaking({ temperature: "NaN" }), /temperature' must be a number/],
    ["an invalid language", speaking({ speechConfig: { languageCode: "not a tag!" } }), /BCP-47/],
    [
      "another format",
      speaking({ responseFormat: { audio: { mimeType: "AUDIO_MP3" } } }),
      /^'generationConfig\.responseFormat\.audio\.mimeType' must be AUDIO_L16 or AUDIO_WAV\.$/,
    ],
    [
      "another sample rate",
      speaking({ responseFormat: { audio: { sampleRate: 16_000 } } }),
      /^'generationConfig\.responseFormat\.audio\.sampleRate' must be 24000, the only supported sample rate\.$/,
    ],
    [
      "another sample rate in a list",
      speaking({ responseFormat: [{}, { audio: { sampleRate: 16_000 } }] }),
      /^'generationConfig\.responseFormat\.1\.audio\.sampleRate' must be 24000/,
    ],
    [
      "a string for responseFormat",
      speaking({ responseFormat: "x" }),
      /^'generationConfig\.responseFormat' must be an object or an array, not a string\.$/,
    ],
    [
      "null for responseFormat",
      speaking({ responseFormat: null }),
      /^'generationConfig\.responseFormat' must be an object or an array, not null\.$/,
    ],
    [
      "a string for responseFormat.audio",
      speaking({ responseFormat: { audio: "x" } }),
      /^'generationConfig\.responseFormat\.audio' must be an object, not a string\.$/,
    ],
    [
      "a number for a mimeType",
      speaking({ responseFormat: { audio: { mimeType: 5 } } }),
      /^'generationConfig\.responseFormat\.audio\.mimeType' must be a string, not 5\.$/,
    ],
    ["tools of the wrong type", { ...GOOD, tools: "x" }, /'tools' must be an array/],
    [
      "both forms of one field",
      { ...GOOD, generation_config: AUDIO },
      /as generationConfig and as generation_config/,
    ],
    [
      "a text that is too long",
      { ...GOOD, contents: [{ parts: [{ text: "a ".repeat(16_001) }] }] },
      /32002.*32000/,
    ],
  ])(
    "refuses %s with 400 and a helpful message, before a usage row is written",
    async (_name, body, message) => {
      const { post, reserved, rows, speech } = harness();
      const reply = await post(PATH, body);
      const { error } = await json(reply);
      expect(reply.status, error?.message).toBe(400);
      expect(error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
      expect(error.message).toMatch(message);
      expect([reserved.length, rows.length, speech.requests.length]).toEqual([0, 0, 0]);
    },
  );

  it("counts an astral character as one", async () => {
    const { post, reserved } = harness();
    const text = "😀".repeat(32_000);
    expect((await post(PATH, { ...GOOD, contents: [{ parts: [{ text }] }] })).status).toBe(200);
    expect(reserved[0]?.characters).toBe(32_000);
  });

  it("answers 400 with the purpose of an embeddings model", async () => {
    const reply = await harness().post("/v1beta/models/patchbay-embed:generateContent", GOOD);
    expect(reply.status).toBe(400);
    expect((await json(reply)).error.message).toMatch(/embeddings/);
  });

  it("answers 404 for an unknown model", async () => {
    const reply = await harness().post("/v1/models/nobody:generateContent", GOOD);
    expect([reply.status, (await json(reply)).error.status]).toEqual([404, "NOT_FOUND"]);
  });

  it("reserves 2 s plus 0.15 s per character, and settles the actual audio", async () => {
    const prices = {
      inputPerMillionTokens: 1_000_000_000,
      inputPerMillionCharacters: null,
      outputPerMillionTokens: null,
      outputPerMillionSeconds: 1_000_000_000_000,
    };
    const { post, reserved, rows } = harness(undefined, { model: { prices } });
    await readBody(await post(PATH, GOOD));
    // 3 tokens at 1,000 n$ and 2 + 0.15 × 13 s (1 s spoken) at 1,000,000 n$.
    expect(reserved[0]?.reservedNano).toBe(3_000 + 3_950_000);
    expect(rows[0]).toMatchObject({ costNano: 3_000 + 1_000_000, overrun: false });
    // A built-in engine makes one candidate and reads no instructions.
    const systemInstruction = { parts: [{ text: "be brief" }] };
    await readBody(await post(PATH, { ...speaking({ candidateCount: 8 }), systemInstruction }));
    expect(reserved[1]?.reservedNano).toBe(reserved[0]?.reservedNano);
  });
});

describe("generateContent on upstream channels", () => {
  const upstream = (id: string, priority = 0) =>
    speechChannel(id, { provider: "openai", embedded: false, priority });
  const breaking = () =>
    new ScriptedSpeech(() => spoken(1, { ending: new AppError("upstream_truncated", "It broke off.") }));
  const audioOf = async (reply: Awaited<ReturnType<ReturnType<typeof harness>["post"]>>) =>
    Buffer.from((await json(reply)).candidates[0].content.parts[0].inlineData.data, "base64");

  it("sends nothing before the audio is complete", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const speech = new ScriptedSpeech(async function* () {
      yield* spoken(3, { ending: null });
      await finished;
      yield END;
    });
    const { post, rows } = openSpeechHarness([{ channel: upstream("a"), speech }]);
    let isAnswered = false;
    const reply = post(PATH, GOOD).then((answer) => {
      isAnswered = true;
      return answer;
    });
    while (speech.running === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    finish();
    expect(await audioOf(await reply)).toEqual(await collect(tone(3)));
    expect(rows).toMatchObject([{ status: 200, audioMs: 3_000, attempts: 1 }]);
  });

  it("fails over when a channel breaks off, and sends nothing of the first one", async () => {
    const [first, second] = [breaking(), new ScriptedSpeech(() => spoken(2))];
    const { post, rows } = openSpeechHarness([
      { channel: upstream("a"), speech: first },
      { channel: upstream("b", 1), speech: second },
    ]);
    const reply = await post(PATH, GOOD);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-patchbay-channel": "b", "x-patchbay-attempts": "2" });
    expect(await audioOf(reply)).toEqual(await collect(tone(2)));
    expect(rows).toMatchObject([{ status: 200, channelId: "b", attempts: 2, audioMs: 2_000 }]);
    expect([first.running, second.running]).toEqual([0, 0]);
  });

  it("fails over when a channel ends the speech with OTHER, which does not open the channel's circuit", async () => {
    const ending = { ...END, finishReason: "OTHER" };
    const cut = new ScriptedSpeech(() => spoken(1, { ending }));
    const channels = [{ channel: upstream("a"), speech: cut }];
    const alone = openSpeechHarness(channels);
    for (let asked = 0; asked < 6; asked++) {
      const reply = await alone.post(PATH, GOOD);
      expect([reply.status, (await json(reply)).error.message]).toEqual([
        502,
        "The channel ended the speech early (finish reason OTHER). Less text in one request may help.",
      ]);
    }
    expect(cut.requests).toHaveLength(6);
    const speech = new ScriptedSpeech(() => spoken(2));
    const { post, rows } = openSpeechHarness([...channels, { channel: upstream("b", 1), speech }]);
    expect(await audioOf(await post(PATH, GOOD))).toEqual(await collect(tone(2)));
    expect(rows).toMatchObject([{ status: 200, channelId: "b", attempts: 2, audioMs: 2_000 }]);
  });

  it("sends streaming callers the cut-off speech of a channel that cannot stream, with its finish reason", async () => {
    const speech = new ScriptedSpeech(async function* (_request, options) {
      options.extendFirstByte?.(1_000);
      yield* spoken(1, { ending: { ...END, finishReason: "OTHER" } as typeof END });
    });
    const { post, rows } = openSpeechHarness([{ channel: upstream("a"), speech }]);
    const reply = await post(PATH.replace(":generateContent", ":streamGenerateContent"), GOOD);
    expect((await json(reply)).at(-1).candidates[0].finishReason).toBe("OTHER");
    expect(rows).toMatchObject([{ status: 200, audioMs: 1_000 }]);
  });

  it.each<[string, Partial<Limits>, () => ScriptedSpeech, number, string]>([
    ["breaks off", {}, breaking, 502, "upstream_truncated"],
    [
      "ends without an end event",
      {},
      () => new ScriptedSpeech(() => spoken(1, { ending: null })),
      502,
      "upstream_truncated",
    ],
    [
      "stalls",
      { idleMs: 20 },
      () =>
        new ScriptedSpeech(async function* (_request, { signal }) {
          yield* spoken(0.2, { ending: null });
          await aborted(signal);
        }),
      504,
      "upstream_timeout",
    ],
    [
      "sends more than 64 MiB",
      {},
      () =>
        new ScriptedSpeech(async function* () {
          for (;;) yield { type: "audio" as const, pcm: new Uint8Array(8 * 1024 * 1024) };
        }),
      502,
      "upstream_invalid",
    ],
  ])("answers with an error status when its only channel %s", async (_name, limits, make, status, code) => {
    const speech = make();
    const { post, rows } = openSpeechHarness([{ channel: upstream("a"), speech }], { limits });
    const reply = await post(PATH, GOOD);
    expect([reply.status, (await json(reply)).error.code]).toEqual([status, status]);
    // Speech that is too large is not retried: a second attempt would be as large.
    const attempts = code === "upstream_invalid" ? 1 : 2;
    // The caller received no audio, and the ledger entry counts none.
    expect(rows).toMatchObject([
      { status, error: code, attempts, audioMs: 0, inputTokens: 0, outputTokens: 0, costNano: 0 },
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(speech.running).toBe(0);
  });

  it.each([PATH, STREAM])("ends the call when the reply of %s cannot be rendered", async (path) => {
    const { ctx, post, rows, speech } = harness();
    const { random } = ctx.services;
    const { bytes } = random;
    let drawn = 0;
    random.bytes = (length) => {
      drawn += 1;
      // The first call makes the ID of the usage row, the second call the ID of the reply.
      if (drawn === 2) throw new AppError("internal", "No random bytes.");
      return bytes(length);
    };
    expect((await post(path, GOOD)).status).toBe(500);
    expect(rows).toMatchObject([{ status: 500, error: "internal" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(speech.running).toBe(0);
  });

  it.each([
    ["usr_1", 429, "rate_limited"],
    ["usr_2", 503, "overloaded"],
  ])(
    "refuses a reply that exceeds the memory left by %s, and stops the engine",
    async (other, status, code) => {
      const speech = new ScriptedSpeech(async function* () {
        for (;;) yield { type: "audio" as const, pcm: new Uint8Array(1024 * 1024) };
      });
      const channels = [upstream("a"), upstream("b")].map((channel) => ({ channel, speech }));
      const { ctx, post, rows } = openSpeechHarness(channels);
      const memory = new BufferedReplies(16 * 1024 * 1024);
      ctx.services.state.bufferedReplies = memory;
      const held = memory.enter(other, 30);
      if (other !== "usr_1") memory.enter("usr_3", 120);
      const reply = await post(PATH, GOOD);
      expect([reply.status, reply.headers["retry-after"]]).toEqual([status, "1"]);
      expect(rows).toMatchObject([{ status, error: code, attempts: 1, audioMs: 0, costNano: 0 }]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(speech.running).toBe(0);
      held.release();
      expect(memory.bytes).toBe(other === "usr_1" ? 0 : 120 * 48_000);
    },
  );

  it("charges a caller who leaves for the audio buffered so far, and stops the engine", async () => {
    const speech = new ScriptedSpeech(async function* (_request, { signal }) {
      yield* spoken(2, { ending: null });
      await aborted(signal);
    });
    const { post, rows, leave } = openSpeechHarness([{ channel: upstream("a"), speech }]);
    const reply = post(PATH, GOOD);
    while (speech.running === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    leave();
    expect((await reply).status).toBe(499);
    expect(rows).toMatchObject([
      { status: 499, error: "caller_left", audioMs: 2_000, inputTokens: 3, estimated: true },
    ]);
    expect(speech.running).toBe(0);
  });

  it("charges a caller who leaves in the middle of a complete reply for all of it, as reported", async () => {
    const usage = { inputTokens: 5, outputTokens: 2_600 };
    const ending = { type: "end" as const, usage, finishReason: "STOP" };
    const speech = new ScriptedSpeech(() => spoken(100, { ending }));
    const { post, rows, leave } = openSpeechHarness([{ channel: upstream("a"), speech }]);
    const body = chunksOf(await post(PATH, GOOD));
    await body.next();
    leave();
    await body.return?.();
    expect(rows).toMatchObject([
      { status: 499, error: "caller_left", audioMs: 100_000, inputTokens: 5, outputTokens: 2_600 },
    ]);
    expect(rows).toMatchObject([{ estimated: false, cached: false }]);
  });

  it("is refused before any channel is called while buffered replies fill their owner's share", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const speech = new ScriptedSpeech(async function* () {
      yield* spoken(0.2, { ending: null });
      await finished;
      yield END;
    });
    const { post, rows } = openSpeechHarness([{ channel: upstream("a"), speech }]);
    // Each reply can last 80 minutes, for which 64 MiB are reserved; an owner can have half of 512 MiB, so four fit.
    const long = { ...GOOD, contents: [{ parts: [{ text: "a ".repeat(15_999) }] }] };
    const held = Array.from({ length: 4 }, () => post(PATH, long));
    while (speech.running < 4) await new Promise((resolve) => setImmediate(resolve));
    const refused = await post(PATH, GOOD);
    expect([refused.status, (await json(refused)).error.status]).toEqual([429, "RESOURCE_EXHAUSTED"]);
    expect(speech.requests).toHaveLength(4);
    finish();
    for (const reply of await Promise.all(held)) await readBody(reply);
    expect((await post(PATH, GOOD)).status).toBe(200);
    expect(rows.map(({ status }) => status)).toEqual([429, ...Array(4).fill(200)]);
  });

  it("writes the true sizes into a WAV file of any length", async () => {
    const { post } = openSpeechHarness([
      { channel: upstream("a"), speech: new ScriptedSpeech(() => spoken(100)) },
    ]);
    const wav = await audioOf(
      await post(PATH, speaking({ responseFormat: { audio: { mimeType: "AUDIO_WAV" } } })),
    );
    expect([wav.readUInt32LE(40), wav.readUInt32LE(4)]).toEqual([4_800_000, wav.length - 8]);
  });

  it("begins with the first audio when a built-in engine speaks", async () => {
    const speech = new ScriptedSpeech(() => spoken(1, { ending: new AppError("internal", "broke") }));
    const { post } = openSpeechHarness([
      { channel: speechChannel("own"), speech },
      { channel: upstream("b", 1), speech: breaking() },
    ]);
    const reply = await post(PATH, GOOD);
    expect([reply.status, reply.headers["x-patchbay-channel"]]).toEqual([200, "own"]);
    expect((await readBody(reply)).error).toMatchObject({ code: "internal" });
  });
});

describe("streamGenerateContent", () => {
  it("sends events of exactly data and a blank line, with finish reason and usage only in the last", async () => {
    const { post, rows } = harness(new ScriptedSpeech(() => spoken(1.7, { chunkSeconds: 0.7 })));
    const reply = await post(`${STREAM}?alt=sse`, GOOD);
    expect(reply.headers["content-type"]).toBe("text/event-stream");
    const { bytes, error } = await readBody(reply);
    expect(error).toBeNull();
    const text = bytes.toString();
    expect(text.endsWith("\n\n")).toBe(true);
    const blocks = text.slice(0, -2).split("\n\n");
    expect(blocks.every((block) => /^data: \{.*\}$/.test(block))).toBe(true);
    const frames = blocks.map((block) => JSON.parse(block.slice(6)));
    const audio = frames.map((frame) =>
      Buffer.from(frame.candidates[0].content.parts[0].inlineData.data, "base64"),
    );
    expect(audio.every((pcm) => pcm.length > 0 && pcm.length % 2 === 0)).toBe(true);
    expect(Buffer.concat(audio)).toEqual(await collect(tone(1.7)));
    const last = frames.pop();
    expect(last).toMatchObject({
      candidates: [{ finishReason: "STOP", index: 0 }],
      usageMetadata: { candidatesTokenCount: 43, promptTokenCount: 3, totalTokenCount: 46 },
    });
    expect(frames.length).toBeGreaterThan(3);
    for (const frame of frames) {
      expect(frame.candidates[0]).not.toHaveProperty("finishReason");
      expect(frame).not.toHaveProperty("usageMetadata");
      expect(frame).toMatchObject({ modelVersion: "patchbay-speech", responseId: last.responseId });
    }
    expect(rows).toMatchObject([{ status: 200, audioMs: 1_700 }]);
  });

  it("sends a JSON array without alt", async () => {
    const reply = await harness().post(STREAM, GOOD);
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    const frames = await json(reply);
    expect(frames.length).toBeGreaterThan(2);
    expect(frames.at(-1).usageMetadata.totalTokenCount).toBe(28);
  });

  it.each([
    [
      "an event",
      `${STREAM}?alt=sse`,
      (text: string) => JSON.parse(text.trim().split("\n\n").at(-1)?.slice(6) ?? ""),
    ],
    ["an element", STREAM, (text: string) => JSON.parse(`${text}]`).at(-1)],
  ])("reports a break in the middle as %s and never ends cleanly", async (_name, path, lastOf) => {
    const broken = new AppError("upstream_truncated", "The channel broke off.");
    const { post, rows } = harness(new ScriptedSpeech(() => spoken(1, { ending: broken })));
    const reply = await post(path, GOOD);
    expect(reply.status).toBe(200);
    const { bytes, error } = await readBody(reply);
    expect(error).toMatchObject({ code: "upstream_truncated" });
    expect(lastOf(bytes.toString())).toEqual({
      error: { code: 502, message: "The channel broke off.", status: "INTERNAL" },
    });
    expect(rows).toMatchObject([
      { status: 502, error: "upstream_truncated", audioMs: 1_000, inputTokens: 3 },
    ]);
  });

  it("reports an unknown error only as internal", async () => {
    const { post, rows } = harness(
      new ScriptedSpeech(() => spoken(1, { ending: new Error("/secret/path") })),
    );
    const { bytes, error } = await readBody(await post(`${STREAM}?alt=sse`, GOOD));
    expect(bytes.toString()).not.toContain("secret");
    expect(bytes.toString()).toContain('"code":500');
    expect(error).not.toBeNull();
    expect(rows).toMatchObject([{ status: 500, error: "internal" }]);
  });
});

describe("a failure of speech", () => {
  it("in JSON that has started breaks the body at once, without an end", async () => {
    const { post, rows } = harness(
      new ScriptedSpeech(() => spoken(1, { ending: new AppError("upstream_error", "broke") })),
    );
    const { bytes, error } = await readBody(await post(PATH, GOOD));
    expect(error).toMatchObject({ code: "upstream_error" });
    expect(() => JSON.parse(bytes.toString())).toThrow();
    expect(rows).toHaveLength(1);
  });

  it("of a stream that stops without its end is reported as truncated", async () => {
    const { post, rows } = harness(new ScriptedSpeech(() => spoken(1, { ending: null })));
    expect((await readBody(await post(PATH, GOOD))).error).toMatchObject({ code: "upstream_truncated" });
    expect(rows).toMatchObject([{ status: 502 }]);
  });

  it("of a channel that stalls in the middle is reported after the idle time, and the channel is stopped", async () => {
    const speech = new ScriptedSpeech(async function* (_request, { signal }) {
      yield* spoken(0.2, { ending: null });
      await aborted(signal);
    });
    const channel = speechChannel("a", { embedded: false });
    const { post, rows } = openSpeechHarness([{ channel, speech }], { limits: { idleMs: 20 } });
    const { bytes, error } = await readBody(await post(`${STREAM}?alt=sse`, GOOD));
    expect(error).toMatchObject({ code: "upstream_timeout" });
    expect(bytes.toString()).toContain("DEADLINE_EXCEEDED");
    expect(rows).toMatchObject([{ status: 504, audioMs: 200 }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(speech.running).toBe(0);
  });

  it.each([
    ["streamed", `${STREAM}?alt=sse`],
    ["buffered", PATH],
  ])("does not end a %s reply whose pauses are within its channel's idle timeout", async (_name, path) => {
    const speech = new ScriptedSpeech(async function* () {
      yield* spoken(0.2, { ending: null });
      await new Promise((resolve) => setTimeout(resolve, 100));
      yield* spoken(0.2);
    });
    const channel = speechChannel("slow", {
      embedded: false,
      provider: "gemini",
      timeouts: { idleMs: 10_000 },
    });
    const { post, rows } = openSpeechHarness([{ channel, speech }], { limits: { idleMs: 20 } });
    expect((await readBody(await post(path, GOOD))).error).toBeNull();
    expect(rows).toMatchObject([{ status: 200, audioMs: 400 }]);
  });

  it("of a call that exceeds its total time is reported as well", async () => {
    const speech = new ScriptedSpeech(async function* () {
      for (let i = 0; i < 100; i += 1) {
        yield* spoken(0.2, { ending: null });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });
    const { post, rows } = harness(speech, { limits: { callMs: 60 } });
    expect((await readBody(await post(PATH, GOOD))).error).toMatchObject({
      code: "upstream_timeout",
      message: "The speech took longer than the 0.06 s that a call may take.",
      details: { isCausedByRequest: true },
    });
    expect(rows).toMatchObject([{ status: 504 }]);
    expect(rows[0]?.audioMs).toBeLessThan(2_000);
  });

  it.each([
    ["a call that exceeds its total time", { callMs: 30 }, "closed"],
    ["an upstream that stalls", { idleMs: 30 }, "open"],
    ["an upstream that stalls until the call's total time", { idleMs: 100, callMs: 100 }, "open"],
  ] as const)("of %s, five times, opens the circuit only for a stall", async (_what, limits, state) => {
    const speech = new ScriptedSpeech(async function* (_request, { signal }) {
      yield* spoken(0.2, { ending: null });
      await aborted(signal);
    });
    const channel = speechChannel("up", { embedded: false, provider: "gemini" });
    const { post, ctx, rows } = openSpeechHarness([{ channel, speech }], { limits });
    for (let n = 0; n < 5; n += 1) {
      ctx.receivedAt = performance.now();
      await readBody(await post(STREAM, GOOD));
    }
    const { model } = rows[0] ?? { model: "" };
    expect(ctx.services.state.circuits.health("up", null, model).state).toBe(state);
  });

  it("before the first audio fails over, also for a 200 without audio", async () => {
    const silent = new ScriptedSpeech(async function* () {
      yield END;
    });
    const good = new ScriptedSpeech(() => spoken(1));
    const { post, rows } = openSpeechHarness([
      { channel: speechChannel("silent", { embedded: false, provider: "gemini" }), speech: silent },
      { channel: speechChannel("good", { priority: 1 }), speech: good },
    ]);
    const reply = await post(PATH, GOOD);
    expect(reply.headers).toMatchObject({ "x-patchbay-channel": "good", "x-patchbay-attempts": "2" });
    await readBody(reply);
    expect(rows).toMatchObject([{ channelId: "good", attempts: 2, status: 200 }]);
  });

  it("of every channel sets the status and passes on the finish reason", async () => {
    const silent = new ScriptedSpeech(async function* () {
      yield { ...END, finishReason: "OTHER" } as typeof END;
    });
    const { post, rows } = openSpeechHarness([
      { channel: speechChannel("s", { embedded: false, provider: "gemini" }), speech: silent },
    ]);
    const reply = await post(PATH, GOOD);
    expect(reply.status).toBe(502);
    expect((await json(reply)).error.message).toMatch(/no audio.*OTHER/);
    expect(rows).toMatchObject([{ status: 502, error: "upstream_invalid", audioMs: 0 }]);
  });

  it.each([
    ["longer than a call may take", { callMs: 100 }, 1_000],
    ["larger than a reply may be", {}, 8 * 1024 * 1024],
  ])("of a speech %s is final: no other channel is called for it", async (_what, limits, pieceBytes) => {
    const endless = () =>
      new ScriptedSpeech(async function* () {
        for (;;) {
          yield { type: "audio" as const, pcm: new Uint8Array(pieceBytes) };
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
    const [first, second] = [endless(), endless()];
    const fields = { embedded: false, provider: "gemini" };
    const { post, ctx, rows } = openSpeechHarness(
      [
        { channel: speechChannel("a", fields), speech: first },
        { channel: speechChannel("b", { ...fields, priority: 1 }), speech: second },
      ],
      { limits },
    );
    ctx.receivedAt = performance.now();
    await post(PATH, GOOD);
    expect(second.requests).toEqual([]);
    expect(rows).toMatchObject([{ attempts: 1, audioMs: 0 }]);
  });

  it.each([
    ["… 😀!", "closed"],
    ["Eins?", "open"],
    ["5", "open"],
  ])("of '%s' without audio, five times, opens the circuit only for speakable text", async (text, state) => {
    const silent = new ScriptedSpeech(async function* () {
      yield END;
    });
    const channel = speechChannel("s", { embedded: false, provider: "gemini" });
    const { post, ctx, rows } = openSpeechHarness([{ channel, speech: silent }]);
    for (let n = 0; n < 5; n += 1) await post(PATH, { ...GOOD, contents: [{ parts: [{ text }] }] });
    expect(rows[0]).toMatchObject({ status: 502, error: "upstream_invalid" });
    const { model } = rows[0] ?? { model: "" };
    expect(ctx.services.state.circuits.health("s", null, model).state).toBe(state);
  });

  it("flags counts that the upstream did not report as estimated", async () => {
    const reported = new ScriptedSpeech(() =>
      spoken(1, {
        ending: { type: "end", usage: { inputTokens: 9, outputTokens: 31 }, finishReason: "STOP" },
      }),
    );
    const unreported = new ScriptedSpeech(() => spoken(1));
    for (const [speech, row] of [
      [reported, { inputTokens: 9, outputTokens: 31, estimated: false }],
      [unreported, { inputTokens: 3, outputTokens: 25, estimated: true }],
    ] as const) {
      const { post, rows } = openSpeechHarness([
        { channel: speechChannel("u", { embedded: false }), speech },
      ]);
      await readBody(await post(PATH, GOOD));
      expect(rows).toMatchObject([row]);
    }
  });
});

describe("speech that is cut off", () => {
  const cut = () =>
    new ScriptedSpeech(() => spoken(1, { ending: new AppError("upstream_truncated", "It broke off.") }));
  const leave = async (reply: Reply) => {
    const body = chunksOf(reply);
    await body.next();
    await body.return?.();
  };
  type Reply = Awaited<ReturnType<ReturnType<typeof harness>["post"]>>;

  it.each<[string, boolean, () => ScriptedSpeech, (reply: Reply) => Promise<unknown>]>([
    ["an upstream that breaks off", false, cut, readBody],
    ["a caller who leaves an upstream's speech", false, () => new ScriptedSpeech(() => spoken(60)), leave],
    ["a built-in engine that fails", true, cut, readBody],
    ["a caller who leaves an engine's speech", true, () => new ScriptedSpeech(() => spoken(60)), leave],
  ])("is flagged as estimated unless a built-in engine made it: %s", async (_name, embedded, make, read) => {
    const { post, rows } = openSpeechHarness([{ channel: speechChannel("u", { embedded }), speech: make() }]);
    await read(await post(STREAM, GOOD));
    expect(rows).toMatchObject([{ inputTokens: 3, estimated: !embedded }]);
  });
});

describe("a caller who leaves", () => {
  it.each([PATH, STREAM, `${STREAM}?alt=sse`])(
    "stops the engine and is settled once with 499 (%s)",
    async (path) => {
      const { post, rows, speech } = harness(new ScriptedSpeech(() => spoken(60)));
      const body = chunksOf(await post(path, GOOD));
      await body.next();
      await body.next();
      await body.return?.();
      await body.return?.();
      expect(speech).toMatchObject({ returned: 1, running: 0 });
      expect(rows).toMatchObject([{ status: 499, error: "caller_left", inputTokens: 3 }]);
      expect(rows[0]?.audioMs).toBeGreaterThanOrEqual(200);
      expect(rows[0]?.audioMs).toBeLessThanOrEqual(800);
      expect(await body.next()).toMatchObject({ done: true });
    },
  );

  it("before the first chunk is read is settled", async () => {
    const { post, rows, speech } = harness(new ScriptedSpeech(() => spoken(60)));
    await chunksOf(await post(PATH, GOOD)).return?.();
    expect(speech).toMatchObject({ returned: 1, running: 0 });
    expect(rows).toMatchObject([{ status: 499, audioMs: 0 }]);
  });

  it("while the engine is working stops the engine", async () => {
    const speech = new ScriptedSpeech(async function* (_request, { signal }) {
      yield* spoken(0.2, { ending: null });
      await aborted(signal);
    });
    const { post, rows, leave } = harness(speech);
    const body = chunksOf(await post(PATH, GOOD));
    await body.next();
    const waiting = body.next();
    leave();
    await expect(waiting).rejects.toMatchObject({ code: "caller_left" });
    await body.return?.();
    expect(speech.running).toBe(0);
    expect(rows).toMatchObject([{ status: 499, audioMs: 200 }]);
  });

  it("before the first audio stops the attempt", async () => {
    const speech = new ScriptedSpeech(async function* (_request, { signal }) {
      await aborted(signal);
      yield* spoken(1);
    });
    const { post, rows, leave } = harness(speech);
    const reply = post(PATH, GOOD);
    while (speech.running === 0) await new Promise((resolve) => setImmediate(resolve));
    leave();
    expect((await reply).status).toBe(499);
    expect(rows).toMatchObject([{ status: 499, audioMs: 0 }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(speech.running).toBe(0);
  });
});
