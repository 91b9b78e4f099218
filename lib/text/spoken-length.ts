import { memoizeByCharacter } from "./by-character";
import { scriptOf } from "./scripts";

/** Time to speak a character, in letters of running text (about 65 ms each; measured on both engines). */
const DIGIT = 5;
const SYMBOL = 7;
/** Signs and fractions that are read as several words: "plus or minus", "and three quarters". */
const PHRASE = 15;
const LONE_LETTER = 4;
const CAPITAL_IN_CAPITALS = 3;
const BY_SCRIPT: Readonly<Partial<Record<string, number>>> = { Han: 4, Hangul: 2, Kana: 1.5 };

/** Bits that classify a character without its neighbours; the low five are its weight in half letters. */
const WEIGHT = 0b11111;
const IS_POINT = 1 << 5;
const IS_LETTER = 1 << 6;
const IS_UPPER = 1 << 7;
const IS_LETTER_OR_DIGIT = 1 << 8;
/** A letter, a mark or an apostrophe: a letter beside it is not a single letter. */
const IS_WORD_PART = 1 << 9;

const characterBits = memoizeByCharacter((character) => {
  let kind = 0;
  if (/\p{Lu}/u.test(character)) kind |= IS_UPPER;
  if (/[\p{L}\p{N}]/u.test(character)) kind |= IS_LETTER_OR_DIGIT;
  if (/[\p{L}\p{M}'’]/u.test(character)) kind |= IS_WORD_PART;
  if (/[\s\p{M}]/u.test(character)) return kind | 2;
  if (/[\p{No}±÷≤≥≠≈µ]/u.test(character)) return (kind & ~IS_WORD_PART) | (2 * PHRASE);
  if (/\p{N}/u.test(character)) return kind | (2 * DIGIT);
  if (/[.:,]/u.test(character)) return kind | IS_POINT;
  if (/[;!?'’"“”()…—–-]/u.test(character)) return kind | 2;
  if (!/\p{L}/u.test(character))
    return kind | (/\p{P}/u.test(character) && character > "\u007f" ? 2 : 2 * SYMBOL);
  const syllable = BY_SCRIPT[scriptOf(character) ?? ""];
  return syllable === undefined ? kind | IS_LETTER : kind | (2 * syllable);
});

/**
 * How long speaking a text takes, in letters of running text. Digits, symbols and spelled capitals are read as words,
 * and ideographs are syllables: they count for more.
 */
export const spokenLength = (text: string): number => measure(text, Number.POSITIVE_INFINITY).length;

/** The index (UTF-16) up to which a text is at most `letters` long, as `spokenLength` counts. */
export const spokenLengthEnd = (text: string, letters: number): number => measure(text, letters).end;

function measure(text: string, limit: number): { end: number; length: number } {
  let length = 0;
  let at = 0;
  let before = characterBits(" ");
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const next = at + (code > 0xffff ? 2 : 1);
    const kind = characterBits(code > 0xffff ? text.slice(at, next) : text.charAt(at));
    length += weightOf(kind, before, next < text.length ? characterBits(text.charAt(next)) : 0);
    if (length > limit) break;
    before = kind;
    at = next;
  }
  return { end: at, length };
}

/** A character's weight between its neighbours, in letters; arguments as `characterBits` returns them. */
function weightOf(kind: number, before: number, after: number): number {
  if (kind & IS_POINT) return after & IS_LETTER_OR_DIGIT ? DIGIT : 1;
  if (!(kind & IS_LETTER)) return (kind & WEIGHT) / 2;
  if (!(before & IS_WORD_PART) && !(after & IS_WORD_PART)) return LONE_LETTER;
  return kind & IS_UPPER && before & IS_UPPER ? CAPITAL_IN_CAPITALS : 1;
}
