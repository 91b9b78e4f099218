import type { Dispatcher } from "undici";
import type { AppError } from "../../errors";
import { MovingDeadline } from "../../ports/moving-deadline";
import { stopReason } from "../../ports/stop-signal";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { BoundedBody, type ByteSource, collect } from "./body";
import { connectionError, invalidAnswer, stalled, tooSlow } from "./failure";
import { hasError } from "./refusal";
import { attemptLimits, type UpstreamClientSettings, type UpstreamRequest } from "./request";
import {
  type ConnectionPool,
  errorReplyMs,
  headerReader,
  isSuccess,
  MAX_ERROR_REPLY_BYTES,
  type Prepared,
  readErrorReply,
} from "./send";

const NOTHING = new Uint8Array(0);

/**
 * The pieces of a reply, joined as they arrive: joining 66 MB at once would delay every other call by some 40 ms. A
 * reply in one piece is not copied.
 */
class JoinedPieces {
  /** The first `length` bytes are used. */
  #joined: Uint8Array = NOTHING;
  length = 0;

  /** `expected`: the probable length of the whole reply, or 0. */
  push(piece: Uint8Array, expected: number): void {
    const length = this.length + piece.length;
    if (this.length === 0) this.#joined = piece;
    else {
      if (length > this.#joined.length) this.#moveTo(expected >= length ? expected : 2 * length);
      this.#joined.set(piece, this.length);
    }
    this.length = length;
  }

  get bytes(): Uint8Array {
    return this.length === this.#joined.length ? this.#joined : this.#joined.subarray(0, this.length);
  }

  /** Pages of the new block that are never written take no memory. */
  #moveTo(capacity: number): void {
    const joined = Buffer.allocUnsafe(capacity);
    joined.set(this.bytes);
    this.#joined = joined;
  }
}

/**
 * Reads one reply into memory with undici's own callbacks. A small reply arrives in one or two pieces; the streams,
 * generators and timers of `send`, which has the same limits and errors, cost more than the rest of such a call.
 */
class WholeReply implements Dispatcher.DispatchHandler {
  /** As sent: still in the content encoding, if there is one. */
  readonly bytes: Promise<Uint8Array>;
  status = 0;
  /** True when the caller aborted the call before its reply was complete. */
  isStopped = false;
  headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #request: UpstreamRequest;
  readonly #settings: UpstreamClientSettings;
  readonly #progress: UpstreamProgress;
  readonly #onHead: () => void;
  readonly #pieces = new JoinedPieces();
  #expectedLength = 0;
  #controller: Dispatcher.DispatchController | null = null;
  #resolve: (bytes: Uint8Array) => void = () => undefined;
  #reject: (error: AppError) => void = () => undefined;
  /** Set when the reply is complete or has failed. */
  #isOver = false;
  #failure: AppError | null = null;
  readonly #deadline: MovingDeadline;
  /** Deadlines of the head and of the whole reply, in monotonic milliseconds. */
  readonly #firstBy: number;
  readonly #totalBy: number;
  readonly #idleMs: number;

  /** `onHead` is called when the request no longer waits for a connection or a reply, and again when its body fails. */
  constructor(settings: UpstreamClientSettings, request: UpstreamRequest, onHead: () => void) {
    this.#settings = settings;
    this.#request = request;
    this.#onHead = onHead;
    this.bytes = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { channel, options } = request;
    const now = settings.clock.monotonic();
    this.#progress = options.progress ?? new UpstreamProgress();
    const { totalMs, idleMs } = attemptLimits(settings, channel);
    this.#idleMs = idleMs;
    // This call always waits for its upstream, so its whole duration counts.
    this.#totalBy = now + totalMs - this.#progress.waitedMs(now);
    this.#progress.wait(now);
    this.#firstBy = Math.min(options.firstByteBy, this.#totalBy);
    this.#deadline = new MovingDeadline(settings.clock, this.#onLate);
    this.#deadline.set(this.#firstBy, now);
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== null) controller.abort(this.#failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    this.#onHead();
    this.#progress.hasHead = true;
    this.status = status;
    this.headers = headers;
    if (!this.#isSuccess) this.#expectWithin(errorReplyMs(this.#firstBy - this.#settings.clock.monotonic()));
    else if (this.#settings.clock.monotonic() >= this.#firstBy) this.#fail(tooSlow());
    else this.#expectedLength = Math.min(Number(headers["content-length"] ?? 0), this.#request.maxBytes);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver) return;
    const maxBytes = this.#isSuccess ? this.#request.maxBytes : MAX_ERROR_REPLY_BYTES;
    if (this.#pieces.length + chunk.length > maxBytes) {
      this.#fail(invalidAnswer("with more data than is accepted"));
      return;
    }
    this.#pieces.push(chunk, this.#expectedLength);
    if (this.#isSuccess) this.#expectWithin(this.#idleMs);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#end();
    this.#resolve(this.#pieces.bytes);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#onHead();
    if (!this.#isOver) this.#fail(connectionError(error, this.status === 0 ? "headers" : "body"));
  }

  get #isSuccess(): boolean {
    return isSuccess(this.status, this.#request);
  }

  readonly #onAbort = (): void => {
    this.isStopped = true;
    this.#fail(stopReason(this.#request.options.signal));
  };

  /** Ends the call with this error and closes its connection. */
  #fail(error: AppError): void {
    this.#end();
    this.#failure = error;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  #end(): void {
    this.#isOver = true;
    this.#deadline.end();
    this.#progress.resume(this.#settings.clock.monotonic());
    this.#request.options.signal.removeEventListener("abort", this.#onAbort);
  }

  /** Moves the deadline to so many milliseconds from now, at most to the end of the attempt. */
  #expectWithin(ms: number): void {
    const now = this.#settings.clock.monotonic();
    this.#deadline.set(Math.min(now + ms, this.#totalBy), now);
  }

  readonly #onLate = (): void => this.#fail(this.#pieces.length === 0 ? tooSlow() : stalled());
}

/** True for an error that was sent with status 200. Only a body that contains the word "error" is parsed. */
function isErrorBody(bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return body.length <= MAX_ERROR_REPLY_BYTES && body.includes('"error"') && hasError(body.toString("utf8"));
}

/** Sends one request and returns its whole reply, decoded. Throws like `send` and its body. */
export async function sendWhole(
  settings: UpstreamClientSettings,
  { pool, waiting, isReused }: ConnectionPool,
  { url, path, headers }: Prepared,
  request: UpstreamRequest,
): Promise<Uint8Array> {
  const { options, method } = request;
  if (options.signal.aborted) throw stopReason(options.signal);
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  let isWaiting = true;
  const reply = new WholeReply(settings, request, () => {
    if (isWaiting) waiting.count -= 1;
    isWaiting = false;
  });
  waiting.count += 1;
  pool.dispatch({ method, path, headers, body, reset: !isReused }, reply);
  const bytes = await reply.bytes.catch((error: unknown) => {
    // An error reply whose body is cut, slow or endless is still an error reply: its status was complete.
    if (reply.status === 0 || isSuccess(reply.status, request) || reply.isStopped) throw error;
    return NOTHING;
  });
  const header = headerReader(reply.headers);
  if (isSuccess(reply.status, request)) {
    const content = await decodeWhole(settings, request, header, bytes);
    if (!isErrorBody(content)) return content;
    throw readErrorReply(settings, request, url, reply.status, header, content);
  }
  const readable = await decodeWhole(settings, request, header, bytes).catch(() => NOTHING);
  throw readErrorReply(settings, request, url, reply.status, header, readable);
}

/** Removes a content encoding, which Patchbay never requests, with the decoder that `send` uses. */
async function decodeWhole(
  settings: UpstreamClientSettings,
  { maxBytes, options }: UpstreamRequest,
  header: (name: string) => string | null,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const encoding = (header("content-encoding") ?? "").trim().toLowerCase();
  if (encoding === "" || encoding === "identity" || bytes.length === 0) return bytes;
  const { idleMs } = settings.limits;
  let unread: Uint8Array | null = bytes;
  const source: ByteSource = {
    async read() {
      const all = unread;
      unread = null;
      return all;
    },
    stop: () => undefined,
  };
  return collect(
    new BoundedBody(
      source,
      encoding,
      { maxBytes, firstByteMs: idleMs, idleMs, totalLeftMs: () => idleMs },
      {
        clock: settings.clock,
        progress: new UpstreamProgress(),
        abortReason: () => (options.signal.aborted ? stopReason(options.signal) : null),
        onClose: () => undefined,
      },
    ),
  );
}
