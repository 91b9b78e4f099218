import type { Pool } from "undici";
import type { AppError } from "../../errors";
import { stopReason } from "../../ports/stop-signal";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { BoundedBody, collect } from "./body";
import { connectionError, tooSlow } from "./failure";
import { refusalError } from "./refusal";
import { type HeldPieces, ReplyStream } from "./reply-stream";
import type { OutboundRequest, OutboundSettings, UpstreamReply } from "./request";

/** Limits of an error reply. */
export const REFUSAL_BYTES = 64 * 1024;
export const REFUSAL_MS = 2_000;
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The connections of a channel, with the number of its requests that have no reply yet. */
export interface ConnectionPool {
  pool: Pool;
  waiting: { count: number };
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

/**
 * Sends one request and waits for the head of its reply. The channel's `total_ms` covers the whole attempt, including
 * the wait for the first byte, but not the reader's time.
 */
export async function send(
  settings: OutboundSettings,
  { pool, waiting, held }: ConnectionPool,
  { url, path, headers }: Prepared,
  request: OutboundRequest,
): Promise<UpstreamReply> {
  const { channel, options, method, maxBytes } = request;
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  const now = (): number => settings.clock.monotonic();
  const progress = options.progress ?? new UpstreamProgress();
  const totalMs = channel.timeouts.totalMs ?? settings.limits.callMs;
  const totalLeftMs = (): number => totalMs - progress.waitedMs(now());
  const left = () =>
    Math.min(MAX_TIMER_MS, Math.max(0, Math.min(options.firstByteBy - now(), totalLeftMs())));

  const reply = new ReplyStream(held);
  let stopped: AppError | null = null;
  let late: AppError | null = null;
  const onAbort = (): void => {
    stopped = stopReason(options.signal);
    reply.stop(stopped);
  };
  const removeAbortListener = (): void => options.signal.removeEventListener("abort", onAbort);
  if (options.signal.aborted) onAbort();
  else options.signal.addEventListener("abort", onAbort, { once: true });
  const timer = setTimeout(() => {
    late = tooSlow();
    reply.stop(late);
  }, left());

  try {
    waiting.count += 1;
    progress.wait(now());
    if (stopped === null) pool.dispatch({ method, path, headers, body }, reply);
    const head = await reply.head.finally(() => {
      waiting.count -= 1;
      progress.resume(now());
    });
    progress.hasHead = true;
    clearTimeout(timer);
    const header = headerReader(head.headers);
    const isGood = head.status >= 200 && head.status < 300;
    const refusedBy = now() + REFUSAL_MS;
    const guarded = new BoundedBody(
      reply,
      (header("content-encoding") ?? "").trim().toLowerCase(),
      {
        maxBytes: isGood ? maxBytes : REFUSAL_BYTES,
        firstByteMs: isGood ? left() : Math.min(left(), REFUSAL_MS),
        idleMs: isGood ? (channel.timeouts.idleMs ?? settings.limits.idleMs) : REFUSAL_MS,
        totalLeftMs: isGood ? totalLeftMs : () => Math.min(refusedBy - now(), totalLeftMs()),
      },
      {
        clock: settings.clock,
        progress,
        abortReason: () => stopped,
        onClose: removeAbortListener,
      },
    );
    if (!isGood) {
      // An error reply whose body is cut, slow or endless is still an error reply: its status was complete.
      const location = header("location");
      if (head.status < 400 && location !== null) request.onRedirect?.(location);
      const bytes = await collect(guarded).catch(() => new Uint8Array());
      throw refused(settings, request, url, head.status, header, bytes);
    }
    return {
      header,
      contentType: (header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
      isDelimited: header("content-length") !== null || header("transfer-encoding") !== null,
      body: guarded,
    };
  } catch (error) {
    clearTimeout(timer);
    removeAbortListener();
    throw stopped ?? late ?? connectionError(error, "headers");
  }
}

/** Values of a channel's own headers; shorter ones are not secrets. */
function secretHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).filter((value) => value.length >= 8);
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

/** The error for a reply with a status other than 2xx; `body`: as much of it as arrived. */
export function refused(
  { clock }: OutboundSettings,
  { readRefusal, secrets, options, channel }: OutboundRequest,
  url: URL,
  status: number,
  header: (name: string) => string | null,
  body: Uint8Array,
): AppError {
  if (options.signal.aborted) return stopReason(options.signal);
  return refusalError({
    status,
    header,
    text: Buffer.from(body).toString("utf8"),
    nowMs: clock.now(),
    secrets: [...secrets, ...secretHeaders(channel.headers), url.host, url.hostname],
    read: readRefusal,
  });
}
