import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { AppError } from "../../errors";
import { connectionError, invalidAnswer, stalled, tooSlow, UpstreamFailure } from "./failure";

export interface BodyLimits {
  /** Limit of decoded bytes; beyond it the connection is closed. */
  maxBytes: number;
  /** Milliseconds left for the first byte. */
  firstByteMs: number;
  /** Limit between bytes, while we wait for them. */
  idleMs: number;
  /** Milliseconds of waiting for the upstream that the attempt has left. */
  totalLeftMs(): number;
}

export interface BodyHooks {
  abortReason(): AppError | null;
  /** A wait for the upstream begins. */
  wait(): void;
  /** The wait is over; until the next one the time counts as the reader's. */
  resume(): void;
  over(): void;
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

function decoded(body: Readable, encoding: string): Readable {
  if (encoding === "" || encoding === "identity") return body;
  const make = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (make === undefined) throw invalidAnswer("in a content encoding that was not requested");
  const decoder = make();
  // A failure of either end destroys the other, and is thrown by the iterator.
  pipeline(body, decoder, () => {});
  return decoder;
}

/**
 * The bytes of a reply, decoded, counted and within the time limits. The clocks of `idleMs` and of the attempt's total
 * run while we wait for the upstream, never while our reader is busy. Throws `upstream_timeout`, `upstream_truncated`,
 * `upstream_invalid` (too large, or invalid compression), or the reason of an aborted call.
 */
export function readBody(
  body: Readable,
  encoding: string,
  limits: BodyLimits,
  hooks: BodyHooks,
): UpstreamBody {
  let isOver = false;
  // A body that is destroyed before it is read must not end the process.
  body.on("error", () => {});
  const close = (): void => {
    if (!isOver) hooks.over();
    isOver = true;
    body.destroy();
  };

  async function* read(): AsyncGenerator<Uint8Array> {
    let failure: AppError | null = null;
    let bytes = 0;
    try {
      const source: AsyncIterator<Uint8Array> = decoded(body, encoding)[Symbol.asyncIterator]();
      for (;;) {
        const allowedMs = bytes === 0 ? limits.firstByteMs : limits.idleMs;
        const timer = setTimeout(
          () => {
            failure = bytes === 0 ? tooSlow() : stalled();
            body.destroy(failure);
          },
          Math.max(0, Math.min(allowedMs, limits.totalLeftMs())),
        );
        hooks.wait();
        const next = await source.next().finally(() => {
          clearTimeout(timer);
          hooks.resume();
        });
        if (next.done) return;
        bytes += next.value.byteLength;
        if (bytes > limits.maxBytes) throw invalidAnswer("more than it may");
        yield next.value;
      }
    } catch (error) {
      throw failure ?? hooks.abortReason() ?? bodyError(error);
    } finally {
      close();
    }
  }

  return { [Symbol.asyncIterator]: read, close };
}

function bodyError(error: unknown): AppError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // zlib's own error codes; a compressed body that merely stops was cut like any other.
  if (/^(?:Z_(?!BUF_ERROR)|ERR__?BROTLI|ERR_BROTLI)/.test(code)) {
    return invalidAnswer("with bytes that do not unpack", new UpstreamFailure("protocol_error", code));
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
