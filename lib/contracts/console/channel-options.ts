import { z } from "zod";
import { WORDS_PATTERN } from "../text";

/** What a channel's `options` may hold, by provider. */

const VoiceName = z
  .string()
  .max(200)
  .trim()
  .min(1, "must name a voice")
  .meta({ pattern: WORDS_PATTERN, examples: ["nova"] });

/** Options that every channel to an upstream may have. */
const COMMON_OPTIONS = {
  /** A caller's voice name to the upstream's; `*` is what any other becomes. */
  voices: z
    .record(VoiceName, VoiceName)
    .refine((table) => Object.keys(table).length <= 500, "may hold at most 500 voices")
    .meta({ maxProperties: 500 })
    .optional(),
  /** PEM of the authority that this upstream's certificate is checked against. */
  ca: z
    .string()
    .max(64 * 1024)
    .regex(
      /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/,
      "must be a certificate in PEM form",
    )
    .optional(),
  /** False: every call with a single text is one call to the upstream. Default: such calls are batched. */
  batching: z.boolean().optional(),
  /** The old name of `batching`; see `renameOldOptions`. */
  coalescing: z.boolean().meta({ deprecated: true }).optional(),
  /** Texts in one call to the upstream at most. */
  max_batch: z.int().min(1).max(2_048).optional(),
};

/**
 * Returns options under their current names. Requests, settings files and stored channels of earlier versions may have the
 * old name of `batching`; when both are given, `batching` counts.
 */
export function renameOldOptions<T>(options: Readonly<Record<string, T>>): Record<string, T> {
  const { coalescing, ...rest } = options;
  return coalescing === undefined ? rest : { batching: coalescing, ...rest };
}

const share = z.number().min(0).max(1).optional();

export const ELEVENLABS_SHAPE = {
  ...COMMON_OPTIONS,
  /** Sent as `voice_settings` with every call; absent ones are the voice's own. */
  voice_settings: z
    .strictObject({
      stability: share,
      similarity_boost: share,
      style: share,
      use_speaker_boost: z.boolean().optional(),
    })
    .optional(),
  /** Rates above 24,000 need a larger plan there; 16,000 and 22,050 exist for older ones. */
  sample_rate: z.literal([16_000, 22_050, 24_000, 44_100]).optional(),
  /** False: requests are not kept there (zero retention; enterprise plans). */
  enable_logging: z.boolean().optional(),
};

export const GEMINI_SHAPE = {
  ...COMMON_OPTIONS,
  /** Whether speech is asked for as a stream. Default: yes. */
  streaming: z.boolean().optional(),
  /**
   * How manner goes with the words of callers of another dialect: `parts` in `speechMetadata` (newer models read all of
   * the text aloud), `prompt` in front of the text. Default: by the model's name.
   */
  speech_form: z.enum(["parts", "prompt"]).optional(),
  /** `shorten`: ask for whole vectors and shorten them here. `send`: the upstream must do it. */
  dimensions: z.enum(["send", "shorten"]).optional(),
};

export const OPENAI_SHAPE = {
  ...COMMON_OPTIONS,
  /** Azure's form: `api-key` header, a URL a deployment (the model's upstream name), this `api-version`. */
  azure_api_version: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(?:-preview)?$/, "must be a version such as 2024-10-21")
    .optional(),
  /** What speech is asked for as; `wav` for servers whose raw samples have a rate they do not tell. */
  speech_format: z.enum(["pcm", "wav"]).optional(),
  /** Hertz of raw samples, where the upstream does not say. */
  sample_rate: z.literal([8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]).optional(),
  /** `sse`: events with the token counts at the end, for models that have them. */
  stream_format: z.enum(["audio", "sse"]).optional(),
  /** Ask `/audio/voices` for the voices. Default: everywhere but at OpenAI and Azure, which have no such list. */
  list_voices: z.boolean().optional(),
  /** How vectors are asked for; either is understood. */
  encoding_format: z.enum(["base64", "float"]).optional(),
  /** `shorten`: ask for whole vectors and shorten them here. `send`: the upstream must do it. */
  dimensions: z.enum(["send", "shorten"]).optional(),
  /** Where the key goes. Default: `bearer`; `api-key` at Azure. */
  authentication: z.enum(["bearer", "api-key"]).optional(),
};
