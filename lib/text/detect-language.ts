import { countScripts, type Script } from "./scripts";

/** Languages with Latin letters that the detector and the speech engines both know (ISO 639-1; `no` is `nb` here). */
const LATIN_LANGUAGES = [
  "en",
  "es",
  "fr",
  "de",
  "it",
  "pt",
  "nl",
  "pl",
  "tr",
  "sv",
  "fi",
  "no",
  "hu",
  "ro",
  "cs",
  "vi",
];
const MIN_LETTERS = 4;
/** Words of a sentence. A shorter text is often a name, so the detector must call its result reliable. */
const MIN_SENTENCE_WORDS = 5;
/**
 * How far another language's score must be above that of the fallback; "Hello world" scores 0.03 more for Norwegian
 * than for English.
 */
const MARGIN = { sentence: 0.02, short: 0.1 };

/**
 * The result of an n-gram language detector: the best language (empty when unknown) and scores from 0 to 1 by language.
 */
interface LanguageGuess {
  language: string;
  isReliable: boolean;
  scores: Readonly<Record<string, number>>;
}
export type GuessLanguage = (text: string) => LanguageGuess;

const toOurCode = (language: string) => (language === "no" ? "nb" : language);

/** Loads eld's small database at first use (about 30 ms): do not call it on the event loop's thread. */
export async function loadLanguageDetector(): Promise<GuessLanguage> {
  const { eld } = await import("eld/small");
  const detector = eld.newInstance();
  detector.setLanguageSubset(LATIN_LANGUAGES);
  return (text) => {
    const found = detector.detect(text);
    const scores = Object.entries(found.getScores()).map(
      ([code, score]) => [toOurCode(code), score] as const,
    );
    return {
      language: toOurCode(found.language),
      isReliable: found.isReliable(),
      scores: Object.fromEntries(scores),
    };
  };
}

/**
 * The language of a text in Latin letters; `fallback` when the text is too short or no language scores clearly higher.
 */
export function detectLatinLanguage(text: string, fallback: string, guess: GuessLanguage): string {
  const letters = countScripts(text).get("Latin") ?? 0;
  if (letters < MIN_LETTERS) return fallback;
  const { language, isReliable, scores } = guess(text.normalize("NFC"));
  if (language === "") return fallback;
  const isSentence = (text.match(/[\p{L}\p{M}]+/gu) ?? []).length >= MIN_SENTENCE_WORDS;
  if (!isSentence && !isReliable) return fallback;
  const margin = isSentence ? MARGIN.sentence : MARGIN.short;
  return (scores[language] ?? 0) - (scores[fallback] ?? 0) > margin ? language : fallback;
}

/**
 * The language of a script, decided by characteristic letters where several use it; null for Latin, and for a script
 * without a language here.
 */
export function languageOfScript(script: Script, text: string): string | null {
  switch (script) {
    case "Latin":
      return null;
    case "Cyrillic":
      return cyrillicLanguage(text);
    case "Arabic":
      if (/[ۇۈۋ]/u.test(text)) return "ug";
      if (/[ٿڄڃڦڳڱٻڀ]/u.test(text)) return "sd";
      if (/[ٹڈڑےھں]/u.test(text)) return "ur";
      return /[پچژگ]/u.test(text) ? "fa" : "ar";
    default:
      return SCRIPT_LANGUAGES[script] ?? null;
  }
}

const SCRIPT_LANGUAGES: Partial<Record<Script, string>> = {
  Greek: "el",
  Hebrew: "he",
  Devanagari: "hi",
  Bengali: "bn",
  Gurmukhi: "pa",
  Gujarati: "gu",
  Oriya: "or",
  Tamil: "ta",
  Telugu: "te",
  Kannada: "kn",
  Malayalam: "ml",
  Sinhala: "si",
  Thai: "th",
  Myanmar: "my",
  Georgian: "ka",
  Armenian: "hy",
  Ethiopic: "am",
  Hangul: "ko",
  Kana: "ja",
  Han: "zh",
};

function cyrillicLanguage(text: string): string {
  if (/[ўЎ]/u.test(text)) return "be";
  if (/[їєґЇЄҐ]/u.test(text)) return "uk";
  if (/[ѓќѕЃЌЅ]/u.test(text)) return "mk";
  if (/[ђћљњџјЂЋЉЊЏЈ]/u.test(text)) return "sr";
  if (/[ҙҫҡҘҪҠ]/u.test(text)) return "ba";
  if (/[җҖ]/u.test(text)) return "tt";
  if (/[әқғұһӘҚҒҰҺ]/u.test(text)) return "kk";
  // Kyrgyz has no і.
  if (/[ңөүҢӨҮ]/u.test(text)) return /[іІ]/u.test(text) ? "kk" : "ky";
  if (/[іІ]/u.test(text)) return "uk";
  // Bulgarian writes ъ between consonants, where Russian only has it before я, ю, е, ё; it has neither ы nor э.
  return /ъ[^яюеёЯЮЕЁ]/u.test(text) && !/[ыэЫЭ]/u.test(text) ? "bg" : "ru";
}
