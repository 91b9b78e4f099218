import { reachOf } from "./spoken-length";

/** A stretch of text to be spoken in one breath. */
export interface TextChunk {
  text: string;
  /** What comes after it, and so how long the pause is: a new paragraph, a new sentence, a comma, or nothing (a hard wrap). */
  end: "paragraph" | "sentence" | "clause" | "wrap";
}

/** Lengths as they are spoken, in letters' time (spoken-length.ts); read anew for every chunk. */
export interface ChunkLimits {
  /** No chunk is longer. */
  readonly longest: number;
  /** The first one is cut at a comma before this where there is one, else at a space if it is much longer. */
  readonly first: number;
}

/** A first sentence that is no longer than this times `first` is not torn at a mere space. */
const FIRST_SLACK = 1.4;

const TERMINATORS = /[.!?…。！？｡؟۔।॥።՞։။]/u;
/** These end a sentence without a space after them. */
const WIDE_TERMINATORS = /[。！？｡।॥።။]/u;
const CLOSERS = /["'”’»›)\]｣」』】）》〉]/u;
const CLAUSE_MARKS = /[,;:—–،؛、，；：]/u;
const WIDE_CLAUSE_MARKS = /[、，；：]/u;

/** What belongs to the character before it: marks, joiners, the second half of a surrogate pair. */
const CONTINUATION = /^(?:\p{M}|\u200d|[\udc00-\udfff])/u;

const ABBREVIATIONS = new Set(
  (
    "mr mrs ms dr prof sr jr st mt rev gen col lt capt sgt hon gov sen rep pres vs etc inc ltd co corp dept est fig " +
    "no nos vol pp ed eds al approx ca cf e.g i.e eg ie a.m p.m u.s u.k jan feb mar apr jun jul aug sep sept oct nov dec " +
    "bzw usw evtl ggf nr str z.b d.h u.a ca hr fr mme mlle m sra srta ud uds pág núm art sig sigg dott ecc " +
    "dhr mevr bijv enz dz np tzw itd itp ul т.е т.д т.п г ул им стр"
  ).split(" "),
);

/**
 * Parts a text into chunks for speaking, lazily: sentences first (abbreviations, initials, decimals and addresses do not
 * end one), and sentences beyond the limit at a comma, else at a space, else anywhere between two characters.
 * Yields trimmed, non-empty texts.
 */
export function* splitSentences(text: string, limits: ChunkLimits): Generator<TextChunk> {
  let isFirst = true;
  for (const sentence of sentences(text)) {
    let rest = sentence.text;
    for (;;) {
      const cut = isFirst ? findFirstCut(rest, limits) : findCut(rest, limits.longest);
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
  while (at < text.length) {
    const end = text[at] === "\n" ? lineEnd(text, at) : sentenceEnd(text, at);
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

interface End {
  at: number;
  kind: "paragraph" | "sentence";
}

/** A blank line parts paragraphs; a single break parts lines unless it stands in the middle of a wrapped sentence. */
function lineEnd(text: string, at: number): End | null {
  let next = at;
  let breaks = 0;
  while (next < text.length && /\s/u.test(text.charAt(next))) {
    if (text[next] === "\n") breaks++;
    next++;
  }
  if (breaks > 1) return { at: next, kind: "paragraph" };
  const goesOn = /\p{Ll}/u.test(text.charAt(next)) && /[\p{L}\p{N},;]/u.test(text.charAt(at - 1));
  return goesOn ? null : { at: next, kind: "sentence" };
}

function sentenceEnd(text: string, at: number): End | null {
  const mark = text.charAt(at);
  if (!TERMINATORS.test(mark)) return null;
  let next = at + 1;
  while (next < text.length && (TERMINATORS.test(text.charAt(next)) || CLOSERS.test(text.charAt(next))))
    next++;
  if (WIDE_TERMINATORS.test(mark)) return { at: next, kind: "sentence" };
  if (next < text.length && !/\s/u.test(text.charAt(next))) return null;
  // Blank lines are for lineEnd to find, so that the paragraph's pause is not lost.
  const gap = /^\s*/u.exec(text.slice(next, next + 64))?.[0] ?? "";
  if ((gap.match(/\n/g)?.length ?? 0) > 1) return null;
  const following = text.charAt(next + gap.length);
  if (/\p{Ll}/u.test(following)) return null;
  if (mark === "." && next === at + 1 && isAbbreviation(text, at)) return null;
  return { at: next, kind: "sentence" };
}

function isAbbreviation(text: string, dot: number): boolean {
  const word = /[\p{L}.]+$/u.exec(text.slice(Math.max(0, dot - 12), dot))?.[0] ?? "";
  return /^\p{Lu}$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());
}

interface Cut {
  at: number;
  end: "clause" | "wrap";
}

/** Null: the text is short enough as it is. */
function findFirstCut(text: string, { longest, first }: ChunkLimits): Cut | null {
  const reach = reachOf(text, first);
  if (reach >= text.length) return null;
  const clause = lastClause(text, Math.ceil(reach / 4), reach);
  if (clause !== null) return { at: clause, end: "clause" };
  return reachOf(text, Math.min(longest, first * FIRST_SLACK)) >= text.length ? null : findCut(text, first);
}

function findCut(text: string, longest: number): Cut | null {
  const reach = reachOf(text, longest);
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

/** Moves a cut back so that it parts neither a surrogate pair nor a letter from its marks. */
function betweenCharacters(text: string, at: number): number {
  let cut = at;
  while (cut > at - 32 && cut > 1 && CONTINUATION.test(text.slice(cut, cut + 1))) cut--;
  return cut;
}
