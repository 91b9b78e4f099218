import type { VoiceSpeaker } from "../../ports/local-voices";
import type { Voice } from "../../ports/speech-model";
import { catalogueVoice, EMBEDDED_VOICES } from "../embedded-speech/voices";
import { baseLanguage } from "../espeak/languages";
import {
  fallbackVoice,
  findTableVoice,
  joinVoices,
  nearestVoice,
  type VoiceTable,
} from "../upstream-voices/voice-table";

/** The names of one model: its own speakers, and those that callers of Gemini and OpenAI send. */
export interface ModelVoices {
  /** Own speakers first, then the operator's names and the catalogues'; each name once. */
  voices: readonly Voice[];
  /** The engine's number of a speaker; null for an unknown name. */
  speakerOf(name: string): number | null;
  /** The speaker for each name of Gemini's and OpenAI's catalogues. */
  mapping(): { name: string; speaker: string }[];
}

/** Joins a model's speakers with the operator's table (`*`: any other name). */
export function modelVoices(
  speakers: readonly VoiceSpeaker[],
  languages: readonly string[],
  table: VoiceTable,
): ModelVoices {
  const own = speakers.map(
    ({ name, languages: spoken, gender }): Voice => ({
      name,
      languages: [...spoken],
      gender,
      description: "",
      family: "engine",
    }),
  );
  const numbers = new Map(own.map(({ name }, at) => [name.toLowerCase(), at]));
  const numberOf = (name: string) => numbers.get(name.toLowerCase()) ?? null;
  const speakerFor = (name: string): number | null => {
    const chosen = findTableVoice(table, name);
    if (chosen !== null) return numberOf(chosen);
    return numberOf(name) ?? defaultFor(own, languages, table, name, numberOf);
  };
  const mapped = Object.keys(table).filter((name) => name !== "*" && catalogueVoice(name) === null);
  const others = [...mapped.flatMap((name) => named(name, own[speakerFor(name) ?? -1])), ...EMBEDDED_VOICES];
  return {
    voices: joinVoices(own, others),
    speakerOf: speakerFor,
    mapping: () =>
      EMBEDDED_VOICES.map(({ name }) => ({ name, speaker: own[speakerFor(name) ?? 0]?.name ?? "" })),
  };
}

function named(name: string, speaker: Voice | undefined): Voice[] {
  return speaker === undefined ? [] : [{ ...speaker, name }];
}

/**
 * The speaker for a name without an entry of its own: the table's `*`; for a name of Gemini's or OpenAI's catalogue, a
 * speaker of the same name or gender. Null for any other name.
 */
function defaultFor(
  own: readonly Voice[],
  languages: readonly string[],
  table: VoiceTable,
  name: string,
  numberOf: (name: string) => number | null,
): number | null {
  const fallback = fallbackVoice(table);
  if (fallback !== null) return numberOf(fallback);
  const like = catalogueVoice(name);
  if (like === null) return null;
  const native = nativeSpeakers(own, languages);
  // Kokoro has speakers of the same name: `af_kore` for Kore.
  const same = native.find((voice) => voice.name.toLowerCase().endsWith(`_${like.name.toLowerCase()}`));
  const choice = same ?? nearestVoice(native, like);
  return choice === null ? null : numberOf(choice.name);
}

/** The speakers whose language is one of the model's, since others would have an accent; all if there is none. */
function nativeSpeakers(own: readonly Voice[], languages: readonly string[]): readonly Voice[] {
  const spoken = new Set(languages.map(baseLanguage));
  const native = own.filter((voice) => voice.languages.some((tag) => spoken.has(baseLanguage(tag))));
  return native.length > 0 ? native : own;
}
