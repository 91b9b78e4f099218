/**
 * Words; characters of scripts that put no spaces between words, in runs; and single signs. Thai vowel marks and the
 * like belong to their run.
 */
const UNITS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+|[\p{L}\p{M}\p{N}]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{L}\p{M}\p{N}]|$)|[^\s\p{L}\p{M}\p{N}]/gu;
const DENSE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ASCII_WORDS = /[a-z0-9]+|[^\sa-z0-9]/g;
const IS_ASCII = /^\p{ASCII}*$/u;
const IS_WORD = /^[\p{L}\p{M}\p{N}]/u;
const IS_PUNCTUATION = /^\p{P}/u;
const MARKS = /\p{M}+/gu;
const HAS_ACCENTED = /[^\p{ASCII}]/u;

export type UnitKind = "word" | "dense" | "symbol" | "punctuation";

export interface Unit {
  kind: UnitKind;
  /** Lower case, accents folded. */
  folded: string;
  /** As written in lower case, where that differs. */
  accented: string | null;
}

/** ASCII is folded by lower-casing alone. */
function asciiUnits(lower: string): Unit[] {
  const units: Unit[] = [];
  for (const [unit] of lower.matchAll(ASCII_WORDS)) {
    const code = unit.charCodeAt(0);
    const isWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    const kind = isWord ? "word" : IS_PUNCTUATION.test(unit) ? "punctuation" : "symbol";
    units.push({ kind, folded: unit, accented: null });
  }
  return units;
}

function foldAccents(word: string): string {
  if (!HAS_ACCENTED.test(word)) return word;
  return word
    .normalize("NFD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replaceAll("ß", "ss")
    .replaceAll("ς", "σ")
    .replaceAll("ı", "i")
    .replaceAll("ł", "l")
    .replaceAll("ø", "o")
    .replaceAll("đ", "d")
    .replaceAll("æ", "ae")
    .replaceAll("œ", "oe");
}

function kindOf(unit: string): UnitKind {
  if (DENSE.test(unit)) return "dense";
  if (IS_WORD.test(unit)) return "word";
  return IS_PUNCTUATION.test(unit) ? "punctuation" : "symbol";
}

/** The units of a text in order: compatibility forms unified (NFKC), case and accents folded. */
export function unitsOf(text: string): Unit[] {
  if (IS_ASCII.test(text)) return asciiUnits(text.toLowerCase());
  const units: Unit[] = [];
  for (const [unit] of text.normalize("NFKC").toLowerCase().matchAll(UNITS)) {
    const kind = kindOf(unit);
    const folded = kind === "word" ? foldAccents(unit) : unit;
    units.push({ kind, folded: folded === "" ? unit : folded, accented: folded === unit ? null : unit });
  }
  return units;
}
