/** The first languages in the picker. A link may set any BCP-47 tag. */
export const SPEECH_LANGUAGES = [
  "en-US",
  "en-GB",
  "es-ES",
  "fr-FR",
  "de-DE",
  "it-IT",
  "pt-BR",
  "pt-PT",
  "nl-NL",
  "pl-PL",
  "ru-RU",
  "tr-TR",
  "ar",
  "hi-IN",
  "cmn-CN",
  "ja-JP",
  "ko-KR",
  "vi-VN",
] as const;

/** The other languages of the built-in engines, by base tag. An upstream may support more or fewer. */
export const MORE_SPEECH_LANGUAGES =
  "af am an as az ba be bg bn bs ca cs cv cy da el eo et eu fa fi fo ga gd gn gu haw he hr ht hu hy ia id io is ka kk kn kok ku ky la lb lt lv mi mk ml mr ms mt nb ne nog om or pa pap qu ro sd si sk sl sq sr sv sw ta te ti tk tn tt ug uk ur uz yue".split(
    " ",
  );

/** Tags with their language names in `locale`, sorted by name. */
export function byName(tags: readonly string[], locale: string): { tag: string; name: string }[] {
  return tags
    .map((tag) => ({ tag, name: languageName(tag, locale) }))
    .sort((a, b) => a.name.localeCompare(b.name, locale));
}

/** The name of a language in `locale`; the tag where it has none. */
export function languageName(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: "language" }).of(tag === "cmn-CN" ? "zh-CN" : tag) ?? tag;
  } catch {
    return tag;
  }
}
