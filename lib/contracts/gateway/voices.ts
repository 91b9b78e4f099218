import { z } from "zod";

export const VoiceEntry = z.object({
  /** What a request names it by; the same as `name`. */
  id: z.string(),
  name: z.string(),
  /** BCP-47 tags the voice was made for; empty: every language of its models. */
  languages: z.array(z.string()),
  gender: z.enum(["female", "male", "neutral"]),
  description: z.string(),
  /** The catalogue the name comes from. */
  family: z.enum(["gemini", "openai", "engine"]),
  /** The models this key may use that speak with it. */
  models: z.array(z.string()),
});
export type VoiceEntry = z.output<typeof VoiceEntry>;

/** Reply of `GET /v1/audio/voices`. */
export const VoiceList = z.object({ object: z.literal("list"), voices: z.array(VoiceEntry) });
export type VoiceList = z.output<typeof VoiceList>;
