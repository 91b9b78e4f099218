import { runAtOnce } from "../ports/run-in-slices";
import { type Vocabulary, vocabulary } from "./vocabulary";

/** Ranks are below 2¹⁷; a queue entry is rank × 2³² + position, exact in a double. */
const POSITION = 2 ** 32;

function siftUp(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

function popMin(heap: number[]): number {
  const min = heap[0] ?? 0;
  const value = heap.pop() ?? 0;
  const size = heap.length;
  if (size === 0) return min;
  let at = 0;
  for (let child = 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
    const below = heap[child] ?? 0;
    if (below >= value) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = value;
  return min;
}

/** Merges and first lookups per step: about a millisecond's work. */
const WORK_PER_STEP = 4_096;

/**
 * Byte-pair encoding of one piece (a Latin-1 string, one character per byte): always merges the adjacent pair with the
 * lowest rank, the leftmost of equal ones. A priority queue over a linked list makes this O(n log n): the textbook loop
 * is quadratic, and a megabyte of one letter would block the process. Runs in steps, so that the caller can yield
 * between them. Returns how many tokens are left.
 */
function* mergeInSteps(bytes: string, vocabulary: Vocabulary): Generator<void, number, void> {
  const length = bytes.length;
  // All three are zero-filled, which the system allocates lazily, so that a long piece costs nothing before it is
  // processed: they hold a part's length minus one, the distance to the previous part minus one, and the rank of a pair
  // plus one.
  const partLength = new Int32Array(length + 1);
  const distance = new Int32Array(length + 1);
  const pairRank = new Int32Array(length + 1);
  const queue: number[] = [];
  const endOf = (start: number): number => start + (partLength[start] ?? 0) + 1;

  function enqueuePair(start: number): void {
    const middle = endOf(start);
    const rank = middle >= length ? -1 : vocabulary.rankOf(bytes, start, endOf(middle));
    pairRank[start] = rank + 1;
    if (rank >= 0) siftUp(queue, rank * POSITION + start);
  }

  for (let i = 0; i < length - 1; i++) {
    enqueuePair(i);
    if (i % WORK_PER_STEP === WORK_PER_STEP - 1) yield;
  }
  let count = length;
  for (let work = 1; queue.length > 0; work++) {
    if (work % WORK_PER_STEP === 0) yield;
    const entry = popMin(queue);
    const start = entry % POSITION;
    // Stale entry: the pair was merged already, or one of its halves has grown.
    if (pairRank[start] !== (entry - start) / POSITION + 1) continue;
    const middle = endOf(start);
    const end = endOf(middle);
    pairRank[middle] = 0;
    partLength[start] = end - start - 1;
    distance[end] = end - start - 1;
    count -= 1;
    enqueuePair(start);
    const before = start - (distance[start] ?? 0) - 1;
    if (before >= 0) enqueuePair(before);
  }
  return count;
}

/** Special tokens have IDs but are not in the merges: a text that spells one out is ordinary text. */
const SPECIAL = new Map([
  [100_257, Buffer.from("<|endoftext|>")],
  [100_258, Buffer.from("<|fim_prefix|>")],
  [100_259, Buffer.from("<|fim_middle|>")],
  [100_260, Buffer.from("<|fim_suffix|>")],
  [100_276, Buffer.from("<|endofprompt|>")],
]);

/** The pattern by which cl100k_base splits a text into pieces before merging (tiktoken, openai_public.py). */
const PIECES =
  /'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s/gu;

/** Bytes of the longest token of letters, and of the longest of all. */
const MAX_WORD_BYTES = 42;
const MAX_TOKEN_BYTES = 128;
const IS_ASCII = /^\p{ASCII}*$/u;
const IS_WORD = /^[^\r\n\p{L}\p{N}]?\p{L}/u;

/** Cached counts of recent pieces that are not a single token (names, inflected words, CJK). */
const recent = new Map<string, number>();
const MAX_RECENT = 20_000;
const MAX_RECENT_LENGTH = 64;

/** Longer pieces (UTF-16 code units) are merged in steps where the caller can wait. */
const LONG_PIECE = 4_096;
/** Characters per step: about a millisecond's work. */
const CHARACTERS_PER_STEP = 8_192;

const isToken = (bytes: string, words: Vocabulary) =>
  bytes.length <= MAX_TOKEN_BYTES && words.rankOf(bytes, 0, bytes.length) >= 0;

/**
 * The token count of a known piece; or the least possible count of a piece, if that is above `limit`; else the piece's
 * bytes (Latin-1), to be merged.
 */
function lookUp(piece: string, words: Vocabulary, limit: number): number | string {
  // A token's bytes are those of the text in UTF-8; for ASCII these are the characters.
  const isAscii = IS_ASCII.test(piece);
  if (isAscii && isToken(piece, words)) return 1;
  const known = recent.get(piece);
  if (known !== undefined) return known;
  const bytes = isAscii ? piece : Buffer.from(piece, "utf8").toString("latin1");
  if (!isAscii && isToken(bytes, words)) return 1;
  const least = Math.ceil(bytes.length / (IS_WORD.test(piece) ? MAX_WORD_BYTES : MAX_TOKEN_BYTES));
  return least > limit ? least : bytes;
}

function countPiece(piece: string, words: Vocabulary, limit: number): number {
  const found = lookUp(piece, words, limit);
  if (typeof found === "number") return found;
  const count = runAtOnce(mergeInSteps(found, words));
  if (piece.length <= MAX_RECENT_LENGTH) {
    if (recent.size >= MAX_RECENT) recent.clear();
    recent.set(piece, count);
  }
  return count;
}

/**
 * Counts the cl100k_base tokens of a text. Text that looks like a special token (`<|endoftext|>`) is ordinary text; an
 * unpaired surrogate counts as U+FFFD, as it does in UTF-8. Stops above `limit` and returns some number above it, so
 * that a much longer text costs no more than one at the limit.
 */
export function countTokens(text: string, limit = Number.POSITIVE_INFINITY): number {
  // Such a text is above the limit even if every token is of the longest kind, so it is not split.
  if (text.length > limit * MAX_TOKEN_BYTES) return Math.ceil(text.length / MAX_TOKEN_BYTES);
  const words = vocabulary();
  PIECES.lastIndex = 0;
  let count = 0;
  for (let match = PIECES.exec(text); match !== null; match = PIECES.exec(text)) {
    count += countPiece(match[0], words, limit - count);
    if (count > limit) break;
  }
  return count;
}

/** `countTokens` in steps of about a millisecond, so that the caller can yield between them. */
export function* countTokensInSteps(
  text: string,
  limit = Number.POSITIVE_INFINITY,
): Generator<void, number, void> {
  if (text.length > limit * MAX_TOKEN_BYTES) return Math.ceil(text.length / MAX_TOKEN_BYTES);
  const words = vocabulary();
  let count = 0;
  let since = 0;
  // `matchAll` copies the expression, whose position would otherwise be shared with texts counted between the steps.
  for (const [piece] of text.matchAll(PIECES)) {
    // Matching a long piece and converting it to bytes both take long: the caller may yield after each.
    if (piece.length > LONG_PIECE) {
      yield;
      const found = lookUp(piece, words, limit - count);
      yield;
      count += typeof found === "number" ? found : yield* mergeInSteps(found, words);
    } else count += countPiece(piece, words, limit - count);
    if (count > limit) break;
    since += piece.length;
    if (since < CHARACTERS_PER_STEP) continue;
    since = 0;
    yield;
  }
  return count;
}

/** The text of cl100k_base token IDs; invalid UTF-8 becomes U+FFFD. Null when an ID is not in the vocabulary. */
export function decodeTokens(tokens: readonly number[]): string | null {
  const words = vocabulary();
  let length = 0;
  for (const token of tokens) {
    const bytes = words.lengthOf(token) ?? SPECIAL.get(token)?.length;
    if (bytes === undefined) return null;
    length += bytes;
  }
  const text = Buffer.alloc(length);
  let end = 0;
  for (const token of tokens) {
    const special = SPECIAL.get(token);
    end += special === undefined ? words.copy(token, text, end) : special.copy(text, end);
  }
  return text.toString("utf8");
}

/** The index of the first ID that is not in the vocabulary of cl100k_base; -1 when all are. */
export function findUnknownToken(tokens: readonly number[]): number {
  const words = vocabulary();
  return tokens.findIndex((token) => words.lengthOf(token) === undefined && !SPECIAL.has(token));
}
