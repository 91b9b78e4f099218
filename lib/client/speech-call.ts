/** The speech playground's call and its two request bodies, shared with the code samples. */

/** A speaker of a script. */
export interface Speaker {
  name: string;
  voice: string;
}

export interface SpeechCall {
  model: string;
  text: string;
  /** One voice for the whole text, or one per speaker of a script (`Name: …` lines). */
  voices: { kind: "single"; voice: string | null } | { kind: "script"; speakers: Speaker[] };
  /** BCP-47 tag; null: detected from the text. */
  language: string | null;
  /** 0.25–4; 1 is natural. */
  speed: number;
  /** A description of the style ("whispered"), for models that take one; not for scripts. */
  instructions?: string;
}

/** Maximum text length of `/v1/audio/speech`, in code points. */
export const OPENAI_INPUT_LIMIT = 4096;
export const MAX_SPEAKERS = 8;

/** The voices of OpenAI's speech models; compatible servers often accept them without listing any. */
export const OPENAI_VOICE_NAMES = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
] as const;

/** The API dialect of a call: Gemini's has scripts and languages, OpenAI's has speed and instructions. */
export function dialectOf({ voices, speed, instructions }: SpeechCall): "gemini" | "openai" {
  return voices.kind === "single" && (speed !== 1 || instructions) ? "openai" : "gemini";
}

/** A model name as URL path segments: slashes, colons and `@` stay, the rest is percent-encoded as needed. */
export function modelPath(model: string): string {
  return model.split("/").map(encodeURIComponent).join("/").replaceAll("%3A", ":").replaceAll("%40", "@");
}

/** Body of `:generateContent` and `:streamGenerateContent`. */
export function geminiBody(call: SpeechCall): Record<string, unknown> {
  const prebuilt = (voice: string) => ({ prebuiltVoiceConfig: { voiceName: voice } });
  const voices =
    call.voices.kind === "script"
      ? {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: call.voices.speakers.map((one) => ({
              speaker: one.name,
              voiceConfig: prebuilt(one.voice),
            })),
          },
        }
      : call.voices.voice === null
        ? {}
        : { voiceConfig: prebuilt(call.voices.voice) };
  const speechConfig = { ...voices, ...(call.language === null ? {} : { languageCode: call.language }) };
  return {
    contents: [{ role: "user", parts: [{ text: call.text }] }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      ...(Object.keys(speechConfig).length === 0 ? {} : { speechConfig }),
    },
  };
}

/** Body of `/v1/audio/speech`, for a single voice only: it has no scripts. */
export function openaiBody(call: SpeechCall, format: string): Record<string, unknown> {
  return {
    model: call.model,
    input: call.text,
    voice: call.voices.kind === "single" ? (call.voices.voice ?? "alloy") : "alloy",
    response_format: format,
    ...(call.speed === 1 ? {} : { speed: call.speed }),
    ...(call.instructions ? { instructions: call.instructions } : {}),
  };
}
