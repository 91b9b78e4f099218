import { invalidAnswer } from "./failure";

/** Size of one block: copied, scanned or decoded in one step. */
export const BLOCK_BYTES = 64 * 1024;

/** Yields to the event loop before the next step of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Bytes appended chunk by chunk and held in blocks. Existing bytes are not copied again as more arrive, and chunks of
 * any size cost no more memory than their bytes.
 */
export class ByteBlocks {
  /** All but the last are full; the first grows up to a block's size. */
  readonly #blocks: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const used = this.#length % BLOCK_BYTES;
      const block = this.#blockWithRoom(used, bytes.length - at);
      const piece = bytes.subarray(at, at + block.length - used);
      block.set(piece, used);
      at += piece.length;
      this.#length += piece.length;
    }
  }

  #blockWithRoom(used: number, wanted: number): Uint8Array {
    const last = this.#blocks.at(-1);
    if (used > 0 && last !== undefined && last.length > used) return last;
    const least = this.#length < BLOCK_BYTES ? Math.max(used + wanted, 2 * used) : BLOCK_BYTES;
    const block = new Uint8Array(Math.min(BLOCK_BYTES, least));
    if (used > 0 && last !== undefined) {
      block.set(last);
      this.#blocks.pop();
    }
    this.#blocks.push(block);
    return block;
  }

  /** Views of the bytes from `from` up to `to`, none longer than a block. */
  *pieces(from = 0, to = this.#length): Generator<Uint8Array> {
    for (let at = from; at < to; ) {
      const offset = at % BLOCK_BYTES;
      const block = this.#blocks[Math.floor(at / BLOCK_BYTES)];
      if (block === undefined) return;
      const piece = block.subarray(offset, Math.min(block.length, offset + to - at));
      yield piece;
      at += piece.length;
    }
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
