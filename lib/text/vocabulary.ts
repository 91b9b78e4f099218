import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const PADDING = 0x3d;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** The six bits of each base64 character, by its code. */
const SIX_BITS = new Uint8Array(128);
for (let value = 0; value < BASE64.length; value++) SIX_BITS[BASE64.charCodeAt(value)] = value;

/** Tokens of cl100k_base. */
const SIZE = 100_256;
/** Slots of the hash table, a power of two: 100,256 tokens fill 38 % of them. */
const SLOTS = 2 ** 18;
/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The slot where the search for a token begins. FNV's low bits are mixed with the high ones. */
const firstSlot = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1);

/**
 * The 100,256 tokens of cl100k_base in three arrays outside V8's heap: 2.1 MB. A token's rank is also its ID.
 */
export class Vocabulary {
  /** The bytes of all tokens, in the order of their ranks. */
  readonly #bytes: Uint8Array;
  /** Where each token starts in `#bytes`, and where the last one ends. */
  readonly #starts: Uint32Array;
  /** A hash table with linear probing: rank + 1, or 0 for a free slot. */
  readonly #slots = new Uint32Array(SLOTS);
  readonly size: number;

  /**
   * Reads tiktoken's file of `size` tokens: a line per token, `base64 rank`, by ascending rank from 0. Throws if tokens
   * are missing.
   */
  constructor(file: Uint8Array, size: number) {
    const bytes = new Uint8Array(file.length);
    const starts: number[] = [0];
    let length = 0;
    for (let at = 0; at < file.length; at++) {
      let hash = FNV_OFFSET;
      for (; at < file.length && file[at] !== SPACE; at += 4) {
        const bits =
          (sixBits(file, at) << 18) |
          (sixBits(file, at + 1) << 12) |
          (sixBits(file, at + 2) << 6) |
          sixBits(file, at + 3);
        const count = file[at + 2] === PADDING ? 1 : file[at + 3] === PADDING ? 2 : 3;
        for (let i = 0; i < count; i++) {
          const byte = (bits >> (16 - 8 * i)) & 0xff;
          bytes[length++] = byte;
          hash = Math.imul(hash ^ byte, FNV_PRIME);
        }
      }
      let rank = 0;
      for (at++; file[at] !== LINE_FEED && at < file.length; at++) rank = rank * 10 + (file[at] ?? 0) - 0x30;
      if (rank !== starts.length - 1)
        throw new Error(`The vocabulary's line ${starts.length} has rank ${rank}, not ${starts.length - 1}.`);
      starts.push(length);
      let slot = firstSlot(hash);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
      this.#slots[slot] = rank + 1;
    }
    if (starts.length - 1 !== size)
      throw new Error(`The vocabulary has ${starts.length - 1} tokens, not ${size}.`);
    this.size = size;
    this.#starts = Uint32Array.from(starts);
    this.#bytes = bytes.slice(0, length);
  }

  /** The rank of the token with the bytes `text[start, end)` (one character per byte); -1 when there is none. */
  rankOf(text: string, start: number, end: number): number {
    let hash = FNV_OFFSET;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
    for (let slot = firstSlot(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
      const rank = (this.#slots[slot] ?? 0) - 1;
      if (rank < 0 || this.#isToken(rank, text, start, end)) return rank;
    }
  }

  #isToken(rank: number, text: string, start: number, end: number): boolean {
    const first = this.#starts[rank] ?? 0;
    if ((this.#starts[rank + 1] ?? 0) - first !== end - start) return false;
    for (let i = 0; i < end - start; i++)
      if (this.#bytes[first + i] !== text.charCodeAt(start + i)) return false;
    return true;
  }

  /** The number of a token's bytes; undefined for a rank that is not in the vocabulary. */
  lengthOf(rank: number): number | undefined {
    if (!(Number.isInteger(rank) && rank >= 0 && rank < this.size)) return undefined;
    return (this.#starts[rank + 1] ?? 0) - (this.#starts[rank] ?? 0);
  }

  /** Writes a token's bytes into `target` from `at` on; returns how many. */
  copy(rank: number, target: Uint8Array, at: number): number {
    const first = this.#starts[rank] ?? 0;
    const count = this.lengthOf(rank) ?? 0;
    for (let i = 0; i < count; i++) target[at + i] = this.#bytes[first + i] ?? 0;
    return count;
  }
}

function sixBits(file: Uint8Array, at: number): number {
  return SIX_BITS[file[at] ?? 0] ?? 0;
}

let loaded: Vocabulary | null = null;

/** The vocabulary, loaded on first use (about 25 ms): the server does so at its start, the admin command never. */
export function vocabulary(): Vocabulary {
  if (loaded !== null) return loaded;
  const requireFromRoot = createRequire(path.join(process.cwd(), "package.json"));
  const file = requireFromRoot.resolve("gpt-tokenizer/data/cl100k_base.tiktoken");
  loaded = new Vocabulary(readFileSync(file), SIZE);
  return loaded;
}
