import { z } from "zod";
import { codePoints } from "../../code-points";
import { MODEL_NAME } from "../../console/model-name";
import { WORDS_PATTERN } from "../../text";
import { VoiceName } from "../voice-name";
import { EndUser } from "./end-user";

/** The content type of each `response_format`. */
export const SPEECH_CONTENT_TYPES = {
  mp3: "audio/mpeg",
  opus: "audio/ogg",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
} as const;

export const MAX_CHARACTERS = 4_096;

/** The published description of the fields with the text to speak. */
export const SPOKEN_TEXT =
  "Built-in engines and local voices do not read out marks of Markdown and pictographs.";

/** The values of fields that a request leaves out. */
export const SPEECH_DEFAULTS = { response_format: "mp3", speed: 1, stream_format: "audio" } as const;

/**
 * An optional field; null counts as absent, as with OpenAI. `published`: the default for /openapi.json; the handler
 * applies it.
 */
function optional<T extends z.ZodType>(schema: T, published?: string | number) {
  const nullish = schema.nullish();
  // Set before the transform: zod omits a default that is set after it from the JSON Schema.
  const described = published === undefined ? nullish : nullish.meta({ default: published });
  return described.transform((value) => value ?? undefined);
}

/** Body of `POST /v1/audio/speech`; unknown fields are dropped. */
export const OpenAiSpeechRequest = z.object({
  model: z
    .string()
    .min(1, "must name a model")
    .meta({ pattern: MODEL_NAME.source, examples: ["patchbay-speech"] }),
  input: z
    .string()
    .refine((text) => text.trim() !== "", { error: "must have text to speak" })
    .refine((text) => codePoints(text) <= MAX_CHARACTERS, {
      error: (issue) =>
        `has ${codePoints(String(issue.input))} characters; at most ${MAX_CHARACTERS} are accepted per request`,
    })
    .meta({ pattern: WORDS_PATTERN, maxLength: MAX_CHARACTERS, description: SPOKEN_TEXT }),
  voice: z.union([VoiceName, z.object({ id: VoiceName })], {
    error: "must be a voice name, or an object with its id",
  }),
  response_format: optional(
    z.enum(["mp3", "opus", "aac", "flac", "wav", "pcm"]),
    SPEECH_DEFAULTS.response_format,
  ),
  speed: optional(z.number().min(0.25).max(4), SPEECH_DEFAULTS.speed),
  instructions: optional(z.string()),
  stream_format: optional(z.enum(["audio", "sse"]), SPEECH_DEFAULTS.stream_format),
  user: optional(EndUser),
});
