import { z } from "zod";

/** A model as OpenAI lists it. */
export const OpenAiModel = z.object({
  id: z.string(),
  object: z.literal("model"),
  /** Seconds since 1970. */
  created: z.int(),
  owned_by: z.string(),
});
export type OpenAiModel = z.output<typeof OpenAiModel>;

export const OpenAiModelList = z.object({ object: z.literal("list"), data: z.array(OpenAiModel) });
export type OpenAiModelList = z.output<typeof OpenAiModelList>;

/** A model as Gemini lists it. */
export const GeminiModel = z.object({
  /** Begins with `models/`. */
  name: z.string(),
  baseModelId: z.string(),
  version: z.string(),
  displayName: z.string(),
  description: z.string(),
  inputTokenLimit: z.int().optional(),
  outputTokenLimit: z.int().optional(),
  supportedGenerationMethods: z.array(z.string()),
});
export type GeminiModel = z.output<typeof GeminiModel>;

export const GeminiModelList = z.object({
  models: z.array(GeminiModel),
  nextPageToken: z.string().optional(),
});
export type GeminiModelList = z.output<typeof GeminiModelList>;
