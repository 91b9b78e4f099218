import type { Dispatcher } from "undici";
import type { ByteSource } from "./body";

/** While readers together hold more than this, connections read small pieces. */
const MAX_HELD_BYTES = 64 * 1024;
/**
 * The most bytes of HTTP chunk framing after the last content in one read of the socket: the end of this chunk and the
 * size line of the next.
 */
const MAX_FRAMING_BYTES = 16;

/** Bytes that the readers of one outbound client's replies have not finished with. */
export interface HeldPieces {
  bytes: number;
}

/** True while readers together hold more than the limit: saving memory is then more important than saving time. */
export function areReadersBehind({ bytes }: HeldPieces): boolean {
  return bytes > MAX_HELD_BYTES;
}

export interface ReplyHead {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * One reply as undici's parser reads it, without a Readable in between, which costs promises and event listeners for
 * each HTTP chunk (200 KB of speech arrive in 25). The bytes of one read of the socket reach the reader as one piece;
 * while no reader waits for more, the connection is paused at the first unread byte.
 */
export class ReplyStream implements Dispatcher.DispatchHandler, ByteSource {
  /** Rejects with the error of the connection, or of `stop`. */
  readonly head: Promise<ReplyHead>;
  #resolveHead: (head: ReplyHead) => void = () => undefined;
  #rejectHead: (error: unknown) => void = () => undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #reader: { resolve(piece: Uint8Array | null): void; reject(error: unknown): void } | null = null;
  #isHandOverPlanned = false;
  /** Set once the reply is over. */
  #end: { error: Error | null } | null = null;
  readonly #held: HeldPieces;
  /** Bytes of the piece that the reader has. */
  #taken = 0;

  constructor(held: HeldPieces) {
    this.#held = held;
    this.head = new Promise((resolve, reject) => {
      this.#resolveHead = resolve;
      this.#rejectHead = reject;
    });
  }

  read(): Promise<Uint8Array | null> {
    this.#release();
    if (this.#end !== null) {
      // Bytes that arrived before an error are still delivered.
      if (this.#bytes > 0) return Promise.resolve(this.#take());
      return this.#end.error === null ? Promise.resolve(null) : Promise.reject(this.#end.error);
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      if (this.#bytes > 0) this.#planHandOver();
      this.#controller?.resume();
    });
  }

  stop(error: Error): void {
    this.#release();
    this.#held.bytes -= this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    if (this.#end !== null) return;
    const controller = this.#controller;
    this.#rejectHead(error);
    this.#finish(error);
    controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#end?.error) controller.abort(this.#end.error);
    else this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: ReplyHead["headers"],
  ): void {
    // The raw headers are slices of the socket's first read, which they would keep in memory for as long as the reply
    // lasts.
    controller.rawHeaders = null;
    // Informational responses (1xx) come before the final one.
    if (status >= 200) this.#resolveHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#end !== null) return;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    this.#held.bytes += bytes.length;
    if (this.#reader === null) controller.pause();
    else if (isLastOfRead(bytes)) this.#handOver();
    else this.#planHandOver();
  }

  onResponseEnd(): void {
    if (this.#end === null) this.#finish(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#end !== null) return;
    this.#rejectHead(error);
    this.#finish(error);
  }

  #finish(error: Error | null): void {
    this.#end = { error };
    this.#controller = null;
    if (this.#bytes > 0) this.#handOver();
    else if (error === null) this.#reader?.resolve(null);
    else this.#reader?.reject(error);
    this.#reader = null;
  }

  /** Hands the bytes over once the rest of this read of the socket has been parsed too. */
  #planHandOver(): void {
    if (this.#isHandOverPlanned) return;
    this.#isHandOverPlanned = true;
    process.nextTick(() => {
      this.#isHandOverPlanned = false;
      if (this.#bytes > 0) this.#handOver();
    });
  }

  #handOver(): void {
    if (this.#reader === null) return;
    const { resolve } = this.#reader;
    this.#reader = null;
    resolve(this.#take());
  }

  #take(): Uint8Array {
    const taken = join(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#taken = this.#bytes;
    this.#bytes = 0;
    return taken;
  }

  #release(): void {
    this.#held.bytes -= this.#taken;
    this.#taken = 0;
  }
}

/**
 * Joins pieces of `bytes` bytes in all. The pieces of one read are moved together within the buffer of that read, over
 * the chunk framing between them: a new buffer for each read costs a tenth of the CPU time of a speech request, and a
 * fifth with 512 at once (lib/DECISIONS.md). They are copied to a new buffer instead if they are from several buffers,
 * if they would leave most of their buffer unused, or if the buffer has the size of Node's pool, since it may then hold
 * other data.
 */
function join(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = pieces;
  if (first === undefined || pieces.length === 1) return first ?? new Uint8Array(0);
  const { buffer, byteOffset } = first;
  const isPooled = buffer.byteLength === Buffer.poolSize;
  if (isPooled || buffer.byteLength > 2 * bytes || pieces.some((piece) => piece.buffer !== buffer))
    return Buffer.concat(pieces, bytes);
  const joined = Buffer.from(buffer, byteOffset);
  let end = 0;
  for (const piece of pieces) {
    const start = piece.byteOffset - byteOffset;
    joined.copyWithin(end, start, start + piece.byteLength);
    end += piece.byteLength;
  }
  return joined.subarray(0, end);
}

/**
 * True when only HTTP chunk framing can follow in the buffer of this read. Usually false for a small read, whose buffer
 * is shared.
 */
function isLastOfRead({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return buffer.byteLength - byteOffset - byteLength <= MAX_FRAMING_BYTES;
}
