import { invalidAnswer } from "./failure";

/** Size of one block: copied, scanned or decoded in one step. */
export const BLOCK_BYTES = 64 * 1024;

/** Chunks from this size on are kept as they are. */
const LARGE_BYTES = 8 * 1024;

/**
 * Bytes appended chunk by chunk and held in blocks: large chunks themselves, smaller ones copied together. Chunks of
 * any size cost no more than twice the memory of their bytes, and existing bytes are not copied again as more arrive.
 */
export class ByteBlocks {
  /** None longer than BLOCK_BYTES. */
  readonly #blocks: Uint8Array[] = [];
  /** Where each block begins. */
  readonly #starts: number[] = [];
  /** Bytes used of the last block if small chunks are copied into it; null if it is itself a large chunk. */
  #used: number | null = null;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    // A view of a much larger buffer would keep all of it in memory.
    if (bytes.length < LARGE_BYTES || bytes.buffer.byteLength > 2 * bytes.length) {
      this.#copy(bytes);
      return;
    }
    this.#closeBlock();
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const block = bytes.subarray(at, at + BLOCK_BYTES);
      this.#add(block);
      this.#length += block.length;
    }
  }

  #add(block: Uint8Array): void {
    this.#blocks.push(block);
    this.#starts.push(this.#length);
  }

  /** Trims the unused end of the last block, since a large chunk follows. */
  #closeBlock(): void {
    const last = this.#blocks.length - 1;
    const block = this.#blocks[last];
    if (this.#used === null || block === undefined) return;
    this.#blocks[last] = block.slice(0, this.#used);
    this.#used = null;
  }

  #copy(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#blockWithRoom(bytes.length - at);
      const used = this.#used ?? 0;
      const piece = bytes.subarray(at, at + block.length - used);
      block.set(piece, used);
      at += piece.length;
      this.#used = used + piece.length;
      this.#length += piece.length;
    }
  }

  /** The last block if it has space, else a larger copy of it while it is below BLOCK_BYTES, else a new block. */
  #blockWithRoom(wanted: number): Uint8Array {
    const last = this.#blocks.length - 1;
    const block = this.#blocks[last];
    const used = this.#used ?? BLOCK_BYTES;
    if (block !== undefined && used < block.length) return block;
    const grows = block !== undefined && used < BLOCK_BYTES;
    const least = grows ? Math.max(used + wanted, 2 * used) : wanted;
    const fresh = new Uint8Array(Math.min(BLOCK_BYTES, least));
    if (grows) {
      fresh.set(block);
      this.#blocks[last] = fresh;
    } else {
      this.#add(fresh);
      this.#used = 0;
    }
    return fresh;
  }

  /** Views of the bytes from `from` up to `to`, none longer than a block. */
  *pieces(from = 0, to = this.#length): Generator<Uint8Array> {
    for (let index = this.#indexOf(from), at = from; at < to; index += 1) {
      const block = this.#blocks[index];
      const start = this.#starts[index];
      if (block === undefined || start === undefined) return;
      const piece = block.subarray(at - start, Math.min(block.length, to - start));
      yield piece;
      at += piece.length;
    }
  }

  /** The block that holds the byte at `at`. */
  #indexOf(at: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The bytes as text. Throws `upstream_invalid` when they are not UTF-8. */
  text(): string {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    let text = "";
    try {
      for (const piece of this.pieces()) text += decoder.decode(piece, { stream: true });
      return text + decoder.decode();
    } catch (error) {
      throw invalidAnswer("with bytes that are not UTF-8", error);
    }
  }
}

/** A whole body in blocks. */
export async function gatherBytes(body: AsyncIterable<Uint8Array>): Promise<ByteBlocks> {
  const bytes = new ByteBlocks();
  for await (const piece of body) bytes.append(piece);
  return bytes;
}
