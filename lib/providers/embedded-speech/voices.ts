import type { Voice } from "../../ports/speech-model";

type Gender = Voice["gender"];

/** The 30 prebuilt names of Gemini's catalogue, with the gender and the descriptive word that it documents for each. */
const GEMINI: readonly (readonly [name: string, gender: Gender, description: string])[] = [
  ["Zephyr", "female", "bright"],
  ["Puck", "male", "upbeat"],
  ["Charon", "male", "informative"],
  ["Kore", "female", "firm"],
  ["Fenrir", "male", "excitable"],
  ["Leda", "female", "youthful"],
  ["Orus", "male", "firm"],
  ["Aoede", "female", "breezy"],
  ["Callirrhoe", "female", "easy-going"],
  ["Autonoe", "female", "bright"],
  ["Enceladus", "male", "breathy"],
  ["Iapetus", "male", "clear"],
  ["Umbriel", "male", "easy-going"],
  ["Algieba", "male", "smooth"],
  ["Despina", "female", "smooth"],
  ["Erinome", "female", "clear"],
  ["Algenib", "male", "gravelly"],
  ["Rasalgethi", "male", "informative"],
  ["Laomedeia", "female", "upbeat"],
  ["Achernar", "female", "soft"],
  ["Alnilam", "male", "firm"],
  ["Schedar", "male", "even"],
  ["Gacrux", "female", "mature"],
  ["Pulcherrima", "female", "forward"],
  ["Achird", "male", "friendly"],
  ["Zubenelgenubi", "male", "casual"],
  ["Vindemiatrix", "female", "gentle"],
  ["Sadachbia", "male", "lively"],
  ["Sadaltager", "male", "knowledgeable"],
  ["Sulafat", "female", "warm"],
];

/** The 13 names of OpenAI's speech models. */
const OPENAI: readonly (readonly [name: string, gender: Gender, description: string])[] = [
  ["alloy", "neutral", "balanced"],
  ["ash", "male", "direct"],
  ["ballad", "male", "melodic"],
  ["coral", "female", "cheerful"],
  ["echo", "male", "resonant"],
  ["fable", "neutral", "storytelling"],
  ["onyx", "male", "deep"],
  ["nova", "female", "energetic"],
  ["sage", "female", "calm"],
  ["shimmer", "female", "light"],
  ["verse", "male", "expressive"],
  ["marin", "female", "natural"],
  ["cedar", "male", "mellow"],
];

function list(
  family: Voice["family"],
  rows: readonly (readonly [string, Gender, string])[],
): readonly Voice[] {
  return rows.map(([name, gender, description]) => ({ name, gender, description, family, languages: [] }));
}

/** Every voice of `patchbay-speech`; each speaks all of the model's languages. */
export const EMBEDDED_VOICES: readonly Voice[] = [...list("gemini", GEMINI), ...list("openai", OPENAI)];

const BY_LOWER_NAME = new Map(EMBEDDED_VOICES.map((voice) => [voice.name.toLowerCase(), voice]));

/** The voice of this name in either catalogue, ignoring case; null when there is none. */
export function catalogueVoice(name: string): Voice | null {
  return BY_LOWER_NAME.get(name.toLowerCase()) ?? null;
}
