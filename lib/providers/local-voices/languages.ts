import { baseLanguage, ESPEAK_LANGUAGES } from "../espeak/languages";

const ENGLISH_NAMES = new Intl.DisplayNames("en", { type: "language" });

/** BCP-47 base languages by their English names in lower case. */
const BY_NAME: ReadonlyMap<string, string> = new Map(
  ["en", ...ESPEAK_LANGUAGES.keys()].map((tag) => [(ENGLISH_NAMES.of(tag) ?? tag).toLowerCase(), tag]),
);

/** `en-us`, `en_US`, `cmn` as `en-US`, `zh`; null for anything else. */
function fromTag(text: string): string | null {
  const [language = "", region] = text.trim().replace(/_/g, "-").split("-");
  if (!/^[a-z]{2,3}$/i.test(language)) return null;
  const base = baseLanguage(language);
  if (base !== "en" && !ESPEAK_LANGUAGES.has(base)) return null;
  return region !== undefined && /^[a-z]{2}$/i.test(region) ? `${base}-${region.toUpperCase()}` : base;
}

/**
 * The BCP-47 tags in a model's own words: tags (`en_US`), espeak-ng's voices (`en-us`, `cmn`), or English names, with
 * commas between them ("multi-lang, e.g., English, Chinese").
 */
export function readLanguages(text: string): string[] {
  const found = text.split(/[,;/+]/).flatMap((part) => {
    const word = part.trim().replace(/^e\.g\.\s*/i, "");
    return fromTag(word) ?? BY_NAME.get(word.toLowerCase()) ?? [];
  });
  return [...new Set(found)];
}
