import { AppError, isAppError } from "../../errors";

/**
 * Bytes of a streamed body after which the upload timeout starts again, so that a large body may take longer than one
 * timeout.
 */
const STREAMED_WINDOW_BYTES = 8 * 1024 * 1024;

export function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The body is larger than ${maxBytes} bytes.`);
}

export function tooSlow(timeoutMs: number): AppError {
  return new AppError("request_timeout", `The body did not arrive within ${timeoutMs / 1_000} s.`);
}

/** The next chunk of `source`; rejects after `timeoutMs`. */
async function nextWithin(source: AsyncIterator<Uint8Array>, timeoutMs: number, limitMs: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow(limitMs)), Math.max(0, timeoutMs));
  });
  try {
    return await Promise.race([source.next(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The chunks of a body as they arrive from an adapter's `source`, counted and timed. Throws `too_large`,
 * `request_timeout`, and `caller_left` for any failure of the source.
 */
export async function* streamBody(
  source: AsyncIterator<Uint8Array>,
  maxBytes: number,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  let windowBytes = 0;
  // Only waiting for the caller counts, not the time the reader needs for a chunk.
  let leftMs = timeoutMs;
  try {
    for (;;) {
      const asked = performance.now();
      const { done, value } = await nextWithin(source, leftMs, timeoutMs);
      if (done) return;
      leftMs -= performance.now() - asked;
      total += value.byteLength;
      windowBytes += value.byteLength;
      if (total > maxBytes) throw tooLarge(maxBytes);
      if (windowBytes >= STREAMED_WINDOW_BYTES) {
        windowBytes = 0;
        leftMs = timeoutMs;
      }
      yield value;
    }
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError(
      "caller_left",
      "The client disconnected before the request body was complete.",
      {},
      error,
    );
  } finally {
    // Not awaited: a source that waits for the caller would never answer.
    source.return?.()?.catch(() => undefined);
  }
}

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

  /** Number of buffers held; only tests read it, to see the overhead. */
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
