import type { Pool } from "undici";
import type { AppError } from "../../errors";
import { MovingDeadline } from "../../ports/moving-deadline";
import { stopReason } from "../../ports/stop-signal";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { type BodyLimits, BoundedBody, collect } from "./body";
import { connectionError, tooSlow } from "./failure";
import { errorOfReply } from "./refusal";
import { type HeldPieces, ReplyStream } from "./reply-stream";
import {
  type AttemptLimits,
  attemptLimits,
  type UpstreamClientSettings,
  type UpstreamReply,
  type UpstreamRequest,
} from "./request";

/** Limits of an error reply. */
export const MAX_ERROR_REPLY_BYTES = 64 * 1024;
const MAX_ERROR_REPLY_MS = 2_000;

/**
 * Milliseconds to wait for the body of an error reply whose head has arrived. Less than `leftMs`, the time left for the
 * first byte: after that timeout the reply's status would be lost.
 */
export function errorReplyMs(leftMs: number): number {
  return Math.min(MAX_ERROR_REPLY_MS, leftMs / 2);
}

/** True for a 2xx status, except 204 and 205, which have no content (RFC 9110 §15.3), unless none is needed. */
export function isSuccess(status: number, { mayBeEmpty }: UpstreamRequest): boolean {
  return status >= 200 && status < 300 && ((status !== 204 && status !== 205) || mayBeEmpty === true);
}

/** The connections of a channel, with the number of its requests that have no reply yet. */
export interface ConnectionPool {
  pool: Pool;
  waiting: { count: number };
  /** False: each connection is closed after one reply. */
  isReused: boolean;
  /** Bytes held by the readers of all pools. */
  held: HeldPieces;
}

/** The URL of a request and its complete head. */
export interface Prepared {
  url: URL;
  /** Path and query of the request line. */
  path: string;
  headers: Record<string, string>;
}

/** The time limits of one request until its reply is read, and the first reason to stop it. */
class Attempt {
  readonly #settings: UpstreamClientSettings;
  readonly #request: UpstreamRequest;
  readonly #reply: ReplyStream;
  readonly #progress: UpstreamProgress;
  readonly #limits: AttemptLimits;
  readonly #deadline: MovingDeadline;
  /** Why the caller's signal was aborted. */
  #stopped: AppError | null = null;
  /** The error of a head that did not arrive in time. */
  #late: AppError | null = null;

  constructor(settings: UpstreamClientSettings, request: UpstreamRequest, reply: ReplyStream) {
    const { channel, options } = request;
    this.#settings = settings;
    this.#request = request;
    this.#reply = reply;
    this.#progress = options.progress ?? new UpstreamProgress();
    this.#limits = attemptLimits(settings, channel);
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#deadline = new MovingDeadline(settings.clock, () => {
      this.#late = tooSlow();
      reply.stop(this.#late);
    });
    const now = this.#now();
    this.#deadline.set(now + this.#leftMs(), now);
  }

  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  /** Begins to wait for the head. */
  wait(): void {
    this.#progress.wait(this.#now());
  }

  /** Ends the wait for the head. */
  resume(): void {
    this.#progress.resume(this.#now());
  }

  /** The body of the reply whose head has arrived; that of an error reply has stricter limits. */
  body(isSuccessReply: boolean, encoding: string): BoundedBody {
    this.#progress.hasHead = true;
    this.#deadline.end();
    const limits = isSuccessReply ? this.#bodyLimits() : this.#errorReplyLimits();
    return new BoundedBody(this.#reply, encoding, limits, {
      clock: this.#settings.clock,
      progress: this.#progress,
      abortReason: () => this.#stopped,
      onClose: this.#removeAbortListener,
    });
  }

  /** Ends the attempt; returns the error to throw for `error`. */
  fail(error: unknown): AppError {
    this.#deadline.end();
    this.#removeAbortListener();
    return this.#stopped ?? this.#late ?? connectionError(error, "headers");
  }

  readonly #onAbort = (): void => {
    this.#stopped = stopReason(this.#request.options.signal);
    this.#reply.stop(this.#stopped);
  };

  readonly #removeAbortListener = (): void =>
    this.#request.options.signal.removeEventListener("abort", this.#onAbort);

  #now(): number {
    return this.#settings.clock.monotonic();
  }

  #totalLeftMs(): number {
    return this.#limits.totalMs - this.#progress.waitedMs(this.#now());
  }

  /** Milliseconds left for the first byte. */
  #leftMs(): number {
    return Math.min(this.#request.options.firstByteBy - this.#now(), this.#totalLeftMs());
  }

  #bodyLimits(): BodyLimits {
    return {
      maxBytes: this.#request.maxBytes,
      firstByteMs: this.#leftMs(),
      idleMs: this.#limits.idleMs,
      totalLeftMs: () => this.#totalLeftMs(),
    };
  }

  #errorReplyLimits(): BodyLimits {
    const ms = errorReplyMs(this.#leftMs());
    const endsBy = this.#now() + ms;
    return {
      maxBytes: MAX_ERROR_REPLY_BYTES,
      firstByteMs: ms,
      idleMs: ms,
      totalLeftMs: () => endsBy - this.#now(),
    };
  }
}

/**
 * Sends one request and waits for the head of its reply. The channel's `total_ms` covers the whole attempt, including
 * the wait for the first byte, but not the reader's time.
 */
export async function send(
  settings: UpstreamClientSettings,
  { pool, waiting, isReused, held }: ConnectionPool,
  { url, path, headers }: Prepared,
  request: UpstreamRequest,
): Promise<UpstreamReply> {
  const { method } = request;
  const sent = request.body === undefined ? null : JSON.stringify(request.body);
  const reply = new ReplyStream(held);
  const attempt = new Attempt(settings, request, reply);
  try {
    waiting.count += 1;
    attempt.wait();
    if (!attempt.isStopped) pool.dispatch({ method, path, headers, body: sent, reset: !isReused }, reply);
    const head = await reply.head.finally(() => {
      waiting.count -= 1;
      attempt.resume();
    });
    const header = headerReader(head.headers);
    const contentType = (header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    const isError = request.isAudio === true && contentType === "application/json";
    const isSuccessReply = isSuccess(head.status, request) && !isError;
    const encoding =
      isSuccessReply && request.isFile ? "" : (header("content-encoding") ?? "").trim().toLowerCase();
    const body = attempt.body(isSuccessReply, encoding);
    if (!isSuccessReply) {
      // An error reply whose body is cut, slow or endless is still an error reply: its status was complete.
      const location = header("location");
      if (head.status < 400 && location !== null) request.onRedirect?.(location);
      const bytes = await collect(body).catch(() => new Uint8Array());
      throw readErrorReply(settings, request, url, head.status, header, bytes);
    }
    return {
      header,
      contentType,
      // If chunked is not the last transfer coding, the close of the connection ends the body (RFC 9112 §6.3).
      isDelimited:
        header("content-length") !== null || /\bchunked\s*$/i.test(header("transfer-encoding") ?? ""),
      body,
    };
  } catch (error) {
    throw attempt.fail(error);
  }
}

/** Values of a channel's own headers that may be secrets: those of at least 8 characters. */
function secretHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).filter((value) => value.length >= 8);
}

/**
 * Values to remove from messages about a reply: the request's key, the values of the channel's headers, the host.
 */
export function secretsOf(
  { key, channel }: Pick<UpstreamRequest, "key" | "channel">,
  { host, hostname }: URL,
): string[] {
  return [...(key === null ? [] : [key]), ...secretHeaders(channel.headers), host, hostname];
}

/** Reads headers by their lower-case names; of a repeated header the first value. */
export function headerReader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): (name: string) => string | null {
  return (name) => {
    const value = headers[name];
    return value === undefined ? null : Array.isArray(value) ? (value[0] ?? null) : value;
  };
}

/** The error for an error reply, with any status (an error may be sent with 200); `body`: as much of it as arrived. */
export function readErrorReply(
  { clock }: UpstreamClientSettings,
  request: UpstreamRequest,
  url: URL,
  status: number,
  header: (name: string) => string | null,
  body: Uint8Array,
): AppError {
  const { readRefusal, options } = request;
  if (options.signal.aborted) return stopReason(options.signal);
  return errorOfReply({
    status,
    header,
    text: Buffer.from(body).toString("utf8"),
    nowMs: clock.now(),
    secrets: secretsOf(request, url),
    read: readRefusal,
  });
}
