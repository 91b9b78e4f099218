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

/** The text for speech engines: NFC, a line feed for every line break, without control characters and pictographs. */
export function cleanSpeechText(text: string): string {
  return text
    .replace(/\r\n?|\u2028/g, "\n")
    .replace(/\u2029/g, "\n\n")
    .replace(CONTROLS, " ")
    .replace(PICTOGRAPHS, " ")
    .replace(INVISIBLE, "")
    .replace(JOINERS_OUTSIDE_WORDS, "")
    .normalize("NFC");
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
