import { GeminiSpeechRequest } from "../../../contracts/gateway/gemini/speech";
import type { SpeechInput } from "../../../gateway/speech/synthesize-speech";
import { checkFields } from "../../core/check-fields";
import { camelFields } from "./field-names";

type SpeechConfig = NonNullable<GeminiSpeechRequest["generationConfig"]["speechConfig"]>;
type VoiceConfig = NonNullable<SpeechConfig["voiceConfig"]>;

interface GeminiSpeech {
  input: SpeechInput;
  /** `generationConfig.responseFormat.audio.mimeType`: raw samples unless a WAV file is requested. */
  container: "pcm" | "wav";
}

/** Parses a Gemini body into the input of `synthesizeSpeech`. Throws `invalid`. */
export function readGeminiSpeech(model: string, sent: unknown): GeminiSpeech {
  const body = checkFields(GeminiSpeechRequest, camelFields(GeminiSpeechRequest, sent));
  const { speechConfig, responseFormat } = body.generationConfig;
  const format = Array.isArray(responseFormat)
    ? responseFormat.find((one) => one.audio !== undefined)
    : responseFormat;
  return {
    input: {
      model,
      parts: body.contents.flatMap(({ parts }) =>
        parts.map(({ text, speechMetadata }) => ({ text, ...speechMetadata })),
      ),
      voices: readVoices(speechConfig),
      ...(speechConfig?.languageCode === undefined ? {} : { language: speechConfig.languageCode }),
      speed: 1,
      user: null,
      source: { dialect: "gemini", body },
      dialectFields: [
        ...(speechConfig?.languageCode === undefined ? [] : ["languageCode"]),
        ...(body.systemInstruction === undefined ? [] : ["systemInstruction"]),
        ...(body.tools === undefined || body.tools.length === 0 ? [] : ["tools"]),
        ...((body.generationConfig.candidateCount ?? 1) > 1 ? ["candidateCount"] : []),
      ],
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
