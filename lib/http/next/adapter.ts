import type { ConsoleServices } from "../../console/context";
import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError } from "../../errors";
import { requestIdOf } from "../core/edge-guard";
import {
  type BodyCount,
  CONSOLE_READER_IDLE_MS,
  discardBody,
  type Handler,
  type Inbound,
  type Outbound,
} from "../core/exchange";
import { surfaceOf } from "../core/match";
import { PEER_HEADER, peerFrom } from "../core/peer-header";
import { BodyChunks, streamBody, tooLarge, tooSlow } from "../core/request-body";

function splitUrl(url: string): { path: string; query: string } {
  const origin = url.indexOf("/", url.indexOf("://") + 3);
  const [target = "/"] = (origin === -1 ? "/" : url.slice(origin)).split("#", 1);
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Rejects when `signal` aborts or `timeoutMs` have passed, whichever comes first. */
function failAfter(timeoutMs: number, signal: AbortSignal): { failed: Promise<never>; stop(): void } {
  let stop = (): void => undefined;
  const failed = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
    const leave = (): void =>
      reject(new AppError("caller_left", "The client disconnected before the request body was complete."));
    signal.addEventListener("abort", leave, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
    };
  });
  failed.catch(() => undefined);
  return { failed, stop };
}

async function readBody(
  request: Request,
  maxBytes: number,
  timeoutMs: number,
  memory: BodyCount | undefined,
): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array(0);
  if (declared !== null) memory?.check(Number(declared));
  const reader = request.body.getReader();
  const chunks = new BodyChunks();
  const { failed, stop } = failAfter(timeoutMs, request.signal);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), failed]);
      if (done) break;
      if (chunks.length + value.byteLength > maxBytes) throw tooLarge(maxBytes);
      memory?.take(value.byteLength);
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    stop();
  }
  if (declared !== null && chunks.length < Number(declared))
    throw new AppError("invalid", "The body is shorter than its Content-Length.");
  return chunks.concat();
}

async function* streamRequest(
  request: Request,
  maxBytes: number,
  timeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return;
  const reader = request.body.getReader();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const { done, value } = await reader.read();
    return done ? { done, value: undefined } : { done, value };
  };
  try {
    let total = 0;
    for await (const chunk of streamBody({ next }, maxBytes, timeoutMs)) {
      total += chunk.byteLength;
      yield chunk;
    }
    if (declared !== null && total < Number(declared))
      throw new AppError("invalid", "The body is shorter than its Content-Length.");
  } finally {
    // Not awaited: the caller may send no more.
    reader.cancel().catch(() => undefined);
  }
}

/**
 * A stream of the chunks, pulled as they are read; it fails when the reader pulls nothing for `stalledMs`. Calls `onEnd`
 * when the chunks have ended in any way.
 */
function streamOf(
  chunks: AsyncIterable<Uint8Array>,
  stalledMs: number,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const discard = async (): Promise<void> => {
    try {
      await iterator.return?.();
    } finally {
      onEnd();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const waitForReader = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = setTimeout(() => {
      controller.error(new AppError("caller_left", `The client read nothing for ${stalledMs / 1_000} s.`));
      discard().catch(() => undefined);
    }, stalledMs);
    timer.unref();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: waitForReader,
      async pull(controller) {
        clearTimeout(timer);
        const next = await iterator.next().catch((error: unknown) => {
          onEnd();
          throw error;
        });
        if (next.done) {
          onEnd();
          controller.close();
          return;
        }
        controller.enqueue(next.value);
        waitForReader(controller);
      },
      async cancel() {
        clearTimeout(timer);
        await discard();
      },
    },
    // No chunk is produced before the caller reads.
    { highWaterMark: 0 },
  );
}

/** `onEnd` is called when the body has ended: at once unless it is streamed. */
function responseOf(reply: Outbound, stalledMs: number, onEnd: () => void): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) {
    if (typeof value === "string") headers.set(name, value);
    else for (const one of value) headers.append(name, one);
  }
  const { body } = reply;
  if (body === null || body instanceof Uint8Array) onEnd();
  // TypeScript's Response requires a plain ArrayBuffer; our bytes never use shared memory.
  const content =
    body === null || body instanceof Uint8Array
      ? (body as Uint8Array<ArrayBuffer> | null)
      : streamOf(body, stalledMs, onEnd);
  return new Response(content, { status: reply.status, headers });
}

/** Wraps `handler` as a Next route handler: one function for every method. */
export function createNextAdapter(
  handler: Handler,
  services: () => Promise<ConsoleServices>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    // The handler reports services that failed to start.
    const ready = await services().catch(() => null);
    const limits = ready?.instance.limits ?? DEFAULT_LIMITS;
    const { path, query } = splitUrl(request.url);
    const uploadMs = path.startsWith("/api") ? limits.consoleUploadMs : limits.gatewayUploadMs;
    const headers = new Map(request.headers);
    headers.delete(PEER_HEADER);
    const releases: (() => void)[] = [];
    const releaseAll = (): void => {
      for (const release of releases.splice(0)) release();
    };
    const inbound: Inbound = {
      method: request.method,
      path,
      query,
      headers,
      peer: peerFrom(request.headers.get(PEER_HEADER), ready?.instance.baseUrl ?? null),
      requestId: requestIdOf(headers.get("x-request-id")),
      receivedAt: ready?.clock.monotonic() ?? performance.now(),
      signal: request.signal,
      readBody: (maxBytes, memory) => readBody(request, maxBytes, uploadMs, memory),
      streamBody: (maxBytes) => streamRequest(request, maxBytes, uploadMs),
      onFinished: (release) => void releases.push(release),
    };
    const stalledMs = surfaceOf(path) === "console" ? CONSOLE_READER_IDLE_MS : limits.readerIdleMs;
    let reply: Outbound | null = null;
    try {
      reply = await handler(inbound);
      return responseOf(reply, stalledMs, releaseAll);
    } catch (error) {
      if (reply !== null) await discardBody(reply).catch(() => undefined);
      releaseAll();
      throw error;
    }
  };
}
