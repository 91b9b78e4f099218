import { AppError } from "../../errors";
import { SPEECH_BYTES_PER_SECOND } from "../../ports/speech-model";
import { type EnforcedByteLimit, MemoryQuota, ownerShareBytes } from "../admission/memory-quota";

/** Most audio bytes of one reply: 23 minutes. */
export const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** Most audio bytes of all buffered replies of one process. */
const MAX_BUFFERED_BYTES = 512 * 1024 * 1024;
const BLOCK_BYTES = SPEECH_BYTES_PER_SECOND;
const RETRY_MS = 1_000;
/** Overhead of a chunk besides its content. */
const CHUNK_BYTES = 200;
const ALL = "all";

/**
 * Memory of the replies of one process that are sent only once they are complete, and of the copies of streamed replies
 * for a cache or for repeats.
 */
export class BufferedReplies {
  readonly #memory = new MemoryQuota();
  readonly #maxBytes: number;

  constructor(maxBytes = MAX_BUFFERED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes counted for all owners. */
  get bytes(): number {
    return this.#memory.bytesOf(ALL);
  }

  /**
   * Reserves memory for a reply of this owner of at most `seconds`. Throws `rate_limited` above the owner's limit,
   * `overloaded` above that of the process.
   */
  enter(ownerId: string, seconds: number): BufferedSpeech {
    const expected = Math.min(MAX_REPLY_BYTES, Math.ceil(seconds) * BLOCK_BYTES);
    const ofOwner = `owner:${ownerId}`;
    const ownerBytes = ownerShareBytes(this.#maxBytes);
    const limits: readonly EnforcedByteLimit[] = [
      {
        name: ofOwner,
        maxBytes: ownerBytes,
        refusal: () =>
          new AppError(
            "rate_limited",
            `All keys of this key's owner together are limited to ${ownerBytes} bytes of buffered replies at once. Wait for one to finish, or stream.`,
            { retryAfterMs: RETRY_MS },
          ),
      },
      {
        name: ALL,
        maxBytes: this.#maxBytes,
        refusal: () =>
          new AppError("overloaded", "The server is buffering too many replies. Try again in a moment.", {
            retryAfterMs: RETRY_MS,
          }),
      },
    ];
    const check = (bytes: number, ownBytes: number): void => this.#memory.check(limits, bytes, ownBytes);
    check(expected, 0);
    return new BufferedSpeech(expected, check, (change) => this.#memory.add([ofOwner, ALL], change));
  }

  /**
   * Starts a copy, of at most `maxBytes`, of a reply of this owner that is being sent. It is given up when all memory
   * in use would exceed half of a limit: copies only save work, so they leave room for replies that need the memory.
   */
  copy(ownerId: string, maxBytes: number): ReplyCopy {
    const ofOwner = `owner:${ownerId}`;
    const limits = [
      { name: ofOwner, maxBytes: ownerShareBytes(this.#maxBytes) / 2 },
      { name: ALL, maxBytes: this.#maxBytes / 2 },
    ];
    return new ReplyCopy(
      maxBytes,
      (bytes, ownBytes) => this.#memory.exceeded(limits, bytes, ownBytes) === undefined,
      (change) => this.#memory.add([ofOwner, ALL], change),
    );
  }
}

/**
 * A copy of a reply that is being sent. The copy is given up, never the reply, when it is too long or memory is short.
 */
export class ReplyCopy {
  /** Null once it was taken or given up. */
  #chunks: Uint8Array[] | null = [];
  #bytes = 0;
  #counted = 0;
  readonly #maxBytes: number;
  readonly #fits: (bytes: number, ownBytes: number) => boolean;
  readonly #count: (change: number) => void;

  constructor(
    maxBytes: number,
    fits: (bytes: number, ownBytes: number) => boolean,
    count: (change: number) => void,
  ) {
    this.#maxBytes = maxBytes;
    this.#fits = fits;
    this.#count = count;
  }

  get isKept(): boolean {
    return this.#chunks !== null;
  }

  add(chunk: Uint8Array): void {
    if (this.#chunks === null) return;
    const bytes = chunk.byteLength + CHUNK_BYTES;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#maxBytes || !this.#fits(bytes, this.#counted)) this.release();
    else {
      this.#counted += bytes;
      this.#count(bytes);
      this.#chunks.push(chunk);
    }
  }

  /** Returns the chunks, whose memory is no longer counted; null when the copy was given up. */
  take(): Uint8Array[] | null {
    const chunks = this.#chunks;
    this.release();
    return chunks;
  }

  /** Gives the copy up; later calls do nothing. */
  release(): void {
    this.#chunks = null;
    this.#count(-this.#counted);
    this.#counted = 0;
  }
}

/** Pieces from this size on are kept as they are, smaller ones are copied together. */
const LARGE_BYTES = 8 * 1024;

/** One reply's audio, in blocks that are released as they are read. */
export class BufferedSpeech {
  #blocks: Uint8Array[] = [];
  /** Bytes used of the last block when pieces are copied into it; null when the block is itself a piece. */
  #used: number | null = null;
  /** Bytes of memory of the blocks, used or not. */
  #held = 0;
  #counted = 0;
  readonly #check: (bytes: number, ownBytes: number) => void;
  readonly #count: (change: number) => void;
  /** Bytes of audio appended since `clear`. */
  bytes = 0;

  constructor(
    expected: number,
    check: (bytes: number, ownBytes: number) => void,
    count: (change: number) => void,
  ) {
    this.#check = check;
    this.#count = count;
    this.#setCounted(expected);
  }

  /**
   * `audioBytes`: length of the decoded samples, where `pcm` is their base64. Throws the error of `enter` when the
   * reply grows beyond its estimate and beyond a limit.
   */
  append(pcm: Uint8Array, audioBytes = pcm.length): void {
    this.bytes += audioBytes;
    // A view of a much larger buffer would keep all of it in memory.
    if (pcm.length < LARGE_BYTES || pcm.buffer.byteLength > 1.25 * pcm.length) this.#copy(pcm);
    else {
      this.#closeBlock();
      this.#add(pcm);
    }
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
    const held = this.#held + block.buffer.byteLength;
    if (held > this.#counted) {
      this.#check(held - this.#counted, this.#counted);
      this.#setCounted(held);
    }
    this.#blocks.push(block);
    this.#held = held;
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

  /** Trims the last block to its used bytes. */
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
