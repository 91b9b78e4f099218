import { z } from "zod";
import type { ChannelRecord } from "../../ports/store";
import { COMMON_OPTIONS, optionsReader } from "../upstream/channel-options";
import { encodePath, withVersion } from "../upstream/settings";

const SHAPE = {
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

export const GEMINI_OPTIONS = optionsReader(z.strictObject(SHAPE), z.object(SHAPE));
export type GeminiOptions = ReturnType<typeof GEMINI_OPTIONS.of>;

export const GEMINI_BASE = "https://generativelanguage.googleapis.com/v1beta";

export function geminiBase(channel: ChannelRecord): string {
  return withVersion(channel.baseUrl ?? GEMINI_BASE, "/v1beta");
}

/** `models/x`, or a name that has its collection in it (`tunedModels/x`). */
export function resourceOf(model: string): string {
  return model.includes("/") ? model : `models/${model}`;
}

export function methodPath(model: string, method: string): string {
  return `/${encodePath(resourceOf(model))}:${method}`;
}

export function keyHeaders(key: string | null): Record<string, string> {
  return key === null ? {} : { "x-goog-api-key": key };
}

/** Models up to 3.1 take manner from the text itself; those after read the text aloud as it stands. */
export function speechForm(options: GeminiOptions, model: string): "parts" | "prompt" {
  return options.speech_form ?? (/gemini-(?:2|3\.1)\b/.test(model) ? "prompt" : "parts");
}
