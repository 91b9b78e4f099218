import { expect, test } from "vitest";
import { type SpeechStreamEvent, streamSpeech } from "@/components/speech/stream";
import { GatewayError } from "@/lib/client/gateway-error";
import type { SpeechCall } from "@/lib/client/speech-call";
import { pcmOf } from "@/lib/client/speech-pcm";

const call: SpeechCall = {
  model: "patchbay-speech",
  text: "Hello",
  voices: { kind: "single", voice: "Kore" },
  language: null,
  speed: 1,
};

function base64(samples: number[], odd = false): string {
  const bytes = Buffer.from(pcmOf(Int16Array.from(samples)));
  return (odd ? bytes.subarray(1) : bytes).toString("base64");
}

function frame(data: string, finish?: Record<string, unknown>): string {
  const parts = data === "" ? [] : [{ inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data } }];
  return `data: ${JSON.stringify({
    candidates: [{ content: { role: "model", parts }, ...(finish ? { finishReason: "STOP" } : {}) }],
    ...(finish ?? {}),
  })}\n\n`;
}

const LAST = { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 63 } };

/** A server that replies with `pieces` and records its requests. */
function serverOf(pieces: (string | Uint8Array)[], init: ResponseInit = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  let isCancelled = false;
  const encoder = new TextEncoder();
  const fake: typeof fetch = async (url, request = {}) => {
    requests.push({ url: String(url), init: request });
    const queue = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = queue.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(typeof next === "string" ? encoder.encode(next) : next);
      },
      cancel() {
        isCancelled = true;
      },
    });
    return new Response(body, init);
  };
  return { fake, requests, wasCancelled: () => isCancelled };
}

async function collect(events: AsyncIterable<SpeechStreamEvent>): Promise<SpeechStreamEvent[]> {
  const all: SpeechStreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const options = (fake: typeof fetch) => ({
  key: "sk-pb-test",
  signal: new AbortController().signal,
  fetch: fake,
});

test("streamSpeech sends the text, the voice and the key to the streaming endpoint", async () => {
  const { fake, requests } = serverOf([frame(base64([1]), LAST)]);
  await collect(streamSpeech({ ...call, model: "org/voice:1", language: "de-DE" }, options(fake)));
  expect(requests[0]?.url).toBe("/v1beta/models/org/voice:1:streamGenerateContent?alt=sse");
  expect(new Headers(requests[0]?.init.headers).get("authorization")).toBe("Bearer sk-pb-test");
  expect(JSON.parse(String(requests[0]?.init.body))).toEqual({
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: {
        voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } },
        languageCode: "de-DE",
      },
    },
  });
});

test("streamSpeech yields the samples in order wherever chunks are split", async () => {
  const whole = new TextEncoder().encode(
    frame(base64([1, -2])) + frame(base64([3])) + frame(base64([-32_768]), LAST),
  );
  for (const size of [1, 7, 1000]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.slice(at * size, (at + 1) * size),
    );
    const { fake } = serverOf(pieces, {
      headers: {
        "x-patchbay-channel": "B%c3%bcro 50%25",
        "x-request-id": "req-1",
        "x-patchbay-cache": "hit",
      },
    });
    const events = await collect(streamSpeech(call, options(fake)));
    expect(events[0]).toEqual({
      type: "open",
      channel: "Büro 50%",
      requestId: "req-1",
      ignored: null,
      isCached: true,
    });
    const samples = events.flatMap((event) => (event.type === "audio" ? [...event.samples] : []));
    expect(samples).toEqual([1, -2, 3, -32_768]);
    expect(events.at(-1)).toEqual({ type: "end", inputTokens: 7, outputTokens: 63 });
  }
});

test("streamSpeech accepts frames with CRLF line breaks", async () => {
  const { fake } = serverOf([frame(base64([5]), LAST).replaceAll("\n", "\r\n")]);
  const events = await collect(streamSpeech(call, options(fake)));
  expect(events.some((event) => event.type === "audio" && event.samples[0] === 5)).toBe(true);
});

test("streamSpeech throws an error frame after the first audio with the API's message", async () => {
  const error = { error: { code: 502, message: "The upstream broke off.", status: "INTERNAL" } };
  const { fake } = serverOf([frame(base64([1])), `data: ${JSON.stringify(error)}\n\n`], {
    headers: { "x-request-id": "req-2" },
  });
  const received: SpeechStreamEvent[] = [];
  const run = async () => {
    for await (const event of streamSpeech(call, options(fake))) received.push(event);
  };
  await expect(run()).rejects.toMatchObject({
    failure: { message: "The upstream broke off.", status: 502, requestId: "req-2", advice: "upstream" },
  });
  expect(received.map((event) => event.type)).toEqual(["open", "audio"]);
});

test("streamSpeech reports a stream without its last frame as cut", async () => {
  const { fake } = serverOf([frame(base64([1]))]);
  await expect(collect(streamSpeech(call, options(fake)))).rejects.toMatchObject({
    failure: { advice: "cut" },
  });
});

test("streamSpeech keeps the audio of speech that the model ended early, and reports the reason", async () => {
  const { fake } = serverOf([frame(base64([1]), LAST).replace('"STOP"', '"MAX_TOKENS"')]);
  const received: SpeechStreamEvent[] = [];
  const run = async () => {
    for await (const event of streamSpeech(call, options(fake))) received.push(event);
  };
  await expect(run()).rejects.toMatchObject({
    failure: { advice: "cut", message: "", code: "MAX_TOKENS" },
  });
  expect(received.slice(1)).toEqual([
    { type: "audio", samples: Int16Array.of(1) },
    { type: "end", inputTokens: 7, outputTokens: 63 },
  ]);
});

test("streamSpeech throws a rejected request with status, code, request ID and retry delay", async () => {
  const body = JSON.stringify({
    error: { code: 429, message: "Ten calls a minute.", status: "RESOURCE_EXHAUSTED" },
  });
  const { fake } = serverOf([body], {
    status: 429,
    headers: { "retry-after": "3", "x-request-id": "req-3" },
  });
  const failed = await collect(streamSpeech(call, options(fake))).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(GatewayError);
  expect(failed).toMatchObject({
    failure: {
      message: "Ten calls a minute.",
      status: 429,
      code: "RESOURCE_EXHAUSTED",
      requestId: "req-3",
      retryAfterMs: 3000,
      advice: "wait",
    },
  });
});

test("streamSpeech closes the connection when its reader leaves the loop", async () => {
  const server = serverOf([frame(base64([1])), frame(base64([2])), frame(base64([3]), LAST)]);
  for await (const event of streamSpeech(call, options(server.fake))) if (event.type === "audio") break;
  expect(server.wasCancelled()).toBe(true);
});

test("streamSpeech uses the OpenAI endpoint for a changed speed and joins samples that chunks split", async () => {
  const bytes = Buffer.from(pcmOf(Int16Array.from([258, -772, 1286])));
  const delta = (part: Buffer) =>
    `data: ${JSON.stringify({ type: "speech.audio.delta", audio: part.toString("base64") })}\n\n`;
  const { fake, requests } = serverOf([
    delta(bytes.subarray(0, 1)),
    delta(bytes.subarray(1, 4)),
    delta(bytes.subarray(4)),
    `data: ${JSON.stringify({ type: "speech.audio.done", usage: { input_tokens: 2, output_tokens: 9 } })}\n\n`,
  ]);
  const events = await collect(streamSpeech({ ...call, speed: 1.5 }, options(fake)));
  expect(requests[0]?.url).toBe("/v1/audio/speech");
  expect(JSON.parse(String(requests[0]?.init.body))).toEqual({
    model: "patchbay-speech",
    input: "Hello",
    voice: "Kore",
    response_format: "pcm",
    speed: 1.5,
    stream_format: "sse",
  });
  const samples = events.flatMap((event) => (event.type === "audio" ? [...event.samples] : []));
  expect(samples).toEqual([258, -772, 1286]);
  expect(events.at(-1)).toMatchObject({ type: "end", inputTokens: 2, outputTokens: 9 });
});

test("streamSpeech sends a script with every speaker's voice to the Gemini endpoint at any speed", async () => {
  const { fake, requests } = serverOf([frame(base64([1]), LAST)]);
  const speakers = [
    { name: "Ana", voice: "Kore" },
    { name: "Ben", voice: "Puck" },
  ];
  await collect(streamSpeech({ ...call, voices: { kind: "script", speakers }, speed: 2 }, options(fake)));
  expect(requests[0]?.url).toContain(":streamGenerateContent");
  expect(JSON.parse(String(requests[0]?.init.body)).generationConfig.speechConfig).toEqual({
    multiSpeakerVoiceConfig: {
      speakerVoiceConfigs: [
        { speaker: "Ana", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
        { speaker: "Ben", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
      ],
    },
  });
});

test("streamSpeech reads the body to its end, so that the request does not count as aborted by the caller", async () => {
  const server = serverOf([frame(base64([1, 2])), frame("", LAST), ""]);
  await collect(streamSpeech(call, options(server.fake)));
  expect(server.wasCancelled()).toBe(false);
});
