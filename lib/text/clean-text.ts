/** Pictographs and their joiners, which would be read out as "grinning face with smiling eyes". */
const PICTOGRAPHS =
  /(?![©®™])\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}|[\u{FE0E}\u{FE0F}\u{20E3}]/gu;
/** A joiner between letters belongs to the word (Persian, Indic scripts); elsewhere it is left over from an emoji. */
const JOINERS_OUTSIDE_WORDS = /(?<![\p{L}\p{M}])[\u200C\u200D]|[\u200C\u200D](?!\p{L})/gu;
/**
 * Direction marks, byte order marks, soft hyphens, tags and private-use characters: silent, and engines may fail on
 * them.
 */
const INVISIBLE =
  /[\u{AD}\u{180E}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{FEFF}\u{FFF9}-\u{FFFD}\u{E0000}-\u{E007F}\p{Co}\p{Cn}\p{Cs}]/gu;
const CONTROLS = /(?!\n)\p{Cc}/gu;
/**
 * Ligatures and positional forms of letters, which engines spell out. Not the phrases from U+FDF0 on, of up to 18
 * characters in one.
 */
const PRESENTATION_FORMS = /[\u{FB00}-\u{FB4F}\u{FB50}-\u{FDEF}\u{FE70}-\u{FEFC}]/gu;
/** Hebrew vowel points and accents, which engines spell out. */
const HEBREW_POINTS = /(?=\p{M})[\u{591}-\u{5C7}]/gu;

/** Marks of Markdown that would be read out: emphasis, code, links, and at the start of a line headings and stars. */
const MARKDOWN: readonly (readonly [marked: RegExp, plain: string])[] = [
  [/^[ \t]*(?:```\w*$|(?:\* ?){3,64}$|#{1,6} +|\* +(?=[^\s*]))/gmu, ""],
  [/\[([^[\]\n]{1,500})\]\(https?:\/\/[^\s()]{1,2000}\)/gu, "$1"],
  [/(?<![\p{L}\p{N}*)])\*(?=[^\s*])([^*\n]{1,500})(?<=\S)\*(?![\p{L}\p{N}*])/gu, "$1"],
  [/(?<![\p{N}*)])\*{2,3}(?=[^\s*])([^*\s+/=-]{1,500})\*{2,3}(?![*\p{N}])/gu, "$1"],
  [/(?<![a-zA-Z\p{N}*)])\*{2,3}(?=[^\s*])([^*\n]{1,500})(?<=\S)\*{2,3}(?![a-zA-Z\p{N}*])/gu, "$1"],
  [/(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])([^_\n]{1,500})(?<=\S)_{1,3}(?![\p{L}\p{N}_])/gu, "$1"],
  [/(?<!`)`{1,3}([^`\n]{1,500})`{1,3}(?!`)/gu, "$1"],
];

/**
 * The text for speech engines: NFC, a line feed for every line break, without control characters, pictographs, the
 * marks of Markdown, and the forms and points of letters that engines spell out.
 */
export function cleanSpeechText(text: string): string {
  let words = text.replace(/\r\n?|\u2028/g, "\n").replace(/\u2029/g, "\n\n");
  for (const [marked, plain] of MARKDOWN) words = words.replace(marked, plain);
  return words
    .replace(CONTROLS, " ")
    .replace(PICTOGRAPHS, " ")
    .replace(INVISIBLE, "")
    .replace(JOINERS_OUTSIDE_WORDS, "")
    .replace(PRESENTATION_FORMS, (letter) => letter.normalize("NFKC"))
    .normalize("NFC")
    .replace(HEBREW_POINTS, "");
}

/** True when there is a letter or digit to speak; a mark that only lengthens or repeats one (ー, 々) is neither. */
export function isSpeakable(text: string): boolean {
  return /[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{N}]/u.test(text);
}

/**
 * `text` without trailing characters that match `drop`, an expression for one character. Linear, unlike `/x+$/`, which
 * rescans a long run of x from each of its characters.
 */
export function trimEndOf(text: string, drop: RegExp): string {
  let end = text.length;
  while (end > 0 && drop.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
