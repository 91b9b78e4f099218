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
