import type { Voice } from "../../ports/speech-model";
import { catalogueVoice, EMBEDDED_VOICES } from "../embedded-speech/voices";

/** The names that all callers may use: Gemini's 30 and OpenAI's 13. */
export const GEMINI_VOICES: readonly Voice[] = EMBEDDED_VOICES.filter(({ family }) => family === "gemini");
export const OPENAI_VOICES: readonly Voice[] = EMBEDDED_VOICES.filter(({ family }) => family === "openai");

/** The OpenAI voice most similar in gender and character, among those that all its speech models have. */
const OPENAI_FOR_GEMINI: Readonly<Record<string, string>> = {
  Zephyr: "nova",
  Puck: "echo",
  Charon: "onyx",
  Kore: "sage",
  Fenrir: "ash",
  Leda: "shimmer",
  Orus: "onyx",
  Aoede: "coral",
  Callirrhoe: "coral",
  Autonoe: "nova",
  Enceladus: "echo",
  Iapetus: "ash",
  Umbriel: "echo",
  Algieba: "onyx",
  Despina: "shimmer",
  Erinome: "nova",
  Algenib: "onyx",
  Rasalgethi: "ash",
  Laomedeia: "coral",
  Achernar: "shimmer",
  Alnilam: "onyx",
  Schedar: "ash",
  Gacrux: "sage",
  Pulcherrima: "coral",
  Achird: "echo",
  Zubenelgenubi: "echo",
  Vindemiatrix: "shimmer",
  Sadachbia: "ash",
  Sadaltager: "fable",
  Sulafat: "sage",
};

const GEMINI_FOR_OPENAI: Readonly<Record<string, string>> = {
  alloy: "Kore",
  ash: "Orus",
  ballad: "Algieba",
  coral: "Laomedeia",
  echo: "Charon",
  fable: "Sadaltager",
  onyx: "Algenib",
  nova: "Zephyr",
  sage: "Sulafat",
  shimmer: "Achernar",
  verse: "Fenrir",
  marin: "Aoede",
  cedar: "Umbriel",
};

/** Gemini's name for a voice of either catalogue; null for any other name. */
export function geminiEquivalent(name: string): string | null {
  const voice = catalogueVoice(name);
  if (voice === null) return null;
  return voice.family === "gemini" ? voice.name : (GEMINI_FOR_OPENAI[voice.name] ?? null);
}

/** OpenAI's name for a voice of either catalogue; null for any other name. */
export function openaiEquivalent(name: string): string | null {
  const voice = catalogueVoice(name);
  if (voice === null) return null;
  return voice.family === "openai" ? voice.name : (OPENAI_FOR_GEMINI[voice.name] ?? null);
}
