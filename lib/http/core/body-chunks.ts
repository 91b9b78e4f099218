/** Smaller chunks are copied into blocks: each Buffer costs some 200 bytes besides its content. */
const SMALL_BYTES = 4 * 1024;
const BLOCK_BYTES = 16 * 1024;

/** The chunks of a body, in memory close to the body's size however small the chunks are. */
export class BodyChunks {
  readonly #chunks: Uint8Array[] = [];
  /** Most small bodies are a single chunk, so the first chunk is copied only when another one follows. */
  #first: Uint8Array | null = null;
  #block = new Uint8Array(0);
  /** Bytes used of the block. */
  #used = 0;
  length = 0;

  /** Number of buffers held. */
  get buffers(): number {
    return this.#chunks.length + (this.#used > 0 || this.#first !== null ? 1 : 0);
  }

  push(chunk: Uint8Array): void {
    const isFirst = this.length === 0;
    this.length += chunk.length;
    if (isFirst) {
      this.#first = chunk;
      return;
    }
    if (this.#first !== null) this.#add(this.#first);
    this.#first = null;
    this.#add(chunk);
  }

  #add(chunk: Uint8Array): void {
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

  /** The whole body; a body of one chunk is not copied. */
  concat(): Uint8Array {
    if (this.#first !== null) return this.#first;
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
