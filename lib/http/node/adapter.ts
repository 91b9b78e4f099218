import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Limits } from "../../contracts/limits";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { CheckedHead } from "../core/edge-guard";
import { type Handler, type Inbound, type Outbound, type Peer, STALLED_MS } from "../core/exchange";
import { surfaceOf } from "../core/match";
import { createBodyReader, hasUnreadBody } from "./body";

/** How long a refused upload may go on before its socket is closed; closing at once would cost the caller our reply. */
const LINGER_MS = 1_000;
/** How long the last bytes of a broken stream may take to leave before the socket is destroyed. */
const FLUSH_MS = 1_000;

export interface NodeAdapter {
  /** Answers one request from the handler. Never rejects. */
  open(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    peer: Peer,
    id: string,
  ): Promise<void>;
  /** Requests not answered whole yet. */
  readonly inFlight: number;
  /** Tells every request in flight to stop; `reason` is its signal's reason. */
  abortAll(reason: AppError): void;
}

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

/** Writes; resolves when the system has taken it, or the socket is gone, as it is after `mostMs` (null: never). */
function sent(response: ServerResponse, chunk: Uint8Array, mostMs: number | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = mostMs === null ? undefined : setTimeout(() => response.destroy(), mostMs);
    const done = (): void => {
      clearTimeout(timer);
      response.off("close", done);
      resolve();
    };
    response.on("close", done);
    response.write(chunk, done);
  });
}

/**
 * Writes chunks as the caller reads them: of one who stalls, one chunk waits on the socket, not Node's 16 KB, and the
 * next is not asked for. So a body that settles its call before its end does so when everything else has been sent.
 * Leaving the loop early calls the iterable's `return()`.
 */
async function pump(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  stalledMs: number | null,
): Promise<void> {
  response.flushHeaders();
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    await sent(response, chunk, stalledMs);
    if (response.destroyed) return;
  }
  response.end();
}

/**
 * Sends a reply; one that leaves a body unread closes, and is given time to arrive before that. A caller who reads
 * nothing of a long one for `stalledMs` (null: however long) is let go.
 */
export async function sendReply(
  message: IncomingMessage,
  response: ServerResponse,
  reply: Outbound,
  isLast: boolean,
  stalledMs: number | null = null,
): Promise<void> {
  const isUnread = hasUnreadBody(message);
  if (isUnread || isLast) reply.headers.connection = "close";
  response.writeHead(reply.status, reply.headers);
  const { body } = reply;
  if (body !== null && !(body instanceof Uint8Array)) return pump(response, body, stalledMs);
  if (!isUnread) {
    if (body === null) response.end();
    else response.end(body);
    return;
  }
  if (body === null) response.flushHeaders();
  else response.write(body);
  await lingerUntilRead(message);
  response.end();
}

/** Opens `handler` to Node's http server. */
export function createNodeAdapter(
  handler: Handler,
  clock: Clock,
  limits: Limits,
  isDraining: () => boolean,
  onBroken: (error: unknown, requestId: string) => void,
  stalledMs: number = STALLED_MS,
): NodeAdapter {
  const active = new Set<AbortController>();

  function inbound(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    peer: Peer,
    requestId: string,
    signal: AbortSignal,
  ): Inbound {
    const uploadMs = head.path.startsWith("/api") ? limits.consoleUploadMs : limits.gatewayUploadMs;
    return {
      method: message.method ?? "GET",
      path: head.path,
      query: head.query,
      headers: head.headers,
      peer,
      requestId,
      receivedAt: clock.monotonic(),
      signal,
      readBody: createBodyReader(message, response, head.headers, uploadMs),
    };
  }

  async function open(
    message: IncomingMessage,
    response: ServerResponse,
    head: CheckedHead,
    peer: Peer,
    requestId: string,
  ): Promise<void> {
    const controller = new AbortController();
    active.add(controller);
    response.on("close", () => {
      active.delete(controller);
      if (!response.writableFinished)
        controller.abort(new AppError("caller_left", "The caller left before the reply was whole."));
    });
    try {
      const reply = await handler(inbound(message, response, head, peer, requestId, controller.signal));
      if (response.destroyed) {
        if (reply.body !== null && !(reply.body instanceof Uint8Array))
          await reply.body[Symbol.asyncIterator]().return?.();
        return;
      }
      const isConsole = surfaceOf(head.path) === "console";
      await sendReply(message, response, reply, isDraining(), isConsole ? stalledMs : limits.readerIdleMs);
    } catch (error) {
      // The head is out, so the only truth left to tell is a connection that breaks.
      if (!controller.signal.aborted) onBroken(error, requestId);
      await flush(response);
      response.destroy();
    }
  }

  return {
    open,
    get inFlight() {
      return active.size;
    },
    abortAll(reason) {
      for (const controller of active) controller.abort(reason);
    },
  };
}
