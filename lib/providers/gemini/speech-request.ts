import { AppError } from "../../errors";
import type { SpeechRequest, SpeechSegment } from "../../ports/speech-model";
import { trimEndOf } from "../../text/clean-text";
import { asFields, asList, type Fields } from "../outbound/json";
import type { VoiceTable } from "../upstream-voices/voice-table";
import { geminiVoiceFor } from "./voices";

/** Gemini speaks with one voice or with exactly this many speakers. */
const SPEAKERS = 2;

interface SpeechBodyOptions {
  table: VoiceTable;
  form: "parts" | "prompt";
}

/** The body of `:generateContent` for speech. Throws `invalid` for what Gemini does not support. */
export function geminiSpeechBody(request: SpeechRequest, options: SpeechBodyOptions): Fields {
  if (request.speed !== 1) {
    throw new AppError("invalid", "This model does not support 'speed'; leave it out or set it to 1.", {
      param: "speed",
    });
  }
  return request.source?.dialect === "gemini"
    ? bodyFromSource(request, request.source.body, options)
    : bodyFromSegments(request, options);
}

/** A copy of what the caller sent, with our own fields. */
function withFields(sent: Fields | null, own: Fields): Record<string, unknown> {
  return Object.assign({}, sent, own);
}

/**
 * A Gemini caller's own body, including unknown fields. Voices get Gemini's spelling, and raw samples are requested:
 * Patchbay makes the container.
 */
function bodyFromSource(request: SpeechRequest, body: Fields, { table }: SpeechBodyOptions): Fields {
  const config = asFields(body.generationConfig) ?? {};
  const speech = asFields(config.speechConfig);
  const casting = asFields(speech?.multiSpeakerVoiceConfig);
  const speechConfig =
    casting === null
      ? withFields(speech, {
          voiceConfig: voiceOf(asFields(speech?.voiceConfig), request.segments[0], table),
        })
      : withFields(speech, { multiSpeakerVoiceConfig: speakerVoices(casting, table) });
  const generationConfig = withFields(config, { responseModalities: ["AUDIO"], speechConfig });
  if ("responseFormat" in config) generationConfig.responseFormat = rawFormat(config.responseFormat);
  return withFields(body, { generationConfig });
}

function voiceOf(sent: Fields | null, first: SpeechSegment | undefined, table: VoiceTable): Fields {
  const prebuilt = asFields(sent?.prebuiltVoiceConfig);
  const named = (name: unknown) => geminiVoiceFor(table, String(name));
  if (sent !== null && sent.voice !== undefined) {
    const config = withFields(sent, { voice: named(sent.voice) });
    if (prebuilt !== null)
      config.prebuiltVoiceConfig = withFields(prebuilt, { voiceName: named(prebuilt.voiceName) });
    return config;
  }
  const voiceName = named(prebuilt?.voiceName ?? first?.voice);
  return withFields(sent, { prebuiltVoiceConfig: withFields(prebuilt, { voiceName }) });
}

function speakerVoices(casting: Fields, table: VoiceTable): Fields {
  const speakers = asList(casting.speakerVoiceConfigs).map((one) => asFields(one) ?? {});
  if (speakers.length !== SPEAKERS) {
    throw new AppError(
      "invalid",
      `'speakerVoiceConfigs' must have exactly ${SPEAKERS} speakers for this model; got ${speakers.length}.`,
      { param: "speakerVoiceConfigs" },
    );
  }
  return withFields(casting, {
    speakerVoiceConfigs: speakers.map((speaker) =>
      withFields(speaker, { voiceConfig: voiceOf(asFields(speaker.voiceConfig), undefined, table) }),
    ),
  });
}

function rawFormat(sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map(rawFormat);
  const format = asFields(sent);
  const audio = asFields(format?.audio);
  if (format === null || audio === null || audio.mimeType === undefined) return sent;
  return { ...format, audio: { ...audio, mimeType: "AUDIO_L16" } };
}

/** A body for callers of other APIs: their segments have one voice. */
function bodyFromSegments(
  { segments, language, instructions }: SpeechRequest,
  { table, form }: SpeechBodyOptions,
): Fields {
  const [first] = segments;
  if (first === undefined || segments.some(({ voice }) => voice !== first.voice)) {
    throw new AppError("invalid", "This model supports one voice, or exactly 2 speakers in a Gemini script.");
  }
  return {
    contents: [{ role: "user", parts: segments.map((segment) => part(segment, instructions, form)) }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: {
        voiceConfig: { prebuiltVoiceConfig: { voiceName: geminiVoiceFor(table, first.voice) } },
        languageCode: language,
      },
    },
  };
}

function part(
  { text, style }: SpeechSegment,
  instructions: string | undefined,
  form: SpeechBodyOptions["form"],
): Fields {
  const direction = [instructions, style]
    .filter((words) => words !== undefined && words.trim() !== "")
    .join(" ");
  if (direction === "") return { text };
  if (form === "parts") return { text, speechMetadata: { style: direction } };
  // Text that ends in a colon is read as a direction, not spoken.
  return { text: `${trimEndOf(direction.trim(), /[.:\s]/)}:\n${text}` };
}
