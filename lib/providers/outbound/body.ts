import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type AppError, systemCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import { MovingDeadline } from "../../ports/moving-deadline";
import type { UpstreamProgress } from "../../ports/upstream-progress";
import { connectionError, invalidAnswer, stalled, tooSlow, truncated, UpstreamFailure } from "./failure";

export interface BodyLimits {
  /** Limit of decoded bytes; beyond it the connection is closed. */
  maxBytes: number;
  /** Milliseconds left for the first byte. */
  firstByteMs: number;
  /** Milliseconds to wait for each piece after the first byte. */
  idleMs: number;
  /** Milliseconds of waiting for the upstream that the attempt has left. */
  totalLeftMs(): number;
}

export interface BodyHooks {
  clock: Pick<Clock, "monotonic">;
  /** Records when this body waits for the upstream; the time between the waits counts as the reader's. */
  progress: UpstreamProgress;
  abortReason(): AppError | null;
  onClose(): void;
}

/** The bytes of a reply as they arrive. */
export interface ByteSource {
  /** The next bytes; null at the end. Calls must not overlap. */
  read(): Promise<Uint8Array | null>;
  /** Closes the connection unless the reply is complete; a waiting `read` rejects with `error`. May be repeated. */
  stop(error: Error): void;
}

export interface UpstreamBody extends AsyncIterable<Uint8Array> {
  /** Closes the connection unless the body was read to its end. May be repeated. */
  close(): void;
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** The decoded bytes of a reply. */
function decodeSource(source: ByteSource, encoding: string): ByteSource {
  if (encoding === "" || encoding === "identity") return source;
  const make = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (make === undefined) throw invalidAnswer("in a content encoding that was not requested");
  const decoder = make();
  // A failure of either end destroys the other, and is thrown by the iterator.
  pipeline(Readable.from(piecesOf(source)), decoder, () => {});
  const readable: Readable = decoder;
  const pieces: AsyncIterator<Uint8Array> = readable[Symbol.asyncIterator]();
  return {
    async read() {
      const next = await pieces.next();
      return next.done ? null : next.value;
    },
    stop(error) {
      source.stop(error);
      readable.destroy(error);
    },
  };
}

async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let piece = await source.read(); piece !== null; piece = await source.read()) yield piece;
}

/**
 * The bytes of a reply, decoded, counted and within the time limits. The clocks of `idleMs` and of the attempt's total
 * run while we wait for the upstream, never while our reader is busy. Throws `upstream_timeout`, `upstream_truncated`,
 * `upstream_invalid` (too large, or invalid compression), or the reason of an aborted call.
 *
 * Not a generator, which would keep its last piece in memory while the reader stalls.
 */
export class BoundedBody implements UpstreamBody, AsyncIterator<Uint8Array> {
  readonly #deadline: MovingDeadline;
  #source: ByteSource | null = null;
  #bytes = 0;
  #isOver = false;
  #isWhole = false;
  #failure: AppError | null = null;

  constructor(
    private readonly reply: ByteSource,
    private readonly encoding: string,
    private readonly limits: BodyLimits,
    private readonly hooks: BodyHooks,
  ) {
    this.#deadline = new MovingDeadline(hooks.clock, () => {
      this.#failure = this.#bytes === 0 ? tooSlow() : stalled();
      (this.#source ?? this.reply).stop(this.#failure);
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#isOver) {
      if (this.#isWhole) return { done: true, value: undefined };
      throw this.#failure ?? this.hooks.abortReason() ?? truncated();
    }
    try {
      this.#source ??= decodeSource(this.reply, this.encoding);
      const piece = await this.#read(this.#source);
      if (piece !== null) {
        this.#bytes += piece.byteLength;
        if (this.#bytes > this.limits.maxBytes) throw invalidAnswer("with more data than is accepted");
        return { done: false, value: piece };
      }
      this.#isWhole = true;
      this.close();
      return { done: true, value: undefined };
    } catch (error) {
      this.close();
      throw this.#failure ?? this.hooks.abortReason() ?? bodyError(error);
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.close();
    return { done: true, value: undefined };
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline.end();
    this.hooks.onClose();
    if (!this.#isWhole) (this.#source ?? this.reply).stop(truncated());
  }

  async #read(from: ByteSource): Promise<Uint8Array | null> {
    const { clock, progress } = this.hooks;
    const limits = this.limits;
    const now = clock.monotonic();
    const waitMs = this.#bytes === 0 ? limits.firstByteMs : limits.idleMs;
    this.#deadline.set(now + Math.min(waitMs, limits.totalLeftMs()), now);
    progress.wait(now);
    try {
      return await from.read();
    } finally {
      this.#deadline.pause();
      progress.resume(clock.monotonic());
    }
  }
}

function bodyError(error: unknown): AppError {
  const code = systemCode(error);
  // zlib's own error codes, except Z_BUF_ERROR: a compressed body that ends early counts as truncated.
  if (/^(?:Z_(?!BUF_ERROR)|ERR__?BROTLI)/.test(code)) {
    return invalidAnswer(
      "with data that cannot be decompressed",
      new UpstreamFailure("protocol_error", code),
    );
  }
  return connectionError(error, "body");
}

/** The whole body as one array. */
export async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}
