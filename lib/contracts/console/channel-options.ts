import { z } from "zod";
import { WORDS_PATTERN } from "../text";
import type { UpstreamProviderName } from "./channels";

/** A channel's `options`, by provider. */

const VoiceName = z
  .string()
  .max(200)
  .trim()
  .min(1, "Must not be empty.")
  .meta({ pattern: WORDS_PATTERN, examples: ["nova"] });

/** Maps a caller's voice name to the engine's; `*` maps all others. */
export const VoiceTable = z
  .record(VoiceName, VoiceName)
  .refine((table) => Object.keys(table).length <= 500, "Must have at most 500 voices.")
  .meta({ maxProperties: 500 });

/** Options of every upstream channel. */
const COMMON_OPTIONS = {
  /** Maps a caller's voice name to the upstream's; `*` maps all others. */
  voices: VoiceTable.optional(),
  /** PEM of the certificate authority that signs this upstream's certificate. */
  ca: z
    .string()
    .max(64 * 1024)
    .regex(
      /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/,
      "Must be a certificate in PEM form.",
    )
    .optional(),
  /** False: every call with a single text is one call to the upstream. Default: such calls are batched. */
  batching: z.boolean().optional(),
  /** The old name of `batching`; see `renameOldOptions`. */
  coalescing: z.boolean().meta({ deprecated: true }).optional(),
  /** Most texts in one call to the upstream. */
  max_batch: z.int().min(1).max(2_048).optional(),
};

/**
 * Returns options under their current names. Requests, settings files and stored channels of earlier versions may have
 * the old name of `batching`; when both are given, `batching` applies.
 */
export function renameOldOptions<T>(options: Readonly<Record<string, T>>): Record<string, T> {
  const { coalescing, ...rest } = options;
  return coalescing === undefined ? rest : { batching: coalescing, ...rest };
}

const share = z.number().min(0).max(1).optional();

export const ELEVENLABS_SHAPE = {
  ...COMMON_OPTIONS,
  /** Sent as `voice_settings` with every call; absent ones use the voice's own. */
  voice_settings: z
    .strictObject({
      stability: share,
      similarity_boost: share,
      style: share,
      use_speaker_boost: z.boolean().optional(),
    })
    .optional(),
  /** Sample rate in Hz. Rates above 24,000 need a larger plan; 16,000 and 22,050 suit older plans. */
  sample_rate: z.literal([16_000, 22_050, 24_000, 44_100]).optional(),
  /** False: the upstream does not retain requests (zero retention; enterprise plans). */
  enable_logging: z.boolean().optional(),
};

export const GEMINI_SHAPE = {
  ...COMMON_OPTIONS,
  /** Requests speech as a stream. Default: true, except for long speech that the caller needs whole. */
  streaming: z.boolean().optional(),
  /**
   * Where to send the style of a request in another dialect. `parts`: in `speechMetadata`, because newer models read
   * all text aloud; `prompt`: in front of the text. Default: by the model's name.
   */
  speech_form: z.enum(["parts", "prompt"]).optional(),
  /** `send`: forwards `dimensions` to the upstream. `shorten`: requests full vectors, which the gateway shortens. */
  dimensions: z.enum(["send", "shorten"]).optional(),
};

export const OPENAI_SHAPE = {
  ...COMMON_OPTIONS,
  /** Azure: `api-key` header, one URL per deployment (the model's upstream name), and this `api-version`. */
  azure_api_version: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(?:-preview)?$/, "Must be a version, such as 2024-10-21.")
    .optional(),
  /** Requested audio format; `wav` for servers whose raw samples have an undocumented rate. */
  speech_format: z.enum(["pcm", "wav"]).optional(),
  /** Sample rate of raw samples in Hz, if the upstream does not send it. */
  sample_rate: z.literal([8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]).optional(),
  /** `sse`: events with token counts at the end, for models that support it. */
  stream_format: z.enum(["audio", "sse"]).optional(),
  /** Requests voices from `/audio/voices`. Default: true except for OpenAI and Azure, which have no such list. */
  list_voices: z.boolean().optional(),
  /** Requested vector encoding; both are understood. */
  encoding_format: z.enum(["base64", "float"]).optional(),
  /** `send`: forwards `dimensions` to the upstream. `shorten`: requests full vectors, which the gateway shortens. */
  dimensions: z.enum(["send", "shorten"]).optional(),
  /** Header that carries the key. Default: `bearer`; `api-key` at Azure. */
  authentication: z.enum(["bearer", "api-key"]).optional(),
};

export const OPTION_SHAPES = {
  gemini: GEMINI_SHAPE,
  openai: OPENAI_SHAPE,
  elevenlabs: ELEVENLABS_SHAPE,
} satisfies Record<UpstreamProviderName, z.ZodRawShape>;
