import type { StopSignal } from "../../ports/stop-signal";

/**
 * A request and its reply as plain data. Handlers know only these two shapes; the Node adapter and the Next adapter
 * (lib/http/node/adapter.ts, lib/http/next/adapter.ts) translate them, and must produce the same status, headers and bytes.
 */

export interface Peer {
  /**
   * The caller's address behind trusted proxies, with IPv4-mapped forms as IPv4; null where it is unknown (Next without
   * our server).
   */
  address: string | null;
  /** True only for a direct loopback connection over HTTP/1.1 with a loopback Host and no forwarding or Via header. */
  isLocal: boolean;
  /** True when the caller reached us over https (by our base URL, or a trusted proxy's header). */
  isSecure: boolean;
}

export interface Inbound {
  method: string;
  /** Path as sent, still percent-encoded, without the query. Begins with `/`. */
  path: string;
  /** Query without `?`; empty when absent. */
  query: string;
  /** Lower-cased names; a repeated header's values joined with `, ` (cookie: `; `). */
  headers: ReadonlyMap<string, string>;
  peer: Peer;
  requestId: string;
  /** Monotonic milliseconds at arrival. */
  receivedAt: number;
  /** Aborted when the caller disconnects or the drain time is over. */
  signal: StopSignal;
  /**
   * Reads the whole body, counting its bytes. `memory` checks the declared length before the body is requested and
   * counts chunks as they arrive; an error that it throws rejects the body. Throws AppError `too_large`, `request_timeout`,
   * `caller_left` or `invalid` (shorter than its Content-Length).
   */
  readBody(maxBytes: number, memory?: BodyCount): Promise<Uint8Array>;
  /**
   * Reads the body as it arrives, for bodies that are too large for memory. Every 8 MiB must arrive within
   * the upload timeout. Throws what `readBody` throws.
   */
  streamBody(maxBytes: number): AsyncIterable<Uint8Array>;
  /**
   * Registers the release of resources that the request holds (slots, memory). The adapter calls `release` exactly once:
   * after the handler and the reply's body have ended, and the system has accepted the whole reply or the connection is
   * closed.
   */
  onFinished(release: () => void): void;
}

/** Counts the body bytes held in memory; both methods throw AppError when there are too many. */
export interface BodyCount {
  /** Checks that `bytes` more would fit, without counting them. */
  check(bytes: number): void;
  take(bytes: number): void;
}

/** How long the console waits for a caller to read more, in milliseconds. The gateway has a configurable limit. */
export const CONSOLE_READER_IDLE_MS = 60_000;

export interface Outbound {
  status: number;
  /** Lower-cased names. `set-cookie` may hold several values. `x-request-id` is added by the dispatcher. */
  headers: Record<string, string | string[]>;
  /**
   * The whole body, or a stream of chunks. An adapter pulls a chunk only after the caller has read the previous one
   * (back-pressure), calls `return()` when the caller disconnects, and destroys the socket when the iterable throws:
   * an incomplete body never ends cleanly.
   */
  body: Uint8Array | AsyncIterable<Uint8Array> | null;
  /** The request's trace, for the log of a reply that breaks; absent: it has none. */
  traceId?: string | undefined;
}

/** Ends the body of a reply that will not be sent, so that its call ends too. Throws what the body's `return()` throws. */
export async function discardBody({ body }: Pick<Outbound, "body">): Promise<void> {
  if (body !== null && !(body instanceof Uint8Array)) await body[Symbol.asyncIterator]().return?.();
}

export type Handler = (request: Inbound) => Promise<Outbound>;

const encoder = new TextEncoder();

export const JSON_TYPE = "application/json; charset=utf-8";

/** A whole JSON reply. */
export function jsonReply(
  status: number,
  value: unknown,
  headers: Record<string, string | string[]> = {},
): Outbound {
  return {
    status,
    headers: { "content-type": JSON_TYPE, ...headers },
    body: encoder.encode(JSON.stringify(value)),
  };
}

/** A whole text reply. */
export function textReply(status: number, text: string, contentType: string): Outbound {
  return { status, headers: { "content-type": contentType }, body: encoder.encode(text) };
}
