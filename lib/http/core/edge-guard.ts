import { AppError } from "../../errors";

/** Rejects requests that Node's parser accepts but no legitimate client sends. */

const MAX_HEADERS = 100;
/** Headers that may occur once. Given twice, Node silently uses the first, other servers the last. */
const SINGLE_VALUE_HEADERS = new Set([
  "host",
  "authorization",
  "content-type",
  "x-goog-api-key",
  "idempotency-key",
]);
const BODY_HEADERS = new Set(["content-length", "transfer-encoding"]);

interface RequestHead {
  method: string;
  /** The raw target of the request line. */
  target: string;
  httpVersion: string;
  /** Name, value, name, value … as sent. */
  rawHeaders: readonly string[];
}

export interface CheckedHead {
  path: string;
  query: string;
  headers: Map<string, string>;
  error: AppError | null;
}

function readHeaders(rawHeaders: readonly string[]): {
  headers: Map<string, string>;
  error: AppError | null;
} {
  const headers = new Map<string, string>();
  let error: AppError | null = null;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? "";
    const value = rawHeaders[i + 1] ?? "";
    const known = headers.get(name);
    if (known === undefined) headers.set(name, value);
    else if (SINGLE_VALUE_HEADERS.has(name))
      error ??= new AppError("invalid", `The header '${name}' is given twice.`);
    else headers.set(name, `${known}${name === "cookie" ? "; " : ", "}${value}`);
  }
  if (rawHeaders.length > 2 * MAX_HEADERS)
    error = new AppError("headers_too_large", `The request has more than ${MAX_HEADERS} headers.`);
  return { headers, error };
}

function hasBody(headers: ReadonlyMap<string, string>): boolean {
  for (const name of BODY_HEADERS) if (headers.has(name) && headers.get(name) !== "0") return true;
  return false;
}

function checkRequestLine(head: RequestHead, headers: ReadonlyMap<string, string>): AppError | null {
  const { httpVersion, target } = head;
  if (httpVersion !== "1.1" && httpVersion !== "1.0")
    return new AppError("invalid", "The request is not HTTP/1.1.");
  if (httpVersion === "1.0" && hasBody(headers))
    return new AppError("invalid", "A request with a body requires HTTP/1.1.");
  if (httpVersion === "1.1" && !headers.get("host"))
    return new AppError("invalid", "The request has no Host header.");
  if (!target.startsWith("/") || target.includes("\\") || target.includes("#"))
    return new AppError("invalid", "The request target must be a path that begins with '/'.");
  const upgrade = headers.get("upgrade");
  // Clients may offer HTTP/2; RFC 9110 §7.8 lets a server ignore the offer and use HTTP/1.1.
  if (upgrade !== undefined && upgrade.toLowerCase() !== "h2c")
    return new AppError("invalid", "Protocol upgrades are not supported.");
  const expect = headers.get("expect");
  if (expect !== undefined && expect.toLowerCase() !== "100-continue")
    return new AppError("invalid", "The header 'expect' must be 100-continue.");
  return null;
}

/** Parses a request's head: path, query, headers, and the first error for which the request is rejected before routing. */
export function checkHead(head: RequestHead): CheckedHead {
  const { headers, error } = readHeaders(head.rawHeaders);
  const mark = head.target.indexOf("?");
  return {
    path: mark === -1 ? head.target : head.target.slice(0, mark),
    query: mark === -1 ? "" : head.target.slice(mark + 1),
    headers,
    error: error ?? checkRequestLine(head, headers),
  };
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's request ID when it has only safe characters, otherwise a new one. */
export function requestIdOf(sent: string | undefined): string {
  return sent !== undefined && REQUEST_ID.test(sent) ? sent : crypto.randomUUID();
}
