/** Languages offered by name in the picker; any BCP-47 tag can still come in by a link. */
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

/** A language's name in the reader's own words. */
export function languageName(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: "language" }).of(tag === "cmn-CN" ? "zh-CN" : tag) ?? tag;
  } catch {
    return tag;
  }
}
