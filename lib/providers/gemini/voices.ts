import { AppError } from "../../errors";
import type { Voice } from "../../ports/speech-model";
import { GEMINI_VOICES, geminiEquivalent, OPENAI_VOICES } from "../upstream-voices/equivalents";
import {
  catalogueVoices,
  fallbackVoice,
  findTableVoice,
  type VoiceTable,
} from "../upstream-voices/voice-table";

/** The prebuilt voices, OpenAI's names for them, and those of the channel's table. Google has no list of voices. */
export function geminiVoices(table: VoiceTable): readonly Voice[] {
  return catalogueVoices(table, GEMINI_VOICES, OPENAI_VOICES);
}

/**
 * Gemini's voice for a caller's name: from the table, one of Gemini's own, the table's `*`, else an equivalent of
 * OpenAI's. Throws `invalid` for an unknown name without a `*` in the table.
 */
export function geminiVoiceFor(table: VoiceTable, name: string): string {
  const known = geminiEquivalent(name);
  const own = known?.toLowerCase() === name.toLowerCase() ? known : null;
  const voice = findTableVoice(table, name) ?? own ?? fallbackVoice(table) ?? known;
  if (voice !== null) return voice;
  throw new AppError("invalid", `The channel has no voice '${name.slice(0, 100)}'.`, { param: "voice" });
}
