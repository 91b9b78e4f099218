import { countScripts, type Script } from "./scripts";

/** Languages told apart among texts in Latin letters: the ones both the detector and the engines know. */
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
  "nb",
  "hu",
  "ro",
] as const;

/** Letters that one language alone of ours uses, or nearly so; looked at in this order. */
const TELLING_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệịỉọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđ]/iu, "vi"],
  [/[ąęłńśźż]/iu, "pl"],
  [/[ğış]/u, "tr"],
  [/[ěřů]/iu, "cs"],
  [/[őű]/iu, "hu"],
  [/[șță]/iu, "ro"],
  [/[ñ¿¡]/iu, "es"],
  [/ß/u, "de"],
  [/[ãõ]/iu, "pt"],
  [/[œ]/iu, "fr"],
];

/** Short words that give a language away where letters and n-grams do not. */
const COMMON_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: words(
    "the and is are was this that with you for have not of to it in my your hello good what how be we will",
  ),
  es: words("el los las una que y por para con del está muy como pero hola gracias buenos días me mi es se"),
  fr: words("le les une des est et que pour avec dans pas vous nous je bonjour merci ce qui sur du au bon"),
  de: words(
    "der die das und ist nicht ein eine ich sie wir mit für auf von zu guten morgen tag danke hallo wie wird",
  ),
  it: words("il gli una che per con non sono della è ciao grazie buongiorno questo anche come mi di"),
  pt: words("o os uma que não para com do da você obrigado bom dia olá muito em mas por isso todos é"),
  nl: words("het een van en is niet ik wij met voor op dat zijn hallo goede dank je wat hoe maar ook"),
  pl: words("jest nie się na do to w z i że jak dzień cześć dziękuję proszę co tak"),
  tr: words("bir ve bu için çok ne değil ben sen merhaba teşekkür nasıl iyi var"),
  sv: words("och det att en är inte jag som på med för hej tack hur god"),
};

const FEWEST_LETTERS = 4;
/** The least evidence for another language than the fallback. */
const CERTAIN = 0.12;
const WORD_WEIGHT = 0.12;

/** A detector of languages by n-grams: scores (0–1) by ISO 639-1 code. */
export type ScoreLanguages = (text: string) => readonly { lang: string; accuracy: number }[];

/** tinyld's small build, loaded with the first text that needs it (30 ms, 10 MB): call it off the event loop's thread. */
export async function loadLanguageScores(): Promise<ScoreLanguages> {
  const { detectAll } = await import("tinyld/light");
  const only = [...LATIN_LANGUAGES.map((language) => (language === "nb" ? "no" : language))];
  return (text) =>
    detectAll(text, { only }).map(({ lang, accuracy }) => ({ lang: lang === "no" ? "nb" : lang, accuracy }));
}

/**
 * The language of a text in Latin letters: telling letters, then common words and n-grams together.
 * `fallback` when the text is too short or nothing stands out.
 */
export function detectLatinLanguage(text: string, fallback: string, scores: ScoreLanguages): string {
  const letters = countScripts(text).get("Latin") ?? 0;
  if (letters < FEWEST_LETTERS) return fallback;
  const found = words(text.toLowerCase());
  for (const [pattern, language] of TELLING_LETTERS) {
    const telling = found.filter((word) => pattern.test(word)).length;
    // One borrowed name in a long text tells nothing.
    if (telling > 0 && telling * 12 >= found.length) return language;
  }
  const evidence = new Map<string, number>();
  for (const { lang, accuracy } of scores(text)) evidence.set(lang, accuracy);
  for (const [language, common] of Object.entries(COMMON_WORDS)) {
    const hits = found.filter((word) => common.includes(word)).length;
    const weight = Math.min(hits, 5) * WORD_WEIGHT;
    evidence.set(language, (evidence.get(language) ?? 0) + weight);
  }
  let best = fallback;
  let most = Math.max(CERTAIN, (evidence.get(fallback) ?? 0) + WORD_WEIGHT / 2);
  for (const [language, weight] of evidence) {
    if (language === fallback || weight <= most) continue;
    best = language;
    most = weight;
  }
  return best;
}

/** The language a script stands for, by telling letters where several use it; null for Latin and for none. */
export function languageOfScript(script: Script, text: string): string | null {
  switch (script) {
    case "Latin":
      return null;
    case "Cyrillic":
      return cyrillicLanguage(text);
    case "Arabic":
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
  if (/[әқңғұһӘҚҢҒҰҺ]/u.test(text)) return "kk";
  if (/[іІ]/u.test(text)) return "uk";
  // Bulgarian writes ъ between consonants, where Russian only has it before я, ю, е, ё; it knows neither ы nor э.
  return /ъ[^яюеёЯЮЕЁ]/u.test(text) && !/[ыэЫЭ]/u.test(text) ? "bg" : "ru";
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{M}]+/gu) ?? [];
}
