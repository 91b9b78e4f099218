import { GeminiSpeechRequest } from "../../../contracts/gateway/gemini/speech";
import type { GatewayContext } from "../../../gateway/context";
import type { SpokenPart } from "../../../gateway/speech/script-speakers";
import { type SpeechInput, synthesizeSpeech } from "../../../gateway/speech/synthesize-speech";
import { checkFields } from "../../core/check-fields";
import { JSON_TYPE, type Outbound } from "../../core/exchange";
import { errorBody } from "../../core/render-error";
import { endCallOnThrow, logStreamFailure, speechBody } from "../speech-body";
import { camelFields } from "./field-names";
import { newReplyFields } from "./speech-reply";
import { JSON_ARRAY, SSE, streamedSpeech } from "./streamed-speech";
import { wholeSpeech } from "./whole-speech";

type Part = GeminiSpeechRequest["contents"][number]["parts"][number];
type SpeechConfig = NonNullable<GeminiSpeechRequest["generationConfig"]["speechConfig"]>;
type VoiceConfig = NonNullable<SpeechConfig["voiceConfig"]>;

interface GeminiSpeech {
  input: SpeechInput;
  /** `generationConfig.responseFormat.audio.mimeType`: raw samples unless a WAV file is requested. */
  container: "pcm" | "wav";
}

/** Fields that only a Gemini upstream understands: of `generationConfig`, and of the body. */
const SAMPLING_FIELDS = [
  "temperature",
  "topP",
  "topK",
  "maxOutputTokens",
  "seed",
  "presencePenalty",
  "frequencyPenalty",
  "stopSequences",
  "responseMimeType",
  "responseSchema",
  "responseLogprobs",
  "logprobs",
  "mediaResolution",
  "thinkingConfig",
] as const satisfies readonly (keyof GeminiSpeechRequest["generationConfig"])[];
const MODEL_FIELDS = [
  "safetySettings",
  "toolConfig",
  "cachedContent",
  "labels",
] as const satisfies readonly (keyof GeminiSpeechRequest)[];

/** The names of the fields that were sent; an empty list counts as not sent. */
function sentOf<Name extends string>(
  names: readonly Name[],
  fields: Partial<Record<Name, unknown>>,
): readonly Name[] {
  return names.filter((name) => {
    const value = fields[name];
    return value !== undefined && !(Array.isArray(value) && value.length === 0);
  });
}

/**
 * Copies only the known fields of `speechMetadata`: an unknown one could have the name of another field of
 * `SpokenPart`.
 */
function toSpokenPart({ text, speechMetadata }: Part, path: string): SpokenPart {
  if (speechMetadata === undefined) return { text };
  const { speaker, style } = speechMetadata;
  return { text, speaker, style, path };
}

function hasStyle({ contents }: GeminiSpeechRequest): boolean {
  return contents.some(({ parts }) =>
    parts.some(({ speechMetadata }) => (speechMetadata?.style ?? "") !== ""),
  );
}

/** The instructions, tools and styles of a request. */
function guidanceOf({ systemInstruction, tools, contents }: GeminiSpeechRequest): Record<string, string> {
  const lines = (texts: readonly (string | undefined)[] = []) => texts.filter(Boolean).join("\n");
  return {
    systemInstruction: lines(systemInstruction?.parts?.map(({ text }) => text)),
    tools: lines(tools?.map((tool) => JSON.stringify(tool))),
    style: lines(contents.flatMap(({ parts }) => parts.map((part) => part.speechMetadata?.style))),
  };
}

/** Parses a Gemini body into the input of `synthesizeSpeech`. Throws `invalid`. */
function readGeminiSpeech(model: string, sent: unknown): GeminiSpeech {
  const body = checkFields(GeminiSpeechRequest, camelFields(GeminiSpeechRequest, sent));
  const { speechConfig, responseFormat, candidateCount } = body.generationConfig;
  const format = Array.isArray(responseFormat)
    ? responseFormat.find((one) => one.audio !== undefined)
    : responseFormat;
  return {
    input: {
      model,
      parts: body.contents.flatMap(({ parts }, content) =>
        parts.map((part, index) => toSpokenPart(part, `contents.${content}.parts.${index}`)),
      ),
      voices: readVoices(speechConfig),
      ...(speechConfig?.languageCode === undefined ? {} : { language: speechConfig.languageCode }),
      speed: 1,
      guidance: () => guidanceOf(body),
      ...(candidateCount === undefined ? {} : { candidates: candidateCount }),
      endUser: null,
      source: { dialect: "gemini", body },
      dialectFields: [
        ...(speechConfig?.languageCode === undefined ? [] : ["languageCode"]),
        ...(body.systemInstruction === undefined ? [] : ["systemInstruction"]),
        ...(body.tools === undefined || body.tools.length === 0 ? [] : ["tools"]),
        ...((candidateCount ?? 1) > 1 ? ["candidateCount"] : []),
        ...(hasStyle(body) ? ["style"] : []),
      ],
      modelFields: () => [...sentOf(MODEL_FIELDS, body), ...sentOf(SAMPLING_FIELDS, body.generationConfig)],
    },
    container: /wav$/i.test(format?.audio?.mimeType ?? "") ? "wav" : "pcm",
  };
}

function readVoices(config: SpeechConfig | undefined): SpeechInput["voices"] {
  if (config?.multiSpeakerVoiceConfig) {
    return {
      kind: "script",
      speakers: config.multiSpeakerVoiceConfig.speakerVoiceConfigs.map(({ speaker, voiceConfig }) => ({
        speaker,
        voice: voiceName(voiceConfig) ?? "",
      })),
    };
  }
  return { kind: "single", voice: config?.voiceConfig ? voiceName(config.voiceConfig) : null };
}

/** The schema guarantees one of the two forms. */
function voiceName({ prebuiltVoiceConfig, voice }: VoiceConfig): string | null {
  return prebuiltVoiceConfig?.voiceName ?? voice ?? null;
}

/**
 * `:generateContent` for speech. The status is sent when an upstream's audio is complete, or with the first audio of a
 * built-in engine.
 */
export async function generateSpeech(ctx: GatewayContext, model: string, body: unknown): Promise<Outbound> {
  const { input, container } = readGeminiSpeech(model, body);
  const call = await synthesizeSpeech(ctx, {
    isReplyBuffered: true,
    needsBase64: container === "pcm",
    ...input,
  });
  return endCallOnThrow(call, () => ({
    status: 200,
    headers: { "content-type": JSON_TYPE, ...call.headers() },
    body: speechBody(ctx, call, wholeSpeech(call, newReplyFields(ctx, model, container))),
  }));
}

/** `:streamGenerateContent` for speech; `alt=sse` in `query` selects server-sent events. */
export async function streamSpeech(
  ctx: GatewayContext,
  model: string,
  body: unknown,
  query: string,
): Promise<Outbound> {
  const { input, container } = readGeminiSpeech(model, body);
  const call = await synthesizeSpeech(ctx, input);
  const framing = new URLSearchParams(query).get("alt") === "sse" ? SSE : JSON_ARRAY;
  const errorFrame = (error: unknown) => errorBody("gemini", logStreamFailure(ctx, call, error));
  return endCallOnThrow(call, () => ({
    status: 200,
    headers: {
      "content-type": framing.contentType,
      "cache-control": "no-store",
      // Proxies that buffer small writes would delay the audio.
      "x-accel-buffering": "no",
      ...call.headers(),
    },
    body: speechBody(
      ctx,
      call,
      streamedSpeech(call, newReplyFields(ctx, model, container), framing, errorFrame),
    ),
  }));
}
