import type { Script } from "../../text/scripts";

/** A language that espeak-ng reads well enough to be offered. */
interface EspeakLanguage {
  /** espeak-ng's name of the voice file. */
  voice: string;
  /** Scripts in which the language is written. */
  scripts: readonly Script[];
}

const LATIN =
  "af an az ca cs cy da de eo es et eu fi fo fr ga gd gn haw hr ht hu ia id io is it ku la lb lt lv mi ms mt nb nl " +
  "om pap pl pt qu ro sk sl sq sv sw tk tn tr vi";
const CYRILLIC = "be bg ba cv kk ky mk nog ru tt uk";
const ARABIC = "ar fa sd ug ur";
const DEVANAGARI = "hi kok mr ne";

/** By BCP-47 base language. Thai and Burmese are left out: espeak-ng spells their letters one by one. */
export const ESPEAK_LANGUAGES: ReadonlyMap<string, EspeakLanguage> = new Map([
  ...rows(LATIN, "Latin"),
  ...rows(CYRILLIC, "Cyrillic"),
  // espeak-ng reads both spellings of a word alike.
  ...rows("bs sr uz", "Latin", "Cyrillic"),
  ...rows(ARABIC, "Arabic"),
  ...rows(DEVANAGARI, "Devanagari"),
  ...rows("as bn", "Bengali"),
  ...rows("pa", "Gurmukhi"),
  ...rows("gu", "Gujarati"),
  ...rows("or", "Oriya"),
  ...rows("ta", "Tamil"),
  ...rows("te", "Telugu"),
  ...rows("kn", "Kannada"),
  ...rows("ml", "Malayalam"),
  ...rows("si", "Sinhala"),
  ...rows("el", "Greek"),
  ...rows("he", "Hebrew"),
  ...rows("ka", "Georgian"),
  ...rows("hy", "Armenian"),
  ...rows("am ti", "Ethiopic"),
  ...rows("ko", "Hangul"),
  ...rows("ja", "Kana"),
  ["zh", { voice: "cmn", scripts: ["Han"] }],
  ["yue", { voice: "yue", scripts: ["Han"] }],
]);

/** Other codes of the same languages, and regions that have a language of their own. */
const ALIASES: Readonly<Record<string, string>> = {
  no: "nb",
  nn: "nb",
  iw: "he",
  in: "id",
  cmn: "zh",
  "zh-hk": "yue",
  "zh-mo": "yue",
};

const REGIONAL_VOICES: Readonly<Record<string, string>> = {
  pt: "pt-br",
  "pt-pt": "pt",
  "es-es": "es",
  "fr-be": "fr-be",
  "fr-ch": "fr-ch",
};
const LATIN_AMERICA = /^es-(419|us|mx|ar|bo|cl|co|cr|cu|do|ec|gt|hn|ni|pa|pe|pr|py|sv|uy|ve)$/;

/** The base language of a BCP-47 tag as ESPEAK_LANGUAGES knows it (`zh-Hant-HK` → `yue`); lower case. */
export function baseLanguage(tag: string): string {
  const parts = tag.toLowerCase().split("-");
  const language = parts[0] ?? "";
  const region = parts.slice(1).find((part) => /^([a-z]{2}|\d{3})$/.test(part));
  return ALIASES[`${language}-${region}`] ?? ALIASES[language] ?? language;
}

/** espeak-ng's voice for a BCP-47 tag; null when none is offered. */
export function espeakVoice(tag: string): string | null {
  const base = baseLanguage(tag);
  const language = ESPEAK_LANGUAGES.get(base);
  if (!language) return null;
  const region = tag.toLowerCase();
  if (LATIN_AMERICA.test(region)) return "es-419";
  return REGIONAL_VOICES[region] ?? REGIONAL_VOICES[base] ?? language.voice;
}

function rows(names: string, ...scripts: Script[]): [string, EspeakLanguage][] {
  return names.split(" ").map((name) => [name, { voice: name, scripts }]);
}
