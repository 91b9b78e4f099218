import { z } from "zod";
import { caseless, WORDS_PATTERN } from "../../text";
import { SPOKEN_TEXT } from "../openai/speech";
import { isSameName } from "../speech-script";
import { MAX_NAME_LENGTH, VoiceName } from "../voice-name";

/**
 * Body of `:generateContent` and `:streamGenerateContent` for speech. Objects are open where Google's are: unknown
 * fields are passed on to Gemini upstreams; unknown top-level fields are dropped. All fields are also accepted in
 * snake_case (lib/http/gateway/gemini/field-names.ts). `atMostOne`, `exactlyOne` and `atLeastOne` in the metadata
 * describe a refinement in the published document (lib/http/core/openapi/gemini-aliases.ts).
 */

const MAX_CONTENTS = 10_000;
export const MAX_SPEAKERS = 8;

/** Fields of parts that are not text. */
const NON_TEXT_FIELDS = [
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
] as const;

const NotAccepted = z.never({ error: "is not supported; a part may only have text" }).optional();

const Part = z.looseObject({
  text: z.string({ error: "must be text: only text can be spoken" }),
  speechMetadata: z.looseObject({ speaker: z.string().optional(), style: z.string().optional() }).optional(),
  // Cast: Object.fromEntries loses the names.
  ...(Object.fromEntries(NON_TEXT_FIELDS.map((name) => [name, NotAccepted])) as Record<
    (typeof NON_TEXT_FIELDS)[number],
    typeof NotAccepted
  >),
});

const Content = z.looseObject({
  role: z.enum(["user", "model"]).optional(),
  parts: z.array(Part).min(1, "must have at least one part").max(MAX_CONTENTS),
});

/** One of the model's voices. */
const GeminiVoiceName = VoiceName.meta({ maxLength: MAX_NAME_LENGTH, examples: ["Kore"] });

const VoiceConfig = z
  .looseObject({
    prebuiltVoiceConfig: z.looseObject({ voiceName: GeminiVoiceName }).optional(),
    /** The newer form of prebuiltVoiceConfig. */
    voice: GeminiVoiceName.optional(),
  })
  .superRefine(({ prebuiltVoiceConfig, voice }, ctx) => {
    if (!prebuiltVoiceConfig && voice === undefined) {
      ctx.addIssue({ code: "custom", message: "must name a voice in prebuiltVoiceConfig.voiceName" });
    } else if (prebuiltVoiceConfig && voice !== undefined && prebuiltVoiceConfig.voiceName !== voice) {
      ctx.addIssue({ code: "custom", message: "names two voices; leave out voice or prebuiltVoiceConfig" });
    }
  })
  .meta({ atLeastOne: ["prebuiltVoiceConfig", "voice"] });

const SpeakerVoiceConfig = z.looseObject({
  speaker: z
    .string()
    .max(MAX_NAME_LENGTH)
    .trim()
    .min(1, "must be the speaker's name")
    .meta({ pattern: WORDS_PATTERN, examples: ["Ada"] }),
  voiceConfig: VoiceConfig,
});

const MultiSpeakerVoiceConfig = z.looseObject({
  speakerVoiceConfigs: z
    .array(SpeakerVoiceConfig)
    .min(1, "must have at least one speaker")
    .max(MAX_SPEAKERS, `must have at most ${MAX_SPEAKERS} speakers`)
    .superRefine((speakers, ctx) => {
      const duplicate = speakers.findIndex(
        ({ speaker }, at) => speakers.findIndex((other) => isSameName(other.speaker, speaker)) !== at,
      );
      if (duplicate >= 0) {
        ctx.addIssue({
          code: "custom",
          path: [duplicate, "speaker"],
          message: "is also the name of another speaker",
        });
      }
    }),
});

const SpeechConfig = z
  .looseObject({
    voiceConfig: VoiceConfig.optional().meta({
      description: "Absent, and without multiSpeakerVoiceConfig: the model's default voice.",
    }),
    multiSpeakerVoiceConfig: MultiSpeakerVoiceConfig.optional(),
    languageCode: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/, "must be a BCP-47 tag such as 'en-US'")
      .optional(),
  })
  .superRefine(({ voiceConfig, multiSpeakerVoiceConfig }, ctx) => {
    if (voiceConfig && multiSpeakerVoiceConfig) {
      ctx.addIssue({
        code: "custom",
        path: ["multiSpeakerVoiceConfig"],
        message: "cannot be combined with voiceConfig: set one voice or several speakers",
      });
    }
  })
  .meta({ atMostOne: ["voiceConfig", "multiSpeakerVoiceConfig"] });

const AudioFormat = z.looseObject({
  audio: z
    .looseObject({
      mimeType: z
        .string()
        .regex(
          new RegExp(`^${caseless("audio")}[_/](?:[Ll]16|${caseless("wav")})$`),
          "must be AUDIO_L16 or AUDIO_WAV",
        )
        .meta({ examples: ["AUDIO_WAV"], default: "AUDIO_L16" })
        .optional(),
      sampleRate: z
        .literal(24_000, { error: "must be 24000, the only supported sample rate" })
        .meta({ default: 24_000 })
        .optional(),
    })
    .optional(),
});

const ONLY_AUDIO = 'must be exactly ["AUDIO"]: Patchbay serves speech and embeddings, not text or pictures';

const GenerationConfig = z.looseObject(
  {
    responseModalities: z
      .array(z.string({ error: ONLY_AUDIO }), { error: ONLY_AUDIO })
      .refine((modes) => modes.length === 1 && modes[0]?.toUpperCase() === "AUDIO", { error: ONLY_AUDIO })
      .meta({
        minItems: 1,
        maxItems: 1,
        items: { type: "string", pattern: `^${caseless("audio")}$`, examples: ["AUDIO"] },
      }),
    speechConfig: SpeechConfig.optional(),
    responseFormat: z.union([AudioFormat, z.array(AudioFormat)]).optional(),
    candidateCount: z.int().min(1).max(8).meta({ default: 1 }).optional(),
    temperature: z.number().min(0).max(2).optional(),
    topP: z.number().min(0).max(1).optional(),
    topK: z.number().min(0).max(1_000_000).optional(),
    maxOutputTokens: z.int().min(1).optional(),
    seed: z.int().optional(),
    presencePenalty: z.number().min(-2).max(2).optional(),
    frequencyPenalty: z.number().min(-2).max(2).optional(),
    stopSequences: z.array(z.string()).optional(),
    responseMimeType: z.string().optional(),
    responseSchema: z.looseObject({}).optional(),
    responseLogprobs: z.boolean().optional(),
    logprobs: z.int().optional(),
    mediaResolution: z.string().optional(),
    thinkingConfig: z.looseObject({}).optional(),
  },
  {
    error: (issue) =>
      issue.input === undefined
        ? 'is required, with responseModalities ["AUDIO"]: Patchbay serves speech and embeddings, not text generation'
        : undefined,
  },
);

export const GeminiSpeechRequest = z.object({
  contents: z
    .array(Content)
    .min(1, "must have at least one content")
    .max(MAX_CONTENTS, `must have at most ${MAX_CONTENTS} contents`)
    .meta({
      description: SPOKEN_TEXT,
      contains: {
        type: "object",
        required: ["parts"],
        properties: {
          parts: {
            type: "array",
            contains: {
              type: "object",
              required: ["text"],
              properties: { text: { pattern: WORDS_PATTERN } },
            },
          },
        },
      },
    }),
  generationConfig: GenerationConfig,
  safetySettings: z
    .array(z.looseObject({ category: z.string().optional(), threshold: z.string().optional() }))
    .optional(),
  systemInstruction: z
    .looseObject({
      role: z.string().optional(),
      parts: z.array(z.looseObject({ text: z.string().optional() })).optional(),
    })
    .optional(),
  tools: z.array(z.looseObject({})).optional(),
  toolConfig: z.looseObject({}).optional(),
  cachedContent: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
});
export type GeminiSpeechRequest = z.output<typeof GeminiSpeechRequest>;

// Not `z.base64()`: its pattern repeats a group, which overflows a validator's stack for megabytes of audio.
const Base64 = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)
  .meta({ contentEncoding: "base64" });

const TokenCount = z.object({ modality: z.enum(["TEXT", "AUDIO"]), tokenCount: z.int() });

export const GeminiSpeechReply = z.object({
  candidates: z.array(
    z.object({
      content: z.object({
        role: z.literal("model"),
        parts: z.array(z.object({ inlineData: z.object({ mimeType: z.string(), data: Base64 }) })),
      }),
      finishReason: z.string().optional(),
      index: z.int(),
      safetyRatings: z.array(z.object({})).optional(),
    }),
  ),
  usageMetadata: z
    .object({
      promptTokenCount: z.int(),
      candidatesTokenCount: z.int(),
      totalTokenCount: z.int(),
      promptTokensDetails: z.array(TokenCount),
      candidatesTokensDetails: z.array(TokenCount),
    })
    .optional(),
  modelVersion: z.string(),
  responseId: z.string(),
});
