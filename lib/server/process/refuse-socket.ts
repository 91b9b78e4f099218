import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError, systemCode } from "../../errors";
import { completeReply } from "../../http/core/dispatch";
import { requestIdOf } from "../../http/core/edge-guard";
import type { Inbound, Outbound } from "../../http/core/exchange";
import { surfaceOf } from "../../http/core/match";
import { renderError } from "../../http/core/render-error";
import type { Surface } from "../../http/core/route";

/** Request fields for a socket without a readable request. */
const UNREADABLE: Pick<Inbound, "method" | "peer"> = {
  method: "GET",
  peer: { address: null, isLocal: false, isSecure: false },
};

const BY_PARSER_CODE: Readonly<Record<string, () => AppError>> = {
  HPE_HEADER_OVERFLOW: () =>
    new AppError("headers_too_large", "The request's line and headers are larger than 16 KiB."),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => new AppError("too_large", "The chunk extensions are too large."),
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    new AppError("request_timeout", "The request did not arrive completely in time."),
};

function errorOf(error: unknown): AppError {
  return (
    BY_PARSER_CODE[systemCode(error)]?.() ?? new AppError("invalid", "The request is not valid HTTP/1.1.")
  );
}

/** A complete reply as bytes, for a socket that has no response object. */
function serialise(reply: Outbound): Buffer {
  const lines = [`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}`];
  for (const [name, value] of Object.entries(reply.headers))
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  const body = reply.body instanceof Uint8Array ? reply.body : new Uint8Array(0);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

/** Sockets that have been answered; further input is discarded. */
const refused = new WeakSet<Duplex>();
const LINGER_MS = 1_000;

/** Answers on a bare socket and closes it; in the console's dialect while the path is unknown. */
export function refuseSocket(
  socket: Duplex,
  error: AppError,
  surface: Surface = "console",
  requestId: string = crypto.randomUUID(),
): void {
  // Inbound has more fields; completeReply reads only these.
  const request = { ...UNREADABLE, requestId } as Inbound;
  const reply = completeReply(request, renderError(surface, error));
  reply.headers.connection = "close";
  refused.add(socket);
  socket.on("error", () => undefined);
  socket.end(serialise(reply));
  // Closing while bytes still arrive would reset the connection and lose our reply.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("end", () => socket.destroy());
  socket.once("close", () => clearTimeout(timer));
  socket.resume();
}

type CurrentReply = ServerResponse & { req: IncomingMessage };

/** The reply that Node has assigned to this socket; there is no public API for it. */
function currentReply(socket: Duplex): CurrentReply | null {
  // Node's own parser error handler reads the same field.
  return "_httpMessage" in socket ? ((socket._httpMessage as CurrentReply | null) ?? null) : null;
}

const REQUEST_LINE = /^[A-Z]+ (\/[^\s?]*)(?:\?\S*)? HTTP\//;

/**
 * The dialect for a request head that cannot be read: that of its path when the rejected bytes begin with the request
 * line, otherwise the console's.
 */
function surfaceOfRejected(error: unknown): Surface {
  const packet = error instanceof Error && "rawPacket" in error ? error.rawPacket : null;
  const path = Buffer.isBuffer(packet) ? REQUEST_LINE.exec(packet.toString("latin1"))?.[1] : undefined;
  return path === undefined ? "console" : surfaceOf(path);
}

/** Sockets that close after the replies to their complete requests; further input is discarded. */
const closing = new WeakSet<Duplex>();

/** Closes the socket when the replies to all requests that it has received completely are sent. */
function closeAfterReplies(socket: Duplex): void {
  const reply = currentReply(socket);
  // By the time this reply is closed, Node has assigned the socket to the connection's next reply.
  if (reply?.req.complete === true && !socket.destroyed) reply.once("close", () => closeAfterReplies(socket));
  else socket.destroy();
}

/**
 * Answers input that Node's parser rejected, in JSON. An error in the body of a known request is answered in that
 * request's dialect, unless its reply has begun. Input after a complete request gets no answer, because the caller
 * would take it for the reply to that request. That reply is still sent before the socket is closed: a caller whose
 * Content-Length is too short learns what is wrong with the body.
 */
export function refuseUnreadable(error: unknown, socket: Duplex): void {
  const code = systemCode(error);
  // After a failed handshake nothing that we write can be read.
  const isBroken = code === "ECONNRESET" || /^ERR_(?:SSL|TLS)_/.test(code);
  if ((refused.has(socket) || closing.has(socket)) && !isBroken) return;
  const reply = currentReply(socket);
  if (isBroken || !socket.writable) {
    socket.destroy();
  } else if (reply?.req.complete === true) {
    closing.add(socket);
    closeAfterReplies(socket);
  } else if (reply?.headersSent === true) {
    socket.destroy();
  } else if (reply === null) {
    refuseSocket(socket, errorOf(error), surfaceOfRejected(error));
  } else {
    const { url = "", headers } = reply.req;
    const requestId = requestIdOf([headers["x-request-id"]].flat()[0]);
    refuseSocket(socket, errorOf(error), surfaceOf(url.split("?", 1)[0] ?? ""), requestId);
  }
}
