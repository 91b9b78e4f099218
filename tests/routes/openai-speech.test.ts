import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { OpenAiSpeechRequest } from "../../lib/contracts/gateway/openai/speech";
import { AppError } from "../../lib/errors";
import { BufferedReplies } from "../../lib/gateway/speech/buffered-replies";
import type { SpeechEvent } from "../../lib/ports/speech-model";
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

const PATH = "/v1/audio/speech";
const GOOD = { model: "patchbay-speech", input: "one two three", voice: "alloy" };

function harness(speech = new ScriptedSpeech(() => spoken(1)), options = {}) {
  return { speech, ...openSpeechHarness([{ channel: speechChannel("a"), speech }], options) };
}
type Reply = Awaited<ReturnType<ReturnType<typeof harness>["post"]>>;
async function errorOf(reply: Reply) {
  return JSON.parse((await readBody(reply)).bytes.toString()).error;
}

describe("POST /v1/audio/speech", () => {
  it.each([
    [undefined, "audio/mpeg", (bytes: Buffer) => (bytes.readUInt16BE(0) & 0xfff6) === 0xfff2],
    [null, "audio/mpeg", (bytes: Buffer) => (bytes.readUInt16BE(0) & 0xfff6) === 0xfff2],
    ["mp3", "audio/mpeg", (bytes: Buffer) => (bytes.readUInt16BE(0) & 0xfff6) === 0xfff2],
    ["opus", "audio/ogg", (bytes: Buffer) => bytes.toString("latin1", 0, 4) === "OggS"],
    ["aac", "audio/aac", (bytes: Buffer) => (bytes.readUInt16BE(0) & 0xfff6) === 0xfff0],
    ["flac", "audio/flac", (bytes: Buffer) => bytes.toString("latin1", 0, 4) === "fLaC"],
    ["wav", "audio/wav", (bytes: Buffer) => bytes.readUInt32LE(40) === 0xffffffff && bytes.length === 48_044],
    ["pcm", "audio/pcm", (bytes: Buffer) => bytes.length === 48_000],
  ])("sends response_format %s as %s", async (response_format, type, isOfFormat) => {
    const { post, rows } = harness();
    const reply = await post(PATH, { ...GOOD, response_format });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "content-type": type, "x-patchbay-channel": "a" });
    const { bytes, error } = await readBody(reply);
    expect(error).toBeNull();
    expect(isOfFormat(bytes)).toBe(true);
    expect(rows).toMatchObject([{ status: 200, inputTokens: 3, outputTokens: 25, audioMs: 1_000 }]);
  });

  it("passes voice, speed, text and instructions to the engine, and reports ignored instructions", async () => {
    const { post, speech, rows } = harness();
    const reply = await post(PATH, {
      ...GOOD,
      voice: { id: "NOVA" },
      speed: 2,
      instructions: "whisper",
      user: "u-7",
      api_base: "http://evil",
    });
    expect(reply.headers["x-patchbay-ignored"]).toBe("instructions");
    await readBody(reply);
    expect(speech.requests).toMatchObject([
      { segments: [{ text: "one two three", voice: "nova" }], speed: 2, instructions: "whisper" },
    ]);
    expect(JSON.stringify(speech.requests)).not.toContain("evil");
    expect(rows).toMatchObject([{ endUser: "u-7", trace: { parameters: { voices: ["nova"], speed: 2 } } }]);
  });

  it("reserves more for speech that is slowed down", async () => {
    const prices = {
      inputPerMillionTokens: null,
      inputPerMillionCharacters: null,
      outputPerMillionTokens: null,
      outputPerMillionSeconds: 1_000_000_000_000,
    };
    const { post, reserved } = harness(undefined, { model: { prices } });
    await readBody(await post(PATH, { ...GOOD, speed: 0.5 }));
    await readBody(await post(PATH, { ...GOOD, speed: 4 }));
    expect(reserved.map((row) => row.reservedNano)).toEqual([2 * 3_950_000, 3_950_000]);
  });

  it("streams while the audio is synthesised", async () => {
    let made = 0;
    const speech = new ScriptedSpeech(async function* () {
      for await (const event of spoken(60)) {
        made += 1;
        yield event;
      }
    });
    const { post } = harness(speech);
    const body = chunksOf(await post(PATH, GOOD));
    await body.next();
    expect(made).toBeLessThanOrEqual(2);
    await body.return?.();
  });

  it("does not apply the idle timeout to a built-in engine that is busy with other calls", async () => {
    const speech = new ScriptedSpeech(async function* () {
      for await (const event of spoken(0.4)) {
        if (event.type === "end") await new Promise((resolve) => setTimeout(resolve, 100));
        yield event;
      }
    });
    const { post, rows } = harness(speech, { limits: { idleMs: 20 } });
    await readBody(await post(PATH, GOOD));
    expect(rows).toMatchObject([{ status: 200, audioMs: 400 }]);
  });

  it("sends server-sent events with the audio, the last one with the usage", async () => {
    const { post, rows } = harness();
    const reply = await post(PATH, { ...GOOD, response_format: "pcm", stream_format: "sse" });
    expect(reply.headers["content-type"]).toBe("text/event-stream");
    const text = (await readBody(reply)).bytes.toString();
    const blocks = text.split("\n\n");
    expect(blocks.pop()).toBe("");
    const events = blocks.map((block) => JSON.parse(block.slice(block.indexOf("data: ") + 6)));
    expect(events.pop()).toEqual({
      type: "speech.audio.done",
      usage: { input_tokens: 3, output_tokens: 25, total_tokens: 28 },
    });
    expect(events.every((event) => event.type === "speech.audio.delta")).toBe(true);
    expect(Buffer.concat(events.map((event) => Buffer.from(event.audio, "base64")))).toEqual(
      await collect(tone(1)),
    );
    expect(rows).toHaveLength(1);
  });

  it.each<[string, unknown, string, RegExp]>([
    ["no model", { ...GOOD, model: undefined }, "model", /'model' is required/],
    ["a number for model", { ...GOOD, model: 5 }, "model", /must be a string, not 5/],
    ["no input", { ...GOOD, input: undefined }, "input", /'input' is required/],
    ["empty input", { ...GOOD, input: "" }, "input", /must have text to speak/],
    ["white space", { ...GOOD, input: " \n" }, "input", /must have text to speak/],
    ["4,097 characters", { ...GOOD, input: "a".repeat(4_097) }, "input", /4097 characters; at most 4096/],
    ["no voice", { ...GOOD, voice: undefined }, "voice", /voice/],
    ["a number for voice", { ...GOOD, voice: 1 }, "voice", /must be a voice name, or an object/],
    ["an unknown voice", { ...GOOD, voice: "aloy" }, "voice", /did you mean 'alloy'/],
    ["a voice without a similar name", { ...GOOD, voice: "zzzzzz" }, "voice", /GET \/v1\/audio\/voices/],
    ["a voice of 201 characters", { ...GOOD, voice: "a".repeat(201) }, "voice", /at most 200 characters/],
    ["a voice ID of 201 characters", { ...GOOD, voice: { id: "a".repeat(201) } }, "voice", /at most 200/],
    ["a user of 1,025 characters", { ...GOOD, user: "u".repeat(1_025) }, "user", /at most 1,024 characters/],
    ["an object for a user", { ...GOOD, user: {} }, "user", /'user' must be a string/],
    ["an unknown format", { ...GOOD, response_format: "ogg" }, "response_format", /'mp3' or 'opus'/],
    ["a speed of 5", { ...GOOD, speed: 5 }, "speed", /at most 4/],
    ["a speed as a string", { ...GOOD, speed: "1" }, "speed", /must be a number, not a string/],
    ["a number for instructions", { ...GOOD, instructions: 1 }, "instructions", /must be a string/],
    ["an unknown stream format", { ...GOOD, stream_format: "ws" }, "stream_format", /'audio' or 'sse'/],
    ["an embeddings model", { ...GOOD, model: "patchbay-embed" }, "model", /embeddings/],
  ])("refuses %s with 400 and the invalid field", async (_name, body, param, message) => {
    const { post, reserved } = harness();
    const reply = await post(PATH, body);
    expect(reply.status).toBe(400);
    const error = await errorOf(reply);
    expect(error).toEqual({
      message: expect.stringMatching(message),
      type: "invalid_request_error",
      param,
      code: null,
    });
    expect(reserved).toEqual([]);
  });

  it.each(["alloy", "zzzzzz"])(
    "answers 503 without charge for a model without a channel (voice '%s')",
    async (voice) => {
      const prices = {
        inputPerMillionTokens: 1_000_000,
        inputPerMillionCharacters: 1_000_000,
        outputPerMillionTokens: 1_000_000,
        outputPerMillionSeconds: 1_000_000,
      };
      const { post, rows } = openSpeechHarness([], { model: { prices } });
      const reply = await post(PATH, { ...GOOD, voice });
      expect(reply.status).toBe(503);
      expect(reply.headers["retry-after"]).toBe("1");
      expect(await errorOf(reply)).toEqual({
        message: "No channel can serve the model 'patchbay-speech' at the moment.",
        type: "api_error",
        param: null,
        code: "no_channel_available",
      });
      expect(rows).toMatchObject([
        { status: 503, error: "no_channel_available", inputTokens: 0, audioMs: 0, costNano: 0, attempts: 0 },
      ]);
    },
  );

  it("records a user of 1,024 characters, counted as code points", async () => {
    const { post, rows } = harness();
    await readBody(await post(PATH, { ...GOOD, user: "😀".repeat(1_024), response_format: "pcm" }));
    expect(rows).toMatchObject([{ status: 200, endUser: "😀".repeat(1_024) }]);
  });

  it("publishes the limits of the recorded fields in the OpenAPI document", () => {
    const { properties } = z.toJSONSchema(OpenAiSpeechRequest, { io: "input" });
    expect(JSON.stringify(properties?.user)).toContain('"maxLength":1024');
    expect(JSON.stringify(properties?.voice)).toContain('"maxLength":200');
  });

  it("accepts 4,096 characters, counted as code points", async () => {
    expect(
      (await harness().post(PATH, { ...GOOD, input: "😀".repeat(4_096), response_format: "pcm" })).status,
    ).toBe(200);
  });

  it("breaks the audio at once when the engine fails, and logs its model and channel", async () => {
    const broken = new AppError("upstream_truncated", "broke");
    const { post, ctx, rows } = harness(new ScriptedSpeech(() => spoken(1, { ending: broken })));
    const warned = vi.spyOn(ctx.services.log, "warn");
    const { error } = await readBody(await post(PATH, GOOD));
    expect(error).toMatchObject({ code: "upstream_truncated" });
    const [row] = rows;
    const logged = { code: "upstream_truncated", model: row?.model, channel: row?.channelId };
    expect(warned.mock.calls).toMatchObject([["stream_failed", logged]]);
    expect(rows).toMatchObject([{ status: 502, error: "upstream_truncated", audioMs: 1_000 }]);
  });

  it("reports a failure of an event stream as an error event, then breaks", async () => {
    const broken = new AppError("upstream_truncated", "broke");
    const { post, ctx, rows } = harness(new ScriptedSpeech(() => spoken(1, { ending: broken })));
    const warned = vi.spyOn(ctx.services.log, "warn");
    const { bytes, error } = await readBody(await post(PATH, { ...GOOD, stream_format: "sse" }));
    const [row] = rows;
    const logged = { code: "upstream_truncated", model: row?.model, channel: row?.channelId };
    expect(warned.mock.calls).toMatchObject([["stream_failed", logged]]);
    expect(error).toMatchObject({ code: "upstream_truncated" });
    const last = bytes.toString().split("\n\n").at(-2) ?? "";
    expect(last).toMatch(/^event: error\ndata: /);
    expect(JSON.parse(last.slice(last.indexOf("{")))).toEqual({
      error: { message: "broke", type: "api_error", param: null, code: "upstream_truncated" },
    });
  });

  it.each([undefined, "sse"])(
    "answers 503 when no encoder is free, settles the call and stops the engine (%s)",
    async (stream_format) => {
      const encoder = {
        encode: async function* () {
          yield* [];
          throw new AppError("overloaded", "Too many.", { retryAfterMs: 1_000 });
        },
        close: async () => {},
      };
      const { post, rows, speech } = harness(new ScriptedSpeech(() => spoken(60)), { encoder });
      const reply = await post(PATH, { ...GOOD, stream_format });
      expect(reply.status).toBe(503);
      expect(reply.headers).toMatchObject({ "retry-after": "1" });
      expect(rows).toMatchObject([{ status: 503, error: "overloaded", inputTokens: 0, costNano: 0 }]);
      expect(speech).toMatchObject({ returned: 1, running: 0 });
    },
  );

  it("stops the engine when the caller leaves, and settles the audio so far once", async () => {
    const { post, rows, speech } = harness(new ScriptedSpeech(() => spoken(60)));
    const body = chunksOf(await post(PATH, GOOD));
    await body.next();
    await body.next();
    await body.return?.();
    expect(rows).toMatchObject([{ status: 499, error: "caller_left" }]);
    expect(speech).toMatchObject({ returned: 1, running: 0 });
  });
});

describe("cached speech", () => {
  it("is served to other users only where cached results are shared", async () => {
    const { ctx, post, speech } = harness(undefined, { model: { cacheable: true } });
    const { owner } = ctx.caller;
    const cacheOf = async (id: string) => {
      owner.id = id;
      const reply = await post(PATH, { ...GOOD, response_format: "pcm" });
      await readBody(reply);
      return reply.headers["x-patchbay-cache"];
    };
    expect([await cacheOf("usr_1"), await cacheOf("usr_1"), await cacheOf("usr_2")]).toEqual([
      "miss",
      "hit",
      "miss",
    ]);
    ctx.services.instance.sharesCaches = true;
    expect([await cacheOf("usr_1"), await cacheOf("usr_2")]).toEqual(["miss", "hit"]);
    expect(speech.requests).toHaveLength(3);
  });

  it("counts the same tokens on a hit as on the miss, including those of the instructions", async () => {
    const channel = speechChannel("a", { provider: "openai", embedded: false });
    const speech = new ScriptedSpeech(() => spoken(1));
    const { post, rows } = openSpeechHarness([{ channel, speech }], { model: { cacheable: true } });
    const body = { ...GOOD, response_format: "pcm", instructions: "speak very slowly" };
    for (const state of ["miss", "hit"]) {
      const reply = await post(PATH, body);
      await readBody(reply);
      expect(reply.headers["x-patchbay-cache"]).toBe(state);
    }
    expect(rows.map(({ inputTokens }) => inputTokens)).toEqual([6, 6]);
  });

  it("is not kept by a call that began before the caches were cleared", async () => {
    const { ctx, post } = harness(undefined, { model: { cacheable: true } });
    const cacheOf = async (whileRunning?: () => void) => {
      const reply = await post(PATH, { ...GOOD, response_format: "pcm" });
      whileRunning?.();
      await readBody(reply);
      return reply.headers["x-patchbay-cache"];
    };
    const clear = () => {
      ctx.services.state.cacheGeneration += 1;
    };
    expect([await cacheOf(clear), await cacheOf(), await cacheOf()]).toEqual(["miss", "miss", "hit"]);
  });

  it("is kept only for a model whose speech may be cached", async () => {
    const { post, speech } = harness(undefined, { model: { cacheable: false } });
    for (const calls of [1, 2]) {
      const reply = await post(PATH, { ...GOOD, response_format: "pcm" });
      expect((await readBody(reply)).error).toBeNull();
      expect(reply.headers["x-patchbay-cache"]).toBeUndefined();
      expect(speech.requests).toHaveLength(calls);
    }
  });

  it("of another model is not kept while the first channel fails", async () => {
    let calls = 0;
    const first = new ScriptedSpeech(() => {
      calls += 1;
      if (calls === 1) throw new AppError("upstream_error", "The upstream is away.");
      return spoken(1);
    });
    const elevenLabs = speechChannel("a", { provider: "elevenlabs", embedded: false });
    const { post, rows } = openSpeechHarness(
      [
        { channel: elevenLabs, speech: first },
        { channel: speechChannel("b", { priority: 1 }), speech: new ScriptedSpeech(() => spoken(1)) },
      ],
      { model: { cacheable: true } },
    );
    for (const state of ["miss", "miss", "hit"]) {
      const reply = await post(PATH, { ...GOOD, response_format: "pcm" });
      await readBody(reply);
      expect(reply.headers["x-patchbay-cache"]).toBe(state);
    }
    expect(rows.map(({ channelId }) => channelId)).toEqual(["b", "a", null]);
  });

  it("is not cached when the upstream ended it early", async () => {
    const cut = {
      type: "end",
      usage: { inputTokens: null, outputTokens: null },
      finishReason: "OTHER",
    } as const;
    const speech = new ScriptedSpeech(() => spoken(1, { ending: cut }));
    const { ctx, post } = harness(speech, { model: { cacheable: true } });
    const generationConfig = { responseModalities: ["AUDIO"] };
    const gemini = { contents: [{ parts: [{ text: GOOD.input }] }], generationConfig };
    const openai = { ...GOOD, response_format: "pcm" };
    const ask = async (path: string, body: unknown, error: object | null) => {
      const reply = await post(path, body);
      expect((await readBody(reply)).error).toEqual(error);
      expect(reply.headers["x-patchbay-cache"]).toBe("miss");
    };
    for (let asked = 0; asked < 2; asked++) {
      await ask(`/v1beta/models/${GOOD.model}:streamGenerateContent`, gemini, null);
      await ask(PATH, openai, expect.objectContaining({ code: "upstream_truncated" }));
    }
    expect(ctx.services.state.bufferedReplies.bytes).toBe(0);
  });

  it("stops the engine and answers 503 when the encoder cannot start", async () => {
    const encoder = {
      encode: () => {
        throw new AppError("overloaded", "No encoder is free.");
      },
      close: async () => undefined,
    };
    const speech = new ScriptedSpeech(() => spoken(1));
    const { post, rows } = harness(speech, { encoder });
    expect((await post(PATH, GOOD)).status).toBe(503);
    expect(rows).toMatchObject([{ status: 503, error: "overloaded" }]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(speech.running).toBe(0);
  });

  it("counts no memory for a reply whose caller left", async () => {
    const { ctx, post } = harness(undefined, { model: { cacheable: true } });
    const { bufferedReplies } = ctx.services.state;
    const chunks = chunksOf(await post(PATH, { ...GOOD, response_format: "pcm" }));
    await chunks.next();
    expect(bufferedReplies.bytes).toBeGreaterThan(0);
    await chunks.return?.();
    expect(bufferedReplies.bytes).toBe(0);
  });

  it("is requested from the channel as a whole, except for callers of Gemini's stream", async () => {
    const { post, speech } = harness();
    const gemini = {
      contents: [{ parts: [{ text: GOOD.input }] }],
      generationConfig: { responseModalities: ["AUDIO"] },
    };
    const model = `/v1beta/models/${GOOD.model}`;
    await readBody(await post(PATH, GOOD));
    await readBody(await post(`${model}:generateContent`, gemini));
    await readBody(await post(`${model}:streamGenerateContent`, gemini));
    expect(speech.requests.map(({ acceptsPart }) => acceptsPart)).toEqual([false, false, true]);
    // 2 s + 0.15 s per character.
    for (const { maxSeconds } of speech.requests) expect(maxSeconds).toBe(2 + 0.15 * GOOD.input.length);
  });

  it("reserves memory while an upstream sends the speech all at once", async () => {
    const held: number[] = [];
    const atOnce = new ScriptedSpeech(async function* (_request, options) {
      options.extendFirstByte?.(1_000);
      held.push(ctx.services.state.bufferedReplies.bytes);
      yield* spoken(1);
    });
    const { ctx, post, rows } = harness(atOnce);
    expect((await readBody(await post(PATH, GOOD))).error).toBeNull();
    expect(ctx.services.state.bufferedReplies.bytes).toBe(0);
    const memory = new BufferedReplies(100_000);
    const other = memory.enter("usr_2", 2);
    ctx.services.state.bufferedReplies = memory;
    expect((await post(PATH, GOOD)).status).toBe(503);
    expect(rows.map(({ error }) => error)).toEqual([null, "overloaded"]);
    other.release();
    expect(held).toHaveLength(1);
    // A second of 24 kHz s16le.
    expect(held[0]).toBeGreaterThanOrEqual(48_000);
    expect(memory.bytes).toBe(0);
  });

  describe("sent by the first channel all at once", () => {
    /** A channel that replies all at once, before one that streams; `onNext` null: alone. */
    function openWhole(ending: SpeechEvent = END, seconds = 1, onNext: (() => void) | null = () => {}) {
      const atOnce = new ScriptedSpeech(async function* (_request, options) {
        options.extendFirstByte?.(1_000);
        yield* spoken(seconds, { ending });
      });
      const streaming = new ScriptedSpeech(() => {
        onNext?.();
        return spoken(1);
      });
      return openSpeechHarness([
        { channel: speechChannel("a", { provider: "elevenlabs", embedded: false }), speech: atOnce },
        ...(onNext === null
          ? []
          : [
              {
                channel: speechChannel("b", { provider: "elevenlabs", embedded: false, priority: 1 }),
                speech: streaming,
              },
            ]),
      ]);
    }

    it("is replaced by the next channel's stream when it ended early or memory is short", async () => {
      const { ctx, post, rows } = openWhole({ ...END, finishReason: "OTHER" } as SpeechEvent);
      const count = vi.spyOn(ctx.services.metrics, "count");
      expect((await readBody(await post(PATH, GOOD))).error).toBeNull();
      const memory = new BufferedReplies(100_000);
      ctx.services.state.bufferedReplies = memory;
      for (const owner of ["usr_2", ctx.caller.owner.id]) {
        const other = memory.enter(owner, 1);
        expect((await readBody(await post(PATH, GOOD))).error).toBeNull();
        other.release();
      }
      const served = { channelId: "b", attempts: 2, status: 200 };
      expect(rows).toMatchObject([served, served, served]);
      // The calls were not refused.
      expect(count).not.toHaveBeenCalledWith("rate_limited");
      expect(memory.bytes).toBe(0);
    });

    it.each([
      ["its owner", 20, "rate_limited"],
      ["the server", 41, "overloaded"],
    ])("is streamed by the next when it outgrows the memory left to %s", async (full, seconds, error) => {
      const memory = new BufferedReplies(60 * 48_000);
      let bytesAtNext = 0;
      const { ctx, post, rows } = openWhole(END, 40, () => {
        bytesAtNext = memory.bytes;
      });
      const count = vi.spyOn(ctx.services.metrics, "count");
      ctx.services.state.bufferedReplies = memory;
      const other = memory.enter(full === "its owner" ? ctx.caller.owner.id : "usr_2", seconds);
      expect((await readBody(await post(PATH, GOOD))).error).toBeNull();
      expect(rows).toMatchObject([
        {
          channelId: "b",
          attempts: 2,
          status: 200,
          trace: { attempts: [{ error }, { error: null }] },
        },
      ]);
      expect(bytesAtNext).toBe(seconds * 48_000);
      expect(count).not.toHaveBeenCalledWith("rate_limited");
      other.release();
      expect(memory.bytes).toBe(0);
    });

    it("holds no memory for the next when it failed before its first byte", async () => {
      const memory = new BufferedReplies();
      let bytesAtNext = -1;
      const failing = new ScriptedSpeech(async function* (_request, options) {
        options.extendFirstByte?.(1_000);
        yield* [];
        throw new AppError("upstream_error", "It failed.", { upstreamStatus: 500 });
      });
      const next = new ScriptedSpeech(() => {
        bytesAtNext = memory.bytes;
        return spoken(1);
      });
      const upstream = { provider: "elevenlabs", embedded: false } as const;
      const { ctx, post } = openSpeechHarness([
        { channel: speechChannel("a", upstream), speech: failing },
        { channel: speechChannel("b", { ...upstream, priority: 1 }), speech: next },
      ]);
      ctx.services.state.bufferedReplies = memory;
      expect((await readBody(await post(PATH, GOOD))).error).toBeNull();
      expect(bytesAtNext).toBe(0);
    });

    it("is refused with 429 when it outgrows its owner's memory and no other channel is left", async () => {
      const { ctx, post, rows } = openWhole(END, 40, null);
      const count = vi.spyOn(ctx.services.metrics, "count");
      const memory = new BufferedReplies(60 * 48_000);
      ctx.services.state.bufferedReplies = memory;
      const other = memory.enter(ctx.caller.owner.id, 20);
      expect((await post(PATH, GOOD)).status).toBe(429);
      expect(rows).toMatchObject([{ status: 429, error: "rate_limited" }]);
      expect(count.mock.calls.filter(([name]) => name === "rate_limited")).toHaveLength(1);
      other.release();
      expect(memory.bytes).toBe(0);
    });

    it("is charged as a whole to a caller who leaves", async () => {
      const { ctx, post, rows } = openWhole();
      const chunks = chunksOf(await post(PATH, { ...GOOD, response_format: "pcm" }));
      await chunks.next();
      await chunks.return?.();
      await expect.poll(() => rows.length).toBe(1);
      expect(rows).toMatchObject([{ channelId: "a", status: 499, audioMs: 1_000 }]);
      expect(ctx.services.state.bufferedReplies.bytes).toBe(0);
    });
  });

  it("is not cached when the memory for its copy is short, and counts none of it afterwards", async () => {
    const { ctx, post } = harness(undefined, { model: { cacheable: true } });
    const memory = new BufferedReplies(100_000);
    ctx.services.state.bufferedReplies = memory;
    const other = memory.enter("usr_2", 1);
    const cacheOf = async () => {
      const reply = await post(PATH, { ...GOOD, response_format: "pcm" });
      expect((await readBody(reply)).error).toBeNull();
      return reply.headers["x-patchbay-cache"];
    };
    expect([await cacheOf(), await cacheOf()]).toEqual(["miss", "miss"]);
    other.release();
    expect(memory.bytes).toBe(0);
    ctx.services.state.bufferedReplies = new BufferedReplies();
    expect([await cacheOf(), await cacheOf()]).toEqual(["miss", "hit"]);
    expect(ctx.services.state.bufferedReplies.bytes).toBe(0);
  });
});

describe("GET /v1/audio/voices", () => {
  it("lists the 43 voices once each, with the models of this key", async () => {
    const { get } = harness();
    const reply = await get("/v1/audio/voices");
    const list = JSON.parse((await readBody(reply)).bytes.toString());
    expect(list.object).toBe("list");
    expect(list.voices).toHaveLength(43);
    expect(list.voices[0]).toEqual({
      id: "Zephyr",
      name: "Zephyr",
      languages: [],
      gender: "female",
      description: "bright",
      family: "gemini",
      models: ["patchbay-speech"],
    });
  });
});
