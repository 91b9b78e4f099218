/** What the speech playground asks for, and the two request bodies it becomes. Pure; shared with the code samples. */
export interface Speaker {
  name: string;
  voice: string;
}

export interface SpeechCall {
  model: string;
  text: string;
  /** One voice for everything, or a voice for each speaker of a script (`Name: …` lines). */
  voices: { kind: "single"; voice: string | null } | { kind: "script"; speakers: Speaker[] };
  /** BCP-47; null: detected from the text. */
  language: string | null;
  /** 0.25–4; 1 is natural. */
  speed: number;
}

/** Longest text of the OpenAI surface, in characters. */
export const OPENAI_INPUT_LIMIT = 4096;
export const MAX_SPEAKERS = 8;

/** The door a call goes through: Gemini's knows scripts and languages, OpenAI's knows speed. */
export function dialectOf(call: SpeechCall): "gemini" | "openai" {
  return call.voices.kind === "single" && call.speed !== 1 ? "openai" : "gemini";
}

/** A model's name inside a path: slashes stay, everything else is percent-encoded where it must be. */
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

/** Body of `/v1/audio/speech`. Only for a single voice: this surface has no form for scripts. */
export function openaiBody(call: SpeechCall, format: string): Record<string, unknown> {
  return {
    model: call.model,
    input: call.text,
    voice: call.voices.kind === "single" ? (call.voices.voice ?? "alloy") : "alloy",
    response_format: format,
    ...(call.speed === 1 ? {} : { speed: call.speed }),
  };
}
