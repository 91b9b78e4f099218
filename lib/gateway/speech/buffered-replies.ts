import { AppError } from "../../errors";
import type { Metrics } from "../../ports/metrics";
import { MemoryQuota, ownerShareBytes } from "../admission/memory-quota";

/** Most audio bytes of one reply: 23 minutes. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** Most audio bytes of all buffered replies of one process. */
const MAX_BUFFERED_BYTES = 512 * 1024 * 1024;
/** A second of audio at 24 kHz s16le. */
const BLOCK_BYTES = 48_000;
const RETRY_MS = 1_000;

/** Memory of the replies of one process that are sent only once they are complete. */
export class BufferedReplies {
  readonly #memory = new MemoryQuota();

  /**
   * Reserves memory for a reply of this owner of at most `seconds`. Throws `rate_limited` above the owner's limit,
   * `overloaded` above that of the process.
   */
  enter({ metrics }: { metrics: Metrics }, ownerId: string, seconds: number): BufferedSpeech {
    const expected = Math.min(MAX_REPLY_BYTES, Math.ceil(seconds) * BLOCK_BYTES);
    const ofOwner = `owner:${ownerId}`;
    const ofAll = "all";
    const shares = [
      {
        name: ofOwner,
        maxBytes: ownerShareBytes(MAX_BUFFERED_BYTES),
        refusal: () => {
          metrics.count("rate_limited");
          return new AppError(
            "rate_limited",
            `All keys of this key's owner together may have ${ownerShareBytes(MAX_BUFFERED_BYTES)} bytes of whole replies in progress at once. Wait for one to end, or stream.`,
            { retryAfterMs: RETRY_MS },
          );
        },
      },
      {
        name: ofAll,
        maxBytes: MAX_BUFFERED_BYTES,
        refusal: () =>
          new AppError("overloaded", "The server buffers too many replies. Try again in a moment.", {
            retryAfterMs: RETRY_MS,
          }),
      },
    ];
    this.#memory.check(shares, expected, 0);
    return new BufferedSpeech(expected, (change) => this.#memory.add([ofOwner, ofAll], change));
  }
}

/** Pieces from this size on are kept as they are, smaller ones are copied together. */
const LARGE_BYTES = 8 * 1024;

/** One reply's audio, in blocks that are released as they are read. */
export class BufferedSpeech {
  #blocks: Uint8Array[] = [];
  /** Bytes used of the last block where pieces are copied into it; null where it is a piece. */
  #used: number | null = null;
  /** Memory of the blocks. */
  #held = 0;
  #counted = 0;
  readonly #count: (change: number) => void;
  /** Bytes appended since `clear`. */
  bytes = 0;

  constructor(expected: number, count: (change: number) => void) {
    this.#count = count;
    this.#setCounted(expected);
  }

  append(pcm: Uint8Array): void {
    this.bytes += pcm.length;
    // A view of a much larger buffer would keep all of it in memory.
    if (pcm.length < LARGE_BYTES || pcm.buffer.byteLength > 1.25 * pcm.length) this.#copy(pcm);
    else {
      this.#closeBlock();
      this.#add(pcm);
    }
    this.#setCounted(Math.max(this.#counted, this.#held));
  }

  /** Removes and returns the next block; null at the end. */
  take(): Uint8Array | null {
    if (this.#blocks.length === 1) this.#closeBlock();
    const block = this.#blocks.shift();
    this.#held = this.#blocks.length === 0 ? 0 : this.#held - (block?.buffer.byteLength ?? 0);
    this.#setCounted(this.#held);
    return block ?? null;
  }

  /** Drops the audio of an attempt; the reserved memory stays for the next one. */
  clear(): void {
    this.#blocks = [];
    this.#used = null;
    this.#held = 0;
    this.bytes = 0;
  }

  /** Releases all memory. */
  release(): void {
    this.#blocks = [];
    this.#used = null;
    this.#held = 0;
    this.#setCounted(0);
  }

  #add(block: Uint8Array): void {
    this.#blocks.push(block);
    this.#held += block.buffer.byteLength;
  }

  #copy(pcm: Uint8Array): void {
    for (let at = 0; at < pcm.length; ) {
      if (this.#used === null || this.#used === BLOCK_BYTES) {
        this.#add(new Uint8Array(BLOCK_BYTES));
        this.#used = 0;
      }
      const piece = pcm.subarray(at, at + BLOCK_BYTES - this.#used);
      this.#blocks.at(-1)?.set(piece, this.#used);
      this.#used += piece.length;
      at += piece.length;
    }
  }

  /** Cuts the last block to what is used of it. */
  #closeBlock(): void {
    const last = this.#blocks.length - 1;
    const block = this.#blocks[last];
    if (this.#used !== null && block !== undefined) this.#blocks[last] = block.subarray(0, this.#used);
    this.#used = null;
  }

  #setCounted(bytes: number): void {
    this.#count(bytes - this.#counted);
    this.#counted = bytes;
  }
}
