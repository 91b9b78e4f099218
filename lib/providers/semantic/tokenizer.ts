/** `[piece, log probability]` by ID, as in the model's vocab.json. */
export type Vocabulary = readonly (readonly [string, number])[];

/** The ID of characters that are not in the vocabulary. */
const UNKNOWN = 0;
/** Lower IDs are control symbols, not pieces of text. */
const FIRST_PIECE = 6;
/** How much less likely an unknown character is than the rarest piece (SentencePiece, `kUnkPenalty`). */
const UNKNOWN_PENALTY = 10;
const WORD_START = "\u2581";
/** Longest word in UTF-16 code units; longer ones are divided. */
const MAX_WORD_LENGTH = 1_024;
const WORDS_PER_STEP = 64;
/** Characters that SentencePiece's rule `nmt_nfkc` turns into a space. */
const SPACE = /[\s\p{Cc}\u200b-\u200f\ufeff]+/u;
const WORD = /[^\s\p{Cc}\u200b-\u200f\ufeff]+/gu;
/** Above every UTF-16 code unit. */
const UNITS = 0x10000;

function* wordsOf(text: string): Generator<string, void, void> {
  for (const [found] of text.matchAll(WORD)) {
    // NFKC may turn one compatibility character into several words.
    for (const word of found.normalize("NFKC").split(SPACE)) {
      for (let from = 0; from < word.length; from += MAX_WORD_LENGTH) {
        yield (from === 0 ? WORD_START : "") + word.slice(from, from + MAX_WORD_LENGTH);
      }
    }
  }
}

/**
 * SentencePiece's unigram tokenizer: of all ways to divide a text into pieces of the vocabulary, the most likely one
 * (Viterbi; Kudo 2018, arXiv:1804.10959). No piece of this vocabulary crosses a space, so words are encoded one by one.
 */
export class PieceTokenizer {
  /** The child of a node in the trie for a code unit, by the key `node × 65,536 + unit`. */
  readonly #children = new Map<number, number>();
  /** The piece that ends at a node; `UNKNOWN` when none does. */
  readonly #pieceAt: number[] = [UNKNOWN];
  readonly #scores: readonly number[];
  readonly #unknownScore: number;
  readonly #wordStart: readonly boolean[];
  readonly #blank: number;

  constructor(vocabulary: Vocabulary) {
    this.#scores = vocabulary.map(([, score]) => score);
    this.#wordStart = vocabulary.map(([piece]) => piece.startsWith(WORD_START));
    this.#unknownScore = Math.min(...this.#scores) - UNKNOWN_PENALTY;
    for (const [id, [piece]] of vocabulary.entries()) if (id >= FIRST_PIECE) this.#add(piece, id);
    this.#blank = vocabulary.findIndex(([piece]) => piece === WORD_START);
  }

  /** True when the piece begins a word. */
  startsWord(id: number): boolean {
    return this.#wordStart[id] ?? false;
  }

  /** The IDs of the pieces, at least one. Yields every 64 words; stops when there are more than `limit`. */
  *encode(text: string, limit = Number.POSITIVE_INFINITY): Generator<void, number[], void> {
    const ids: number[] = [];
    let words = 0;
    for (const word of wordsOf(text)) {
      this.#encodeWord(word, ids);
      if (ids.length > limit) return ids;
      words++;
      if (words % WORDS_PER_STEP === 0) yield;
    }
    if (ids.length === 0) ids.push(this.#blank);
    return ids;
  }

  #add(piece: string, id: number): void {
    let node = 0;
    for (let at = 0; at < piece.length; at++) {
      const edge = node * UNITS + piece.charCodeAt(at);
      const known = this.#children.get(edge);
      node = known ?? this.#pieceAt.push(UNKNOWN) - 1;
      if (known === undefined) this.#children.set(edge, node);
    }
    this.#pieceAt[node] = id;
  }

  /** Appends the word's tokens; neighbouring unknown characters are one token. */
  #encodeWord(word: string, ids: number[]): void {
    const scores = new Float64Array(word.length + 1).fill(Number.NEGATIVE_INFINITY);
    /** The last piece of the best division up to each position, and where that piece begins. */
    const pieces = new Int32Array(word.length + 1);
    const starts = new Int32Array(word.length + 1);
    scores[0] = 0;
    const reach = (from: number, to: number, id: number, score: number): void => {
      const total = (scores[from] ?? 0) + score;
      if (total <= (scores[to] ?? 0)) return;
      scores[to] = total;
      pieces[to] = id;
      starts[to] = from;
    };
    for (let from = 0; from < word.length; from++) {
      if (scores[from] === Number.NEGATIVE_INFINITY) continue;
      const symbolEnd = from + ((word.codePointAt(from) ?? 0) >= UNITS ? 2 : 1);
      let isSymbolKnown = false;
      let node: number | undefined = 0;
      for (let at = from; at < word.length; at++) {
        node = this.#children.get(node * UNITS + word.charCodeAt(at));
        if (node === undefined) break;
        const id = this.#pieceAt[node] ?? UNKNOWN;
        if (id === UNKNOWN) continue;
        if (at + 1 === symbolEnd) isSymbolKnown = true;
        reach(from, at + 1, id, this.#scores[id] ?? 0);
      }
      if (!isSymbolKnown) reach(from, symbolEnd, UNKNOWN, this.#unknownScore);
    }
    const found: number[] = [];
    for (let at = word.length; at > 0; at = starts[at] ?? 0) found.push(pieces[at] ?? UNKNOWN);
    for (const id of found.reverse()) {
      if (id !== UNKNOWN || ids.at(-1) !== UNKNOWN) ids.push(id);
    }
  }
}
