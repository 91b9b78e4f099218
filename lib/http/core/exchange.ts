/**
 * A request and its reply as plain data. Handlers know these two shapes alone; the node door and the Next door
 * (node-door.ts, next-door.ts) translate to and from their hosts, and must give the same status, headers and bytes.
 */

export interface Peer {
  /** The caller's address after trusted proxies, IPv4-mapped forms unified; null where the host hides it (Next without our server). */
  address: string | null;
  /** True only for a direct loopback connection over HTTP/1.1 with a loopback Host and no forwarding or Via header. */
  isLocal: boolean;
  /** True when the caller reached us over https (our base URL, or a trusted proxy's word). */
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
  /** Aborted when the caller leaves, or the drain's time is up. */
  signal: AbortSignal;
  /**
   * The whole body, counted while it is read. `memory` checks its announced length before the body is asked for and
   * counts its chunks as they arrive; what it throws refuses the body. Throws AppError `too_large`, `request_timeout`,
   * `caller_left` or `invalid` (shorter than its Content-Length).
   */
  readBody(maxBytes: number, memory?: BodyCount): Promise<Uint8Array>;
}

/** Counts bytes of a body that come into memory; both throw AppError when there are too many. */
export interface BodyCount {
  /** Whether `bytes` more would fit now; counts nothing. */
  check(bytes: number): void;
  take(bytes: number): void;
}

/** How long the console waits for a caller to read on: few downloads run at once. The gateway has a limit for it. */
export const STALLED_MS = 60_000;

export interface Outbound {
  status: number;
  /** Lower-cased names. `set-cookie` may hold several values. `x-request-id` is added by the door. */
  headers: Record<string, string | string[]>;
  /**
   * Whole bytes, or chunks as they are made. A door pulls a chunk only when the caller has read the one before
   * (back-pressure), calls `return()` when the caller leaves, and destroys the socket when the iterable throws:
   * a broken body never ends cleanly.
   */
  body: Uint8Array | AsyncIterable<Uint8Array> | null;
}

export type Handler = (request: Inbound) => Promise<Outbound>;
