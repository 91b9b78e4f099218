import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "../../errors";
import { completeReply } from "../../http/core/dispatch";
import { requestIdOf } from "../../http/core/edge-guard";
import type { Inbound, Outbound } from "../../http/core/exchange";
import { surfaceOf } from "../../http/core/match";
import { renderError } from "../../http/core/render-error";
import type { Surface } from "../../http/core/route";

/** The head of a request that never became one. */
const UNREADABLE: Pick<Inbound, "method" | "peer"> = {
  method: "GET",
  peer: { address: null, isLocal: false, isSecure: false },
};

const BY_PARSER_CODE: Readonly<Record<string, () => AppError>> = {
  HPE_HEADER_OVERFLOW: () =>
    new AppError("headers_too_large", "The request's line and headers are larger than 16 KiB."),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => new AppError("too_large", "The chunk extensions are too large."),
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    new AppError("request_timeout", "The request did not arrive whole in the time there is for it."),
};

function faultOf(error: unknown): AppError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return BY_PARSER_CODE[code]?.() ?? new AppError("invalid", "The request is not valid HTTP/1.1.");
}

/** A whole reply as bytes for a socket that has no response object. */
function serialise(reply: Outbound): Buffer {
  const lines = [`HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}`];
  for (const [name, value] of Object.entries(reply.headers))
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  const body = reply.body instanceof Uint8Array ? reply.body : new Uint8Array(0);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

/** Sockets that have their answer; what else they say is thrown away. */
const refused = new WeakSet<Duplex>();
const LINGER_MS = 1_000;

/** Answers on a bare socket and closes it; before a path is known in the words of the console's dialect. */
export function refuseSocket(
  socket: Duplex,
  fault: AppError,
  surface: Surface = "console",
  requestId: string = crypto.randomUUID(),
): void {
  // Inbound has more fields; the reply's completion reads these alone.
  const request = { ...UNREADABLE, requestId } as Inbound;
  const reply = completeReply(request, renderError(surface, fault));
  reply.headers.connection = "close";
  refused.add(socket);
  socket.on("error", () => undefined);
  socket.end(serialise(reply));
  // Closing while bytes still come would reset the connection and cost the caller our reply.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("end", () => socket.destroy());
  socket.once("close", () => clearTimeout(timer));
  socket.resume();
}

type CurrentReply = ServerResponse & { req: IncomingMessage };

/** The reply that Node has assigned to this socket; there is no public way to ask for it. */
function currentReply(socket: Duplex): CurrentReply | null {
  // Node's own handling of a parser error looks at the same field.
  return "_httpMessage" in socket ? ((socket._httpMessage as CurrentReply | null) ?? null) : null;
}

/**
 * What Node's parser could not read, told in JSON. When a request's head had been read already, the fault is told in
 * its dialect if it is in its body, unless its reply has begun; a fault behind it would be taken for its reply.
 */
export function refuseUnreadable(error: unknown, socket: Duplex): void {
  const isReset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  if (refused.has(socket) && !isReset) return;
  const reply = currentReply(socket);
  if (isReset || !socket.writable || (reply !== null && (reply.headersSent || reply.req.complete))) {
    socket.destroy();
  } else if (reply === null) {
    refuseSocket(socket, faultOf(error));
  } else {
    const { url = "", headers } = reply.req;
    const requestId = requestIdOf([headers["x-request-id"]].flat()[0]);
    refuseSocket(socket, faultOf(error), surfaceOf(url.split("?", 1)[0] ?? ""), requestId);
  }
}
