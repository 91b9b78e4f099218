/** Scripts that put no spaces between words. */
const SPACELESS =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー";
/** Runs of those scripts, words of other scripts, and single signs. The `v` flag subtracts one set from another. */
const UNITS = new RegExp(
  `[${SPACELESS}]+|[[\\p{L}\\p{M}\\p{N}]--[${SPACELESS}]]+|[^\\s\\p{L}\\p{M}\\p{N}]`,
  "gv",
);
const DENSE = new RegExp(`^[${SPACELESS}]`, "v");
const ASCII_WORDS = /[a-z0-9]+|[^\sa-z0-9]/g;
const IS_ASCII = /^\p{ASCII}*$/u;
const IS_WORD = /^[\p{L}\p{M}\p{N}]/u;
const IS_PUNCTUATION = /^\p{P}/u;
const MARKS = /\p{M}+/gu;
/** Longer units are not words, so their accents are kept. */
const MAX_FOLDED_LENGTH = 256;

type UnitKind = "word" | "dense" | "symbol" | "punctuation";

export interface Unit {
  kind: UnitKind;
  /** Lower case, accents folded. */
  folded: string;
  /** The original spelling in lower case, where that differs. */
  accented: string | null;
}

/** Lower-casing is enough for ASCII. */
function* asciiUnits(lower: string): Generator<Unit> {
  for (const [unit] of lower.matchAll(ASCII_WORDS)) {
    const code = unit.charCodeAt(0);
    const isWord = (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
    const kind = isWord ? "word" : IS_PUNCTUATION.test(unit) ? "punctuation" : "symbol";
    yield { kind, folded: unit, accented: null };
  }
}

function foldAccents(word: string): string {
  if (word.length > MAX_FOLDED_LENGTH || IS_ASCII.test(word)) return word;
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
export function* unitsOf(text: string): Generator<Unit> {
  if (IS_ASCII.test(text)) {
    yield* asciiUnits(text.toLowerCase());
    return;
  }
  for (const [unit] of text.normalize("NFKC").toLowerCase().matchAll(UNITS)) {
    const kind = kindOf(unit);
    const folded = kind === "word" ? foldAccents(unit) : unit;
    yield { kind, folded: folded === "" ? unit : folded, accented: folded === unit ? null : unit };
  }
}
