import { memoizeByCharacter } from "./by-character";
import { spokenLengthEnd } from "./spoken-length";

/** A section of text that is spoken without a pause. */
export interface TextChunk {
  text: string;
  /**
   * What follows it, which decides the length of the pause: a new paragraph, a new sentence, a comma, or nothing (a
   * hard wrap).
   */
  end: "paragraph" | "sentence" | "clause" | "wrap";
}

/** Lengths in spoken letters (spoken-length.ts); read again for every chunk. */
export interface ChunkLimits {
  readonly max: number;
  /** Limit of the first chunk, which is cut at a comma within it, or at a space if the text is much longer. */
  readonly first: number;
}

/** A first sentence of up to this factor of `first` is not cut at a space. */
const FIRST_SLACK = 1.4;

const TERMINATORS = /[.!?…。！？｡؟۔।॥።՞։။]/u;
/** These end a sentence without a following space. */
const WIDE_TERMINATORS = /[。！？｡।॥።။]/u;
const CLOSING_MARKS = /["'”’»›)\]｣」』】）》〉]/u;
const CLAUSE_MARKS = /[,;:—–،؛、，；：]/u;
const WIDE_CLAUSE_MARKS = /[、，；：]/u;

const IS_TERMINATOR = 1;
const IS_WIDE_TERMINATOR = 2;
const IS_CLOSING_MARK = 4;
const IS_SPACE = 8;
const IS_LOWER = 16;

/** The role of a UTF-16 unit at the end of a sentence, as bits. */
const marksOf = memoizeByCharacter(
  (unit) =>
    (TERMINATORS.test(unit) ? IS_TERMINATOR : 0) |
    (WIDE_TERMINATORS.test(unit) ? IS_WIDE_TERMINATOR : 0) |
    (CLOSING_MARKS.test(unit) ? IS_CLOSING_MARK : 0) |
    (/\s/u.test(unit) ? IS_SPACE : 0) |
    (/\p{Ll}/u.test(unit) ? IS_LOWER : 0),
);

/** Most spaces after a sentence that are skipped to find the next character. */
const MAX_GAP = 64;

/** Characters that belong to the one before: marks, joiners, the second half of a surrogate pair. */
const CONTINUATION = /^(?:\p{M}|\u200d|[\udc00-\udfff])/u;

const ABBREVIATIONS = new Set(
  (
    "mr mrs ms dr prof sr jr st mt rev gen col lt capt sgt hon gov sen rep pres vs etc inc ltd co corp dept est fig " +
    "no nos vol pp ed eds al approx ca cf e.g i.e eg ie a.m p.m u.s u.k jan feb mar apr jun jul aug sep sept oct nov dec " +
    "bzw usw evtl ggf nr str z.b d.h u.a ca hr fr mme mlle m sra srta ud uds pág núm art sig sigg dott ecc " +
    "chr inkl vgl ee v kap abb д dhr mevr bijv enz dz np tzw itd itp ul т.е т.д т.п г ул им стр"
  ).split(" "),
);
/** Abbreviations only before a number or another abbreviation, since they are words too: "p. 12", "z. B.", "кв. 12". */
const ABBREVIATIONS_BEFORE = new Set("z n p кв рис".split(" "));
const NUMBER_OR_ABBREVIATION = /^\.\s{0,2}(?:\d|(?!I\b)[IVXLC]{1,6}\b|\p{Lu}\p{L}{0,2}\.)/u;

/**
 * Splits a text into chunks for speech, lazily: at sentences first (abbreviations, initials, decimals and addresses do
 * not end one), and sentences beyond the limit at a comma, else at a space, else between any two characters. Yields
 * trimmed, non-empty texts.
 */
export function* splitSentences(text: string, limits: ChunkLimits): Generator<TextChunk> {
  let isFirst = true;
  for (const sentence of sentences(text)) {
    let rest = sentence.text;
    for (;;) {
      const cut = isFirst ? findFirstCut(rest, limits) : findCut(rest, limits.max);
      isFirst = false;
      if (cut === null) break;
      yield { text: rest.slice(0, cut.at).trim(), end: cut.end };
      rest = rest.slice(cut.at).trim();
    }
    if (rest) yield { text: rest, end: sentence.end };
  }
}

function* sentences(text: string): Generator<TextChunk> {
  let start = 0;
  let at = 0;
  let run: Run = { end: 0, isLastOfParagraph: false, isEnd: false };
  while (at < text.length) {
    let end: End | null = null;
    if (text[at] === "\n") end = lineEnd(text, at);
    else if (marksOf(text.charAt(at)) & IS_TERMINATOR) {
      // A run is read once for all its terminators, so that a long run takes linear time.
      if (at >= run.end) run = readRun(text, at + 1);
      end = sentenceEnd(text, at, run);
    }
    if (end === null) {
      at++;
      continue;
    }
    const piece = text.slice(start, end.at).replace(/\s+/gu, " ").trim();
    if (piece) yield { text: piece, end: end.kind };
    start = end.at;
    at = end.at;
  }
  const rest = text.slice(start).replace(/\s+/gu, " ").trim();
  if (rest) yield { text: rest, end: "paragraph" };
}

/** The first index from `from` on whose character is of none of these kinds. */
function endOfRun(text: string, from: number, kinds: number): number {
  let next = from;
  while (next < text.length && marksOf(text.charAt(next)) & kinds) next++;
  return next;
}

function countBreaks(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = from; at < to; at++) if (text[at] === "\n") breaks++;
  return breaks;
}

interface End {
  at: number;
  kind: "paragraph" | "sentence";
}

/** A blank line separates paragraphs; a single break separates lines, except inside a wrapped sentence. */
function lineEnd(text: string, at: number): End | null {
  const next = endOfRun(text, at, IS_SPACE);
  if (countBreaks(text, at, next) > 1) return { at: next, kind: "paragraph" };
  const continues = marksOf(text.charAt(next)) & IS_LOWER && /[\p{L}\p{N},;]/u.test(text.charAt(at - 1));
  return continues ? null : { at: next, kind: "sentence" };
}

/** A run of terminators and closing marks. */
interface Run {
  end: number;
  /** True when a blank line follows. */
  isLastOfParagraph: boolean;
  /** True when what follows allows a sentence to end here. */
  isEnd: boolean;
}

/** The run that began before `from`. */
function readRun(text: string, from: number): Run {
  const end = endOfRun(text, from, IS_TERMINATOR | IS_CLOSING_MARK);
  const following = Math.min(endOfRun(text, end, IS_SPACE), end + MAX_GAP);
  const isLastOfParagraph = countBreaks(text, end, following) > 1;
  const isEnd = (end === text.length || following > end) && !(marksOf(text.charAt(following)) & IS_LOWER);
  return { end, isLastOfParagraph, isEnd };
}

/** The end of the sentence, when the terminator at `at` ends one. */
function sentenceEnd(text: string, at: number, run: Run): End | null {
  const mark = text.charAt(at);
  const end: End = { at: run.end, kind: "sentence" };
  // `lineEnd` ends this sentence, so that the pause of a paragraph is kept.
  if (run.isLastOfParagraph) return null;
  if (marksOf(mark) & IS_WIDE_TERMINATOR) return end;
  if (!run.isEnd || (mark === "." && run.end === at + 1 && isAbbreviation(text, at))) return null;
  return end;
}

function isAbbreviation(text: string, dot: number): boolean {
  const before = text.slice(Math.max(0, dot - 12), dot).split(/[^\p{L}.]/u);
  const asWritten = before.at(-1) ?? "";
  const word = asWritten.toLowerCase();
  // "Mio." is German; Italian "mio" is a word.
  if (/^(?:\p{Lu}\.)*\p{Lu}$|^M(?:io|rd)$/u.test(asWritten) || ABBREVIATIONS.has(word)) return true;
  return ABBREVIATIONS_BEFORE.has(word) && NUMBER_OR_ABBREVIATION.test(text.slice(dot, dot + 8));
}

interface Cut {
  at: number;
  end: "clause" | "wrap";
}

/** Null: the text is short enough. */
function findFirstCut(text: string, { max, first }: ChunkLimits): Cut | null {
  const reach = spokenLengthEnd(text, first);
  if (reach >= text.length) return null;
  const clause = lastClause(text, Math.ceil(reach / 4), reach);
  if (clause !== null) return { at: clause, end: "clause" };
  return spokenLengthEnd(text, Math.min(max, first * FIRST_SLACK)) >= text.length
    ? null
    : findCut(text, first);
}

function findCut(text: string, max: number): Cut | null {
  const reach = spokenLengthEnd(text, max);
  if (reach >= text.length) return null;
  const clause = lastClause(text, Math.ceil(reach / 3), reach);
  if (clause !== null) return { at: clause, end: "clause" };
  const space = text.lastIndexOf(" ", reach);
  if (space > reach / 3) return { at: space, end: "wrap" };
  return { at: betweenCharacters(text, Math.max(1, reach)), end: "wrap" };
}

function lastClause(text: string, from: number, to: number): number | null {
  for (let at = Math.min(to, text.length - 1); at > from; at--) {
    const mark = text.charAt(at - 1);
    if (CLAUSE_MARKS.test(mark) && (WIDE_CLAUSE_MARKS.test(mark) || text[at] === " ")) return at;
  }
  return null;
}

/**
 * Moves a cut back so that it splits neither a surrogate pair nor a letter from its marks, if such a position is near.
 */
function betweenCharacters(text: string, at: number): number {
  for (let cut = at; cut > Math.max(0, at - 32); cut--) if (!CONTINUATION.test(text.charAt(cut))) return cut;
  // There are only marks here: they are cut anywhere except inside a surrogate pair.
  return at > 1 && /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}
