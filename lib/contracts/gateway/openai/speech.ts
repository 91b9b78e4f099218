import { z } from "zod";
import { MODEL_NAME } from "../../console/model-name";
import { codePoints, WORDS_PATTERN } from "../../text";
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

const MAX_CHARACTERS = 4_096;

/** Null counts as absent, as with OpenAI. */
function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value) => value ?? undefined);
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
    .meta({ pattern: WORDS_PATTERN, maxLength: MAX_CHARACTERS }),
  voice: z.union([VoiceName, z.object({ id: VoiceName })], {
    error: "must be a voice name, or an object with its id",
  }),
  response_format: optional(z.enum(["mp3", "opus", "aac", "flac", "wav", "pcm"])),
  speed: optional(z.number().min(0.25).max(4)),
  instructions: optional(z.string()),
  stream_format: optional(z.enum(["audio", "sse"])),
  user: optional(EndUser),
});
