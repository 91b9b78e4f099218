import { z } from "zod";
import { GEMINI_SHAPE } from "../../contracts/console/channel-options";
import type { ChannelRecord } from "../../ports/store";
import { optionsReader } from "../upstream/channel-options";
import { encodePath, withVersion } from "../upstream/provider";

export const GEMINI_OPTIONS = optionsReader(z.object(GEMINI_SHAPE));
type GeminiOptions = ReturnType<typeof GEMINI_OPTIONS.of>;

export const GEMINI_BASE = "https://generativelanguage.googleapis.com/v1beta";

export function geminiBase(channel: ChannelRecord): string {
  return withVersion(channel.baseUrl ?? GEMINI_BASE, "/v1beta");
}

/** `models/x`, or a name that includes its collection (`tunedModels/x`). */
export function resourceOf(model: string): string {
  return model.includes("/") ? model : `models/${model}`;
}

export function methodPath(model: string, method: string): string {
  return `/${encodePath(resourceOf(model))}:${method}`;
}

export function keyHeaders(key: string | null): Record<string, string> {
  return key === null ? {} : { "x-goog-api-key": key };
}

/** The models of Gemini 2 and 3.1 take style directions from the text; later ones read the whole text aloud. */
export function speechForm(options: GeminiOptions, model: string): "parts" | "prompt" {
  return options.speech_form ?? (/gemini-(?:2|3\.1)\b/.test(model) ? "prompt" : "parts");
}
