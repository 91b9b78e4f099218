/** Smaller chunks are copied into blocks: each Buffer costs some 200 bytes besides its content. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 16 * 1024;

/** The chunks of a body, in memory close to the body's size however small the chunks are. */
export class BodyChunks {
  readonly #chunks: Uint8Array[] = [];
  #block = new Uint8Array(0);
  /** Bytes used of the block. */
  #used = 0;
  length = 0;

  /** Number of buffers held. */
  get buffers(): number {
    return this.#chunks.length + (this.#used > 0 ? 1 : 0);
  }

  push(chunk: Uint8Array): void {
    this.length += chunk.length;
    if (chunk.length >= SMALL_BYTES) {
      this.#closeBlock();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#used + chunk.length > this.#block.length) {
      this.#closeBlock();
      this.#block = new Uint8Array(BLOCK_BYTES);
    }
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
  }

  /** The whole body; a body of one large chunk is not copied. */
  concat(): Uint8Array {
    this.#closeBlock();
    const [first] = this.#chunks;
    return this.#chunks.length === 1 && first !== undefined
      ? first
      : Buffer.concat(this.#chunks, this.length);
  }

  #closeBlock(): void {
    if (this.#used > 0) this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = new Uint8Array(0);
    this.#used = 0;
  }
}
