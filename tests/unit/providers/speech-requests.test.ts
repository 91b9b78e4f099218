import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ConsoleServices } from "@/lib/console/context";
import { canonicalVoice, listVoiceNames } from "@/lib/gateway/speech/choose-voices";
import type { CatalogEntry } from "@/lib/ports/catalog";
import { channelKeyAad } from "@/lib/ports/channel-probe";
import type { SpeechModel, SpeechRequest } from "@/lib/ports/speech-model";
import type { ChannelRecord } from "@/lib/ports/store";
import { formOf } from "../../../lib/providers/openai/options";
import { FakeClock } from "../../support/factories";
import {
  callOptions,
  channelTo,
  cipher,
  createRig,
  hear,
  speechRequest,
  TEXT,
  UPSTREAM_KEY,
} from "../../support/upstream/rig";
import { type LedgerEntry, startUpstream, type Upstream } from "../../support/upstream/server";
import { spokenSamples, tonePcm } from "../../support/upstream/sounds";

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

/** Speaks once and returns the requests that were sent. */
async function sent(
  provider: string,
  request: SpeechRequest,
  fields: Partial<ChannelRecord> = {},
): Promise<LedgerEntry[]> {
  const channel = channelTo(provider, upstream, fields);
  const before = upstream.ledger.length;
  const { error } = await hear(rig.speech(channel), request);
  expect(error).toBeNull();
  return upstream.ledger.slice(before);
}

/** Services with the parts that `listVoiceNames` reads. */
function servicesWith(model: SpeechModel): ConsoleServices {
  return { providers: { speech: () => model }, log: { warn() {} } } as unknown as ConsoleServices;
}

function entryOf(provider: string): CatalogEntry {
  const routes = [{ channel: channelTo(provider, upstream), upstreamName: "tts" }];
  return { routes } as unknown as CatalogEntry;
}

const OWN_HEADERS = [
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "user-agent",
];

test.each([
  ["openai", "authorization", `Bearer ${UPSTREAM_KEY}`],
  ["gemini", "x-goog-api-key", UPSTREAM_KEY],
  ["elevenlabs", "xi-api-key", UPSTREAM_KEY],
])("sends %s its key in %s, the channel's headers, and nothing else", async (provider, name, value) => {
  const [entry] = await sent(provider, speechRequest("tts"), { headers: { "X-Team": "voice" } });
  expect(entry?.headers[name]).toBe(value);
  expect(Object.keys(entry?.headers ?? {}).sort()).toEqual([...OWN_HEADERS, name, "x-team"].sort());
});

test("requests raw samples from OpenAI, with the caller's fields and no null", async () => {
  const request = speechRequest("tts", { speed: 1.5, instructions: "Be kind.", language: "en-US" });
  const [plain] = await sent("openai", speechRequest("tts"));
  const [full] = await sent("openai", request);
  expect(plain?.path).toBe("/v1/audio/speech");
  expect(plain?.body).toEqual({ model: "tts", input: TEXT, voice: "sage", response_format: "pcm" });
  expect(full?.body).toEqual({
    model: "tts",
    input: TEXT,
    voice: "sage",
    response_format: "pcm",
    speed: 1.5,
    instructions: "Be kind.",
  });
});

test("sends a script to OpenAI line by line, each with its voice and style, as one speech", async () => {
  const segments = [
    { text: "Hello there.", voice: "Kore", speaker: "Ann" },
    { text: "Hi!", voice: "onyx", speaker: "Bob", style: "whispered" },
  ];
  const channel = channelTo("openai", upstream, { options: { list_voices: false } });
  const before = upstream.ledger.length;
  const { pcm, end } = await hear(rig.speech(channel), speechRequest("tts", { segments }));
  expect(upstream.ledger.slice(before).map(({ body }) => body)).toEqual([
    { model: "tts", input: "Hello there.", voice: "sage", response_format: "pcm" },
    { model: "tts", input: "Hi!", voice: "onyx", response_format: "pcm", instructions: "whispered" },
  ]);
  const expected = Buffer.concat([tonePcm("Hello there.", "sage", 24_000), tonePcm("Hi!", "onyx", 24_000)]);
  expect(pcm.equals(expected)).toBe(true);
  expect(end?.finishReason).toBe("STOP");
});

test("ends the speech of a script with an error, and without an end event, when the reply to a line is cut", async () => {
  const channel = channelTo("openai", upstream, { options: { voices: { gone: "gone" } } });
  const model = rig.speech(channel);
  const events = model.synthesize(
    speechRequest("tts--cut-at-chunk-2", {
      segments: [
        { text: TEXT, voice: "a" },
        { text: "no", voice: "b" },
      ],
    }),
    { signal: new AbortController().signal, requestId: "", firstByteBy: performance.now() + 9_000 },
  );
  const seen: string[] = [];
  const work = (async () => {
    for await (const event of events) seen.push(event.type);
  })();
  await expect(work).rejects.toMatchObject({ code: "upstream_truncated" });
  expect(seen).toContain("audio");
  expect(seen).not.toContain("end");
});

test("sends Azure's speech to the deployment's URL", async () => {
  const [entry] = await sent("openai", speechRequest("tts"), {
    baseUrl: upstream.origin,
    options: { azure_api_version: "2025-03-01-preview" },
  });
  expect(entry?.path).toBe("/openai/deployments/tts/audio/speech?api-version=2025-03-01-preview");
  expect(entry?.headers["api-key"]).toBe(UPSTREAM_KEY);
});

test("asks Azure for the newest version of each operation by default", () => {
  const form = formOf(channelTo("openai", upstream, { baseUrl: "https://house.openai.azure.com" }));
  expect((["/audio/speech", "/embeddings"] as const).map((operation) => form.path(operation, "m"))).toEqual([
    "/deployments/m/audio/speech?api-version=2025-04-01-preview",
    "/deployments/m/embeddings?api-version=2024-10-21",
  ]);
});

test.each([
  ["https://house.openai.azure.com/openai/v1", "/audio/speech"],
  ["https://speech.example", "/audio/speech"],
])("calls %s in OpenAI's form, without a deployment", (baseUrl, path) => {
  const form = formOf(channelTo("openai", upstream, { baseUrl }));
  expect([form.path("/audio/speech", "m"), form.hasModelList]).toEqual([path, true]);
});

test("reads the tokens from OpenAI's events, and none from raw audio", async () => {
  const events = channelTo("openai", upstream, { options: { stream_format: "sse" } });
  const streamed = await hear(rig.speech(events), speechRequest("tts"));
  expect(streamed.end?.usage).toEqual({
    inputTokens: 10,
    outputTokens: Math.ceil((spokenSamples(TEXT, 24_000) * 2) / 1_920),
  });
  const raw = await hear(rig.speech(channelTo("openai", upstream)), speechRequest("tts"));
  expect(raw.end?.usage).toEqual({ inputTokens: null, outputTokens: null });
});

test.each(["usage-minus", "usage-text", "usage-huge", "usage-half", "usage-absent"])(
  "ignores an implausible token count of '%s'",
  async (failure) => {
    for (const [provider, options] of [
      ["gemini", {}],
      ["openai", { stream_format: "sse" }],
    ] as const) {
      const { end } = await hear(
        rig.speech(channelTo(provider, upstream, { options })),
        speechRequest(`tts--${failure}`),
      );
      expect(end?.usage).toEqual({ inputTokens: null, outputTokens: null });
    }
  },
);

test.each([
  ["openai", "wav-endless", {}],
  ["openai", "wav-44100", {}],
  ["openai", "rate-16000", {}],
  ["openai", "rate-48000", { speech_format: "wav" }],
  ["gemini", "rate-16000", {}],
  ["gemini", "wav", { streaming: false }],
])("reads %s answering '%s' at 24 kHz in its full length", async (provider, failure, options) => {
  const { pcm, error } = await hear(
    rig.speech(channelTo(provider, upstream, { options })),
    speechRequest(`tts--${failure}`),
  );
  expect(error).toBeNull();
  expect(Math.abs(pcm.length - spokenSamples(TEXT, 24_000) * 2)).toBeLessThanOrEqual(4);
});

const GEMINI_BODY = {
  contents: [{ role: "user", parts: [{ text: TEXT, speechMetadata: { style: "calm", future: 1 } }] }],
  generationConfig: {
    responseModalities: ["audio"],
    temperature: 0.5,
    speechConfig: { languageCode: "de-DE", voiceConfig: { prebuiltVoiceConfig: { voiceName: "kore" } } },
    responseFormat: { audio: { mimeType: "AUDIO_WAV", future: true } },
    notKnownYet: { a: [1] },
  },
  safetySettings: [{ category: "X", threshold: "BLOCK_NONE" }],
  systemInstruction: { parts: [{ text: "Read aloud." }] },
};

test("sends a Gemini caller's body to Gemini unchanged, except for the spelling of voices", async () => {
  const source = { dialect: "gemini", body: GEMINI_BODY } as const;
  const [entry] = await sent("gemini", speechRequest("tts", { source }));
  expect(entry?.path).toBe("/v1beta/models/tts:streamGenerateContent?alt=sse");
  expect(entry?.body).toEqual({
    ...GEMINI_BODY,
    generationConfig: {
      ...GEMINI_BODY.generationConfig,
      responseModalities: ["AUDIO"],
      speechConfig: { languageCode: "de-DE", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
      responseFormat: { audio: { mimeType: "AUDIO_L16", future: true } },
    },
  });
});

test.each([
  ["streamGenerateContent?alt=sse", "short speech", { maxSeconds: 130 }, {}],
  ["generateContent", "long speech", { maxSeconds: 131 }, {}],
  [
    "streamGenerateContent?alt=sse",
    "long speech of which a part is of use",
    { maxSeconds: 131, acceptsPart: true },
    {},
  ],
  [
    "streamGenerateContent?alt=sse",
    "long speech of a streaming channel",
    { maxSeconds: 131 },
    { streaming: true },
  ],
  [
    "generateContent",
    "speech of a channel without streams",
    { maxSeconds: 10, acceptsPart: true },
    { streaming: false },
  ],
])("asks Gemini by :%s for %s", async (method, _what, fields, options) => {
  const extended: number[] = [];
  const channel = channelTo("gemini", upstream, { options });
  const from = performance.now();
  const spoken = await hear(
    rig.speech(channel),
    speechRequest("tts--slow-300", fields),
    callOptions({
      // 1 ms for a whole reply is too short without the extension.
      firstByteBy: from + (method === "generateContent" ? 1 : 10_000),
      extendFirstByte(ms) {
        extended.push(ms);
        return from + 10_000;
      },
    }),
  );
  expect([spoken.error, spoken.end?.finishReason]).toEqual([null, "STOP"]);
  expect(upstream.ledger.at(-1)?.path).toBe(`/v1beta/models/tts--slow-300:${method}`);
  expect(extended).toEqual(method === "generateContent" ? [500 * fields.maxSeconds] : []);
});

test("keeps the voice of Gemini's newer form in its field, and maps it by the channel's table", async () => {
  const body = {
    ...GEMINI_BODY,
    generationConfig: { responseModalities: ["AUDIO"], speechConfig: { voiceConfig: { voice: "Anna" } } },
  };
  const source = { dialect: "gemini", body } as const;
  const [entry] = await sent("gemini", speechRequest("tts", { source }), {
    options: { voices: { anna: "voices/123" } },
  });
  expect(entry?.body).toMatchObject({
    generationConfig: { speechConfig: { voiceConfig: { voice: "voices/123" } } },
  });
});

test("prefers the * of a Gemini channel's table to equivalents of OpenAI's voices, not to Gemini's own", async () => {
  const options = { voices: { anna: "Leda", "*": "Charon" } };
  const names: unknown[] = [];
  for (const voice of ["Anna", "kore", "nova", "nobody"]) {
    const [entry] = await sent("gemini", speechRequest("tts", { segments: [{ text: TEXT, voice }] }), {
      options,
    });
    names.push(entry?.body);
  }
  const named = (voiceName: string) => ({
    generationConfig: { speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } } },
  });
  expect(names).toMatchObject(["Leda", "Kore", "Charon", "Charon"].map(named));
});

test("sends two speakers to Gemini unchanged, and refuses one or three with their number", async () => {
  const speechConfigOf = (...names: string[]) => ({
    multiSpeakerVoiceConfig: {
      speakerVoiceConfigs: names.map((speaker) => ({
        speaker,
        voiceConfig: { prebuiltVoiceConfig: { voiceName: "puck" } },
      })),
    },
  });
  const request = (...names: string[]) => {
    const generationConfig = { responseModalities: ["AUDIO"], speechConfig: speechConfigOf(...names) };
    return speechRequest("tts", {
      source: { dialect: "gemini", body: { ...GEMINI_BODY, generationConfig } },
    });
  };
  const [entry] = await sent("gemini", request("Joe", "Jane"));
  expect(entry?.body).toMatchObject({
    generationConfig: {
      speechConfig: {
        multiSpeakerVoiceConfig: {
          speakerVoiceConfigs: [
            { speaker: "Joe", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
            { speaker: "Jane", voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } } },
          ],
        },
      },
    },
  });
  for (const names of [["A"], ["A", "B", "C"]]) {
    const { error } = await hear(rig.speech(channelTo("gemini", upstream)), request(...names));
    expect(error).toMatchObject({
      code: "invalid",
      message: expect.stringContaining(`got ${names.length}.`),
    });
  }
});

test("sends an OpenAI caller's style to Gemini in the prompt, or beside the text for newer models", async () => {
  const source = { dialect: "openai", body: {} } as const;
  const request = (model: string) => speechRequest(model, { instructions: "Say it cheerfully.", source });
  const [older] = await sent("gemini", request("gemini-2.5-flash-preview-tts"));
  const [newer] = await sent("gemini", request("gemini-3.8-flash-tts"));
  expect(older?.body).toEqual({
    contents: [{ role: "user", parts: [{ text: `Say it cheerfully:\n${TEXT}` }] }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    },
  });
  expect(newer?.body).toMatchObject({
    contents: [{ parts: [{ text: TEXT, speechMetadata: { style: "Say it cheerfully." } }] }],
  });
});

test("maps each of OpenAI's names to a different Gemini voice", async () => {
  const names = [
    "alloy",
    "ash",
    "ballad",
    "coral",
    "echo",
    "fable",
    "onyx",
    "nova",
    "sage",
    "shimmer",
    "verse",
    "marin",
    "cedar",
  ];
  const voices = new Set<unknown>();
  for (const voice of names) {
    const [entry] = await sent("gemini", speechRequest("tts", { segments: [{ text: "Hi", voice }] }));
    voices.add(JSON.stringify(entry?.body));
  }
  expect(voices.size).toBe(names.length);
});

test.each([
  ["gemini", 1.5],
  ["elevenlabs", 2],
])("reports that %s cannot speak at %s times the speed", async (provider, speed) => {
  const before = upstream.ledger.length;
  const { error } = await hear(rig.speech(channelTo(provider, upstream)), speechRequest("tts", { speed }));
  expect(error).toMatchObject({ code: "invalid", details: { param: "speed" } });
  expect(upstream.ledger.length).toBe(before);
});

test.each([0.7, 1.2])("lets ElevenLabs speak at %s times the speed", async (speed) => {
  const [entry] = await sent("elevenlabs", speechRequest("tts", { speed }));
  expect(entry?.body).toMatchObject({ voice_settings: { speed } });
});

test.each([true, false])("speaks only the first of several candidates, streamed: %s", async (streaming) => {
  const speech = rig.speech(channelTo("gemini", upstream, { options: { streaming } }));
  const alone = await hear(speech, speechRequest("tts"));
  expect(await hear(speech, speechRequest("tts--second-candidate"))).toEqual(alone);
});

test.each(["openai", "elevenlabs"])("speaks a script with a line without words over %s", async (provider) => {
  const speech = rig.speech(channelTo(provider, upstream));
  const spoken = { text: "Hello.", voice: "Kore", speaker: "Ann" };
  const silent = { text: "...", voice: "onyx", speaker: "Bob" };
  const alone = await hear(speech, speechRequest("tts--silent-symbols", { segments: [spoken] }));
  const script = speechRequest("tts--silent-symbols", { segments: [silent, spoken, silent] });
  expect(await hear(speech, script)).toEqual(alone);
  // Words without audio stay an error.
  const { error } = await hear(speech, speechRequest("tts--no-audio", { segments: [silent, spoken] }));
  expect(error).toMatchObject({ code: "upstream_invalid" });
});

test.each(["openai", "elevenlabs"])(
  "gives each line of a script over %s its own time for its first byte",
  async (provider) => {
    const clock = new FakeClock();
    const own = createRig([upstream], { clock });
    const line = { text: TEXT, voice: "Kore" };
    const options = callOptions({ firstByteBy: clock.monotonic() + 10_000 });
    const types: string[] = [];
    const script = speechRequest("tts", { segments: [line, line] });
    for await (const { type } of own.speech(channelTo(provider, upstream)).synthesize(script, options)) {
      if (types.length === 0) clock.advance(20_000);
      types.push(type);
    }
    expect(types.at(-1)).toBe("end");
    await own.close();
  },
);

test("reads samples that an OpenAI-compatible proxy labels as MP3", async () => {
  const speech = rig.speech(channelTo("openai", upstream, { options: { list_voices: false } }));
  const alone = await hear(speech, speechRequest("tts"));
  expect(await hear(speech, speechRequest("tts--labelled-mpeg"))).toEqual(alone);
  expect((await hear(speech, speechRequest("tts--mp3"))).error).toMatchObject({ code: "upstream_invalid" });
});

test("asks Gemini once more when its model answered the text instead of reading it", async () => {
  const speech = rig.speech(channelTo("gemini", upstream));
  const alone = await hear(speech, speechRequest("tts"));
  expect(await hear(speech, speechRequest("tts--answers-text-1"))).toEqual(alone);
  const before = upstream.ledger.length;
  const { error } = await hear(speech, speechRequest("tts--answers-text-2"));
  expect(upstream.ledger.length - before).toBe(2);
  // Another channel may read the text aloud; the failure does not count for this channel's circuit.
  expect(error).toMatchObject({
    code: "upstream_error",
    details: { isCausedByRequest: true, upstreamMessage: expect.stringContaining("tried to generate text") },
  });
});

test("passes on only finish reasons that have the form of Google's enum", async () => {
  const speech = rig.speech(channelTo("gemini", upstream));
  const spoken = await hear(speech, speechRequest("tts--odd-reason"));
  expect([spoken.error, spoken.end?.finishReason]).toEqual([null, "OTHER"]);
  const { error } = await hear(speech, speechRequest("tts--odd-reason-no-audio"));
  expect(error).toMatchObject({
    code: "upstream_invalid",
    message: expect.stringMatching(/ \(finish reason OTHER\)\.$/),
  });
});

test("reads a finish reason in lower case, as servers compatible with Gemini may send it", async () => {
  const { error, end } = await hear(
    rig.speech(channelTo("gemini", upstream)),
    speechRequest("tts--lower-case-reason"),
  );
  expect([error, end?.finishReason]).toEqual([null, "STOP"]);
  // A reason that Google does not have: the speech may be cut.
  const unknown = await hear(rig.speech(channelTo("gemini", upstream)), speechRequest("tts--unknown-reason"));
  expect(unknown.end?.finishReason).toBe("OTHER");
});

test("does not take FINISH_REASON_UNSPECIFIED for the end of Gemini's stream", async () => {
  const speech = rig.speech(channelTo("gemini", upstream));
  const whole = await hear(speech, speechRequest("tts--unspecified-finish"));
  expect([whole.error, whole.end?.finishReason]).toEqual([null, "STOP"]);
  const cut = await hear(speech, speechRequest("tts--unspecified-cut"));
  expect([cut.pcm.length, cut.end]).toEqual([whole.pcm.length, null]);
  expect(cut.error).toMatchObject({ code: "upstream_truncated" });
});

test("includes the upstream's reason in the error for a reply without audio", async () => {
  for (const options of [{}, { streaming: false }]) {
    const { error } = await hear(
      rig.speech(channelTo("gemini", upstream, { options })),
      speechRequest("tts--no-audio"),
    );
    expect(error).toMatchObject({ code: "upstream_invalid", message: expect.stringContaining("OTHER") });
    expect(error).toMatchObject({ details: { isCausedByRequest: false } });
  }
});

test.each([
  ["max-tokens", "MAX_TOKENS"],
  ["refused-text", "PROHIBITED_CONTENT"],
  ["blocked-prompt", "SAFETY"],
])("attributes Gemini's %s to the request", async (kind, reason) => {
  for (const options of [{}, { streaming: false }]) {
    const { error } = await hear(
      rig.speech(channelTo("gemini", upstream, { options })),
      speechRequest(`tts--${kind}`),
    );
    expect(error).toMatchObject({
      code: "upstream_invalid",
      message: expect.stringContaining(reason),
      details: { isCausedByRequest: true },
    });
  }
});

test.each([
  ["gemini", "no-content", 403, "CachedContent"],
  ["gemini", "no-file", 403, "the File abc"],
  ["gemini", "quoted-name", 400, "Unknown name"],
  ["elevenlabs", "library-voice", 402, "library voices"],
])(
  "passes on %s's refusal of something that the caller named (%s)",
  async (provider, kind, upstreamStatus, words) => {
    const { error } = await hear(rig.speech(channelTo(provider, upstream)), speechRequest(`tts--${kind}`));
    expect(error).toMatchObject({
      code: "invalid",
      message: expect.stringContaining(words),
      details: { upstreamStatus },
    });
  },
);

test("treats Google's 400 for a bad key as the channel's error", async () => {
  const { error } = await hear(
    rig.speech({ ...channelTo("gemini", upstream), keys: [] }),
    speechRequest("tts"),
  );
  expect(error).toMatchObject({
    code: "upstream_error",
    message: "The channel's upstream answered with an error (400).",
    details: { upstreamStatus: 400, upstreamRefusal: "credentials" },
  });
});

test("attributes OpenAI's 429 about a request that alone exceeds a limit to the request", async () => {
  const { error } = await hear(rig.speech(channelTo("openai", upstream)), speechRequest("tts--above-limit"));
  expect(error).toMatchObject({
    code: "upstream_rate_limited",
    message: "This request alone exceeds a limit of the channel's upstream. Send less text in one request.",
    details: { upstreamStatus: 429, isCausedByRequest: true },
  });
  const other = await hear(rig.speech(channelTo("gemini", upstream)), speechRequest("tts--retry-info-34"));
  expect(other.error).not.toHaveProperty("details.isCausedByRequest");
});

test("reads the wait from Google's RetryInfo", async () => {
  const { error } = await hear(
    rig.speech(channelTo("gemini", upstream)),
    speechRequest("tts--retry-info-34"),
  );
  expect(error).toMatchObject({ code: "upstream_rate_limited", details: { retryAfterMs: 34_000 } });
});

test("does not treat an account without credit as a rate limit", async () => {
  const { error } = await hear(rig.speech(channelTo("openai", upstream)), speechRequest("tts--no-money"));
  expect(error).toMatchObject({
    code: "upstream_error",
    message: "The channel's upstream answered with an error (429).",
    details: { upstreamStatus: 429, upstreamRefusal: "account" },
  });
});

test("requests raw samples from ElevenLabs by the ID of the voice", async () => {
  const channel = channelTo("elevenlabs", upstream, { options: { voice_settings: { stability: 0.4 } } });
  const model = rig.speech(channel);
  const names = (await model.voices("")).map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(["Sarah", "George"]);
  const before = upstream.ledger.length;
  for (const voice of ["Sarah", "Kore", "onyx", "some-id"]) {
    await hear(
      model,
      speechRequest("eleven_v3", { segments: [{ text: TEXT, voice }], speed: 1.1, language: "pt-BR" }),
    );
  }
  const calls = upstream.ledger.slice(before);
  expect(calls.map(({ path }) => path)).toEqual(
    ["id-sarah", "id-sarah", "id-george", "some-id"].map(
      (id) => `/eleven/v1/text-to-speech/${id}/stream?output_format=pcm_24000`,
    ),
  );
  expect(calls[0]?.body).toEqual({
    text: TEXT,
    model_id: "eleven_v3",
    language_code: "pt",
    voice_settings: { stability: 0.4, speed: 1.1 },
  });
});

test.each([
  ["cmn-CN", "zh"],
  ["eng", "en"],
  ["zh-Hant-TW", "zh"],
  ["FIL-PH", "fil"],
])("sends ElevenLabs the language %s as '%s'", async (language, code) => {
  const [call] = await sent("elevenlabs", speechRequest("eleven_v3", { language }));
  expect(call?.body).toMatchObject({ language_code: code });
});

test("sends no language to ElevenLabs models that detect it, and reports the field as ignored", async () => {
  const model = rig.speech(channelTo("elevenlabs", upstream));
  for (const name of ["eleven_multilingual_v2", "eleven_multilingual_v1"]) {
    const [call] = await sent("elevenlabs", speechRequest(name, { language: "de" }));
    expect(call?.body).not.toHaveProperty("language_code");
    expect(model.supportedFields?.(name)).toEqual([]);
  }
  expect(model.supportedFields?.("eleven_flash_v2_5")).toEqual(["languageCode"]);
});

test("accepts an ElevenLabs voice by name, full name, or ID, also one that is not in its list", async () => {
  const model = rig.speech(channelTo("elevenlabs", upstream));
  const names = await listVoiceNames(servicesWith(model), entryOf("elevenlabs"));
  const about = { field: "voice", model: "m" };
  const before = upstream.ledger.length;
  const requested = ["sarah", "Sarah - Mature, Reassuring", "id-sarah", "ID-GEORGE", "21m00Tcm4TlvDq8ikWAM"];
  for (const one of requested) {
    const voice = canonicalVoice(one, names, about);
    await hear(model, speechRequest("eleven_v3", { segments: [{ text: TEXT, voice }] }));
  }
  const sentTo = upstream.ledger.slice(before).map(({ path }) => /text-to-speech\/([^/]+)/.exec(path)?.[1]);
  expect(sentTo).toEqual(["id-sarah", "id-sarah", "id-sarah", "id-george", "21m00Tcm4TlvDq8ikWAM"]);
  expect(() => canonicalVoice("Sara", names, about)).toThrow(/did you mean 'Sarah'/);
  expect(() => canonicalVoice("id-nobody", names, about)).toThrow(/is not a voice of model m/);
});

test("lists the names of an ElevenLabs channel's table also while its list of voices cannot be read", async () => {
  const baseUrl = `${upstream.origin}/bare/v1`;
  const voicesWith = (options: ChannelRecord["options"]) =>
    rig.speech(channelTo("elevenlabs", upstream, { baseUrl, options })).voices("");
  expect(await voicesWith({})).toEqual([]);
  expect((await voicesWith({ voices: { Anna: "id-anna" } })).map(({ name }) => name)).toContain("Anna");
});

test("lists the voices with the first key that the upstream does not refuse", async () => {
  const channel = channelTo("elevenlabs", upstream);
  const encrypted = cipher.encrypt("upstream-key", channelKeyAad(channel.id, "cky_0"), "sk-revoked");
  const revoked = { id: "cky_0", encrypted, display: "****oked" };
  for (const [version, keys] of [
    [revoked, ...channel.keys],
    [...channel.keys, revoked],
  ].entries()) {
    const voices = await rig.speech({ ...channel, version, keys }).voices("");
    expect(voices.map(({ name }) => name)).toContain("Sarah");
  }
});

test("sends an OpenAI account's custom voice as an object with its ID", async () => {
  const options = { azure_api_version: "2025-03-01-preview" };
  const channel = channelTo("openai", upstream, { baseUrl: upstream.origin, options });
  const model = rig.speech(channel);
  const names = await listVoiceNames(servicesWith(model), entryOf("openai"));
  const voice = canonicalVoice("voice_1234", names, { field: "voice", model: "m" });
  await hear(model, speechRequest("tts", { segments: [{ text: TEXT, voice }] }));
  expect(upstream.ledger.at(-1)?.body).toMatchObject({ voice: { id: "voice_1234" } });
  expect(() => canonicalVoice("aloy", names, { field: "voice", model: "m" })).toThrow(/did you mean 'alloy'/);
});

test("lists the voices of a server that has a list, and maps names of other catalogues to them", async () => {
  const model = rig.speech(channelTo("openai", upstream));
  const voices = await model.voices("tts");
  expect(voices.find(({ name }) => name === "af_kore")).toMatchObject({
    gender: "female",
    languages: ["en-US"],
  });
  expect(voices.map(({ name }) => name)).toContain("Kore");
  const before = upstream.ledger.length;
  for (const voice of ["af_nova", "Kore", "nova", "Puck", "Gacrux", "cedar"]) {
    await hear(model, speechRequest("tts", { segments: [{ text: TEXT, voice }] }));
  }
  // Type assertion: these requests were sent by this test.
  const requested = upstream.ledger.slice(before).map(({ body }) => (body as { voice: string }).voice);
  expect(requested.slice(0, 4)).toEqual(["af_nova", "af_kore", "af_nova", "am_puck"]);
  expect(requested[4]).toMatch(/^[ab]f_/);
  expect(requested[5]).toMatch(/^[ab]m_/);
});

test("prefers the channel's table of voices to every default", async () => {
  const options = { voices: { Kore: "af_bella", "*": "am_adam" }, list_voices: false };
  const channel = channelTo("openai", upstream, { options });
  const before = upstream.ledger.length;
  for (const voice of ["Kore", "Puck", "nobody"]) {
    await hear(rig.speech(channel), speechRequest("tts", { segments: [{ text: TEXT, voice }] }));
  }
  // Type assertion: these requests were sent by this test.
  const requested = upstream.ledger.slice(before).map(({ body }) => (body as { voice: string }).voice);
  expect(requested).toEqual(["af_bella", "am_adam", "am_adam"]);
  expect((await rig.speech(channel).voices("")).map(({ name }) => name)).toContain("Kore");
});

test("accepts any name for an upstream without a list of voices, and requests the list once", async () => {
  const channel = channelTo("openai", upstream, { baseUrl: `${upstream.origin}/bare/v1` });
  const model = rig.speech(channel);
  const before = upstream.ledger.length;
  expect(await Promise.all([model.voices(""), model.voices("")])).toEqual([[], []]);
  expect(await model.voices("")).toEqual([]);
  await hear(model, speechRequest("tts", { segments: [{ text: TEXT, voice: "my-own-voice" }] }));
  expect(upstream.ledger.slice(before).map(({ path }) => path)).toEqual([
    "/bare/v1/audio/voices",
    "/bare/v1/audio/speech",
  ]);
  expect(upstream.ledger.at(-1)?.body).toMatchObject({ voice: "my-own-voice" });
});

test("requests a failed voice list again when the upstream refuses a name that the list would map", async () => {
  const received: string[] = [];
  let isLoading = true;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(request.url ?? "");
    if (request.url === "/v1/audio/voices") {
      if (isLoading) return response.writeHead(503).end();
      return response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ voices: ["af_heart", "af_alloy"] }));
    }
    const { voice } = JSON.parse(Buffer.concat(chunks).toString());
    received.push(voice);
    // As fastkokoro answers.
    if (voice.startsWith("af_"))
      return response.setHeader("content-type", "audio/pcm").end(tonePcm(TEXT, voice, 24_000));
    response
      .writeHead(400, { "content-type": "application/json" })
      .end(JSON.stringify({ detail: `Voice '${voice}' is not available` }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const own = createRig([], { allow: [`127.0.0.1:${port}`] });
  const model = own.speech(channelTo("openai", { origin: `http://127.0.0.1:${port}` }));
  const speakAs = (voice: string) => hear(model, speechRequest("tts", { segments: [{ text: TEXT, voice }] }));
  expect(await model.voices("tts")).toEqual([]);
  isLoading = false;
  expect((await speakAs("nobody")).error).toMatchObject({ code: "invalid" });
  expect((await speakAs("alloy")).error).toBeNull();
  expect((await speakAs("alloy")).error).toBeNull();
  const list = "/v1/audio/voices";
  const speech = "/v1/audio/speech";
  expect(received).toEqual([
    list,
    ...[speech, "nobody"],
    ...[speech, "alloy", list, speech, "af_alloy"],
    ...[speech, "af_alloy"],
  ]);
  await own.close();
  server.close();
});

const asEvent = (body: string) => `data: ${body}\n\n`;

test.each([
  ["gemini", "an event", "text/event-stream", asEvent],
  ["gemini", "a JSON reply", "application/json", (body: string) => body],
  ["openai", "an event", "text/event-stream", asEvent],
])("an error of %s within %s reveals neither key, header nor host", async (provider, _name, type, write) => {
  const told = [UPSTREAM_KEY, "tenant-of-voice", "relay.internal"].join(", ");
  const body = write(JSON.stringify({ error: { code: 400, message: `Not accepted: ${told}.` } }));
  const server = createServer((_request, response) => response.setHeader("content-type", type).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const own = createRig([], { allow: [`relay.internal:${port}`], lookup: async () => ["127.0.0.1"] });
  const channel = channelTo(
    provider,
    { origin: `http://relay.internal:${port}` },
    { headers: { "x-team": "tenant-of-voice" } },
  );
  const { error } = await hear(own.speech(channel), speechRequest("tts"));
  const message = "Not accepted: […], […], […].";
  expect(error).toMatchObject(
    provider === "gemini"
      ? { code: "invalid", message }
      : { code: "upstream_error", details: { upstreamMessage: message } },
  );
  await own.close();
  server.close();
});
