import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Limits } from "../../contracts/limits";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { StopSource, StopSources } from "../../ports/stop-signal";
import type { CheckedHead } from "../core/edge-guard";
import {
  CONSOLE_READER_IDLE_MS,
  discardBody,
  type Handler,
  type Inbound,
  type Outbound,
  type Peer,
} from "../core/exchange";
import { surfaceOf } from "../core/match";
import { createBodyReaders, hasUnreadBody } from "./body";

/** How long a rejected upload may continue before its socket is closed; closing at once could lose our reply. */
const LINGER_MS = 1_000;
/** How long the last bytes of a failed stream may take to be sent before the socket is destroyed. */
const FLUSH_MS = 1_000;

async function lingerUntilRead(message: IncomingMessage): Promise<void> {
  message.resume();
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([
    once(message, "close", { signal }),
    once(message, "end", { signal }),
    delay(LINGER_MS, undefined, { signal, ref: false }),
  ]).catch(() => undefined);
  timer.abort();
}

async function flush(response: ServerResponse): Promise<void> {
  if (response.writableLength === 0 || response.destroyed) return;
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([
    once(response, "drain", { signal }),
    once(response, "close", { signal }),
    delay(FLUSH_MS, undefined, { signal, ref: false }),
  ]).catch(() => undefined);
  timer.abort();
}

/**
 * Writes a chunk at once. Returns undefined when the operating system has accepted the chunk, else a promise that
 * resolves when it has or when the socket is closed. After `timeoutMs` (null: no limit) the socket is destroyed.
 */
function writeChunk(
  response: ServerResponse,
  chunk: Uint8Array,
  timeoutMs: number | null,
): Promise<void> | undefined {
  let onAccepted = (): void => undefined;
  // Uncorking makes the socket write head, framing and chunk together now instead of at the end of the tick.
  const { socket } = response;
  socket?.cork();
  response.write(chunk, () => onAccepted());
  socket?.uncork();
  if (response.writableLength === 0 && socket?.writable === true) return undefined;
  return new Promise((resolve) => {
    const timer = timeoutMs === null ? undefined : setTimeout(() => response.destroy(), timeoutMs);
    onAccepted = (): void => {
      clearTimeout(timer);
      response.off("close", onAccepted);
      resolve();
    };
    response.on("close", onAccepted);
  });
}

/**
 * Most bytes written in one turn of the event loop: a body in memory must not delay other requests or hide a closed
 * connection.
 */
const MAX_TURN_BYTES = 1024 * 1024;

/**
 * Writes chunks as the caller reads them. While a caller stalls, only one chunk waits on the socket instead of Node's
 * 16 KB, and the next is not pulled. A body that settles its call before its last chunk therefore settles it after all
 * other chunks are sent. The head is sent together with the first chunk if that chunk is available at once. Leaving the
 * loop early calls the iterable's `return()`.
 */
async function pump(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  stalledMs: number | null,
): Promise<void> {
  const flushing = setImmediate(() => response.flushHeaders());
  let bytesInTurn = 0;
  try {
    for await (const chunk of chunks) {
      clearImmediate(flushing);
      if (response.destroyed) return;
      const accepting = writeChunk(response, chunk, stalledMs);
      bytesInTurn += chunk.byteLength;
      if (accepting !== undefined) await accepting;
      else if (bytesInTurn > MAX_TURN_BYTES) {
        bytesInTurn = 0;
        await nextTurn();
      }
      if (response.destroyed) return;
    }
  } finally {
    clearImmediate(flushing);
  }
  response.end();
}

/** A larger whole body is written in pieces, so that a caller who stops reading it is detected. */
const MAX_WHOLE_BYTES = 64 * 1024;
const PIECE_BYTES = 256 * 1024;

function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES);
}

/**
 * Resolves when the system has accepted an ended reply, or the connection is closed, at the latest after `timeoutMs`.
 */
function untilAccepted(response: ServerResponse, timeoutMs: number | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = timeoutMs === null ? undefined : setTimeout(() => response.destroy(), timeoutMs);
    response.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Sends a reply and resolves when the system has accepted it or the connection is closed. If the request body was not
 * read, the connection is closed after the reply had time to arrive; `onSent` is called before this wait. A caller who
 * reads nothing for `stalledMs` (null: no limit) is disconnected.
 */
export async function sendReply(
  message: IncomingMessage,
  response: ServerResponse,
  reply: Outbound,
  isLast: boolean,
  stalledMs: number | null = null,
  onSent: () => void = () => undefined,
): Promise<void> {
  const isUnread = hasUnreadBody(message);
  if (isUnread || isLast) reply.headers.connection = "close";
  try {
    response.writeHead(reply.status, reply.headers);
  } catch (error) {
    await discardBody(reply);
    throw error;
  }
  const { body } = reply;
  if (body !== null && !(body instanceof Uint8Array)) {
    await pump(response, body, stalledMs);
  } else if (isUnread) {
    if (body === null) response.flushHeaders();
    else response.write(body);
    onSent();
    await lingerUntilRead(message);
    response.end();
    return;
  } else if (body === null) response.end();
  else if (body.byteLength <= MAX_WHOLE_BYTES) response.end(body);
  else await pump(response, piecesOf(body), stalledMs);
  if (response.writableLength > 0 && !response.destroyed) await untilAccepted(response, stalledMs);
}

/**
 * Makes a reply that waits behind another reply of its connection (HTTP pipelining) emit `close` with the connection.
 * Node emits it only for the reply that has the socket, and the request would otherwise never end.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return;
  const onClose = (): void => {
    response.destroy();
    response.emit("close");
  };
  // One listener per waiting reply; Node warns of more than ten.
  socket.setMaxListeners(0);
  socket.once("close", onClose);
  response.once("socket", () => socket.off("close", onClose));
}

export interface NodeAdapterSettings {
  handler: Handler;
  clock: Clock;
  limits: Limits;
  isDraining(): boolean;
  /** Called with the error of a reply whose head was sent. `traceId`: undefined for a request without a trace. */
  onBroken(error: unknown, requestId: string, traceId: string | undefined): void;
  /** A caller who reads nothing of a console reply for this long is disconnected. */
  stalledMs?: number;
}

/** Connects a handler to Node's http server. */
export class NodeAdapter {
  readonly #running = new StopSources();

  constructor(private readonly settings: NodeAdapterSettings) {}

  /** Requests whose reply is not complete yet. */
  get inFlight(): number {
    return this.#running.size;
  }

  /** Aborts every request in flight; `reason` is its signal's reason. */
  abortAll(reason: AppError): void {
    this.#running.abortAll(reason);
  }

  /** Answers one request with the handler. Never rejects. */
  async handle(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    peer: Peer,
    requestId: string,
  ): Promise<void> {
    const { handler, limits, isDraining, onBroken, stalledMs = CONSOLE_READER_IDLE_MS } = this.settings;
    const signal = this.#open(response);
    const releases: (() => void)[] = [];
    const onFinished = (release: () => void) => void releases.push(release);
    const releaseAll = (): void => {
      for (const release of releases.splice(0)) release();
    };
    let traceId: string | undefined;
    try {
      const reply = await handler(
        this.#inbound(message, response, head, peer, requestId, signal, onFinished),
      );
      traceId = reply.traceId;
      if (response.destroyed) return await discardBody(reply);
      const isConsole = surfaceOf(head.path) === "console";
      const readerIdleMs = isConsole ? stalledMs : limits.readerIdleMs;
      await sendReply(message, response, reply, isDraining(), readerIdleMs, releaseAll);
    } catch (error) {
      // Once the head is sent, only a broken connection can signal the error.
      if (!signal.aborted) onBroken(error, requestId, traceId);
      await flush(response);
      response.destroy();
    } finally {
      releaseAll();
    }
  }

  /** The signal of a request, aborted when the caller leaves before the reply is whole. */
  #open(response: ServerResponse): StopSource {
    const signal = new StopSource();
    const index = this.#running.add(signal);
    response.on("close", () => {
      this.#running.remove(signal, index);
      if (!response.writableFinished)
        signal.abort(new AppError("caller_left", "The client disconnected before the reply was complete."));
    });
    return signal;
  }

  #inbound(
    message: IncomingMessage,
    response: ServerResponse,
    { path, query, headers }: CheckedHead,
    peer: Peer,
    requestId: string,
    signal: StopSource,
    onFinished: Inbound["onFinished"],
  ): Inbound {
    const { clock, limits } = this.settings;
    const uploadMs = path.startsWith("/api") ? limits.consoleUploadMs : limits.gatewayUploadMs;
    return {
      method: message.method ?? "GET",
      path,
      query,
      headers,
      peer,
      requestId,
      receivedAt: clock.monotonic(),
      signal,
      ...createBodyReaders(message, response, headers, uploadMs),
      onFinished,
    };
  }
}
