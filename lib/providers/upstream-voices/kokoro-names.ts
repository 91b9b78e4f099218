/** First letter of a Kokoro voice's name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  a: "en-US",
  b: "en-GB",
  e: "es",
  f: "fr",
  h: "hi",
  i: "it",
  j: "ja",
  p: "pt-BR",
  z: "zh",
};

/** Language and gender at the beginning of a Kokoro voice's name. */
export const KOKORO_PREFIX = /^([abefhijpz])([fm])_/;

/** The language and gender in the name of a Kokoro voice (`af_bella`: American, female); null for any other name. */
export function readKokoroName(name: string): { language: string; gender: "female" | "male" } | null {
  const [, letter = "", sex] = KOKORO_PREFIX.exec(name) ?? [];
  const language = LANGUAGES[letter];
  return language === undefined ? null : { language, gender: sex === "f" ? "female" : "male" };
}
