import { z } from "zod";

export const VoiceEntry = z.object({
  /** The voice's name in requests; the same as `name`. */
  id: z.string(),
  name: z.string(),
  /** BCP-47 tags of the voice's languages; empty: all languages of its models. */
  languages: z.array(z.string()),
  gender: z.enum(["female", "male", "neutral"]),
  description: z.string(),
  /** The catalogue of the name. */
  family: z.enum(["gemini", "openai", "engine"]),
  /** Models with this voice that the key may use. */
  models: z.array(z.string()),
});
export type VoiceEntry = z.output<typeof VoiceEntry>;

/** Reply of `GET /v1/audio/voices`. */
export const VoiceList = z.object({ object: z.literal("list"), voices: z.array(VoiceEntry) });
export type VoiceList = z.output<typeof VoiceList>;
