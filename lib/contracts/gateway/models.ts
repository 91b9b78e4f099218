import { z } from "zod";

/** Query of Gemini's model list; `page_size` and `page_token` are accepted too. */
export const GeminiPageQuery = z.object({
  pageSize: z
    .string()
    .meta({
      type: "integer",
      minimum: 0,
      maximum: 999_999_999,
      description: "0 or absent: 50; at most 1,000 are given",
    })
    .optional(),
  pageToken: z
    .string()
    .meta({
      pattern: "^(?:YWZ0ZXI6[A-Za-z0-9_-]{0,248})?$",
      description: "nextPageToken of the page before",
    })
    .optional(),
});

export const OpenAiModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  /** Seconds since 1970. */
  created: z.int(),
  owned_by: z.string(),
  /** Not a field of OpenAI's: what the model is for, such as its language. */
  description: z.string(),
  /** Not a field of OpenAI's. Speech models: whether a channel of the model supports `instructions`. */
  takes_instructions: z.boolean().optional(),
});
export type OpenAiModel = z.output<typeof OpenAiModel>;

export const OpenAiModelList = z.object({ object: z.literal("list"), data: z.array(OpenAiModel) });

export const GeminiModel = z.object({
  /** Begins with `models/`. */
  name: z.string(),
  baseModelId: z.string(),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.int(),
  /** 1 for embedding models; 25 tokens a second of audio for speech models. */
  outputTokenLimit: z.int(),
  supportedGenerationMethods: z.array(z.string()),
});
export type GeminiModel = z.output<typeof GeminiModel>;

export const GeminiModelList = z.object({
  models: z.array(GeminiModel),
  nextPageToken: z.string().optional(),
});
export type GeminiModelList = z.output<typeof GeminiModelList>;

export const VoiceEntry = z.object({
  /** The voice's name in requests; the same as `name`. */
  id: z.string(),
  name: z.string(),
  /** BCP-47 tags of the voice's languages; empty: all languages of its models. */
  languages: z.array(z.string()),
  gender: z.enum(["female", "male", "neutral"]),
  description: z.string(),
  /** The catalogue that the name comes from. */
  family: z.enum(["gemini", "openai", "engine"]),
  /** Models with this voice that the key may use. */
  models: z.array(z.string()),
});
export type VoiceEntry = z.output<typeof VoiceEntry>;

/** Reply of `GET /v1/audio/voices`. */
export const VoiceList = z.object({ object: z.literal("list"), voices: z.array(VoiceEntry) });
export type VoiceList = z.output<typeof VoiceList>;
