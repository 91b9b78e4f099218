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

/** Letters that one language alone of ours uses, or nearly so. A word counts for the first it fits. */
const TELLING_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệịỉọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđ]/u, "vi"],
  [/[ąęłńśźż]/u, "pl"],
  [/[ğış]/u, "tr"],
  [/[ěřů]/u, "cs"],
  [/[őű]/u, "hu"],
  [/[șță]/u, "ro"],
  [/[ñ]/u, "es"],
  [/ß/u, "de"],
  [/[ãõ]/u, "pt"],
  [/œ/u, "fr"],
];

/** Short words that give a language away where letters and n-grams do not. */
const COMMON_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    en:
      "the and is are was were this that with you for have has had not of to it in my your hello good what how be we " +
      "will a an on at by from they he she his her who when where there very now near me can would do all some more met only every after our",
    es:
      "el la los las un una que y por para con del está están muy como pero hola gracias buenos días me mi es se al " +
      "no su más cuando donde hoy yo tú nos lo le todo esta este cerca mañana",
    fr:
      "le la les un une des est et que pour avec dans pas vous nous je bonjour merci ce cette qui sur du de au aux bon " +
      "il elle on mon ma son sa très ne se près plus tout quelle où en",
    de:
      "der die das den dem und ist sind nicht ein eine einen ich sie er wir mit für auf von zu guten morgen tag danke " +
      "hallo wie wird im am was es auch nach bei mein alle wann sehr haben heute",
    it:
      "il lo la i gli un una che e per con non sono della del di è al nel ciao grazie buongiorno questo questa anche " +
      "come mi ti si a mio mia molto quando dove tutti vicino più oggi",
    pt:
      "o a os as um uma que não para com do da no na em você obrigado bom dia olá muito mas por isso todos é eu ele ela " +
      "eles meu minha quando onde perto mais hoje se numa",
    nl:
      "het de een van en is niet ik wij we met voor op dat dit zijn hallo goede dank je jij wat hoe maar ook naar aan " +
      "bij mijn alle heel geen hebben waar wil hij zij er vandaag",
    pl:
      "jest są nie się na do to w z i że jak dzień cześć dziękuję proszę co tak mój moja ta ten te bardzo gdy gdzie " +
      "mi my dla po już tylko czy o od",
    tr:
      "bir ve bu şu o için çok ne değil ben sen biz merhaba teşekkür nasıl iyi var yok ile gibi daha en mi ama hep " +
      "her benim senin evde",
    sv: "och det den att en ett är inte jag du vi som på med för hej tack hur god av till var min från mycket",
    vi:
      "xin chào tôi tên là của và có không cho một các này anh em chị bạn rất đi được với trong người ở nhà ngày hôm nay " +
      "chúng ta gì khi đã sẽ cũng cô ấy ba mua biết nào đâu",
  }).map(([language, list]) => [language, new Set(list.split(" "))]),
);

const FEWEST_LETTERS = 4;
/** The least evidence for another language than the fallback: more for a word or two, which may be a name. */
const CERTAIN = 0.12;
const CERTAIN_OF_SENTENCE = 0.03;
const WORDS_OF_SENTENCE = 5;
const WORD_WEIGHT = 0.12;
const TELLING_WEIGHT = 0.12;
const MOST_WORDS = 5;
/** The detector is sure of a language by one borrowed name; no more than this is believed. */
const MOST_BELIEVED = 0.15;

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
 * The language of a text in Latin letters: telling letters, common words and n-grams weighed together.
 * `fallback` when the text is too short or nothing stands out.
 */
export function detectLatinLanguage(text: string, fallback: string, scores: ScoreLanguages): string {
  const letters = countScripts(text).get("Latin") ?? 0;
  if (letters < FEWEST_LETTERS) return fallback;
  const found = words(text.normalize("NFC"));
  const evidence = weigh(found, scores(text));
  const certain = found.length < WORDS_OF_SENTENCE ? CERTAIN : CERTAIN_OF_SENTENCE;
  let best = fallback;
  let most = Math.max(certain, (evidence.get(fallback) ?? 0) + WORD_WEIGHT / 2);
  for (const [language, weight] of evidence) {
    if (language === fallback || weight <= most) continue;
    best = language;
    most = weight;
  }
  return best;
}

function weigh(found: readonly string[], scores: ReturnType<ScoreLanguages>): Map<string, number> {
  const evidence = new Map<string, number>();
  const add = (language: string, weight: number) =>
    evidence.set(language, (evidence.get(language) ?? 0) + weight);
  for (const { lang, accuracy } of scores) add(lang, Math.min(accuracy, MOST_BELIEVED));
  // Shares, so that a long text's few foreign names stay few; a short text counts as five words.
  const share = Math.min(1, MOST_WORDS / found.length);
  for (const [index, written] of found.entries()) {
    const word = written.toLowerCase();
    // A capital inside a sentence is mostly a name's, and names travel.
    const isName = index > 0 && /^\p{Lu}\p{Ll}/u.test(written);
    const telling = isName ? undefined : TELLING_LETTERS.find(([pattern]) => pattern.test(word));
    if (telling) add(telling[1], TELLING_WEIGHT * share);
    for (const [language, common] of COMMON_WORDS) if (common.has(word)) add(language, WORD_WEIGHT * share);
  }
  return evidence;
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
