import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { AppError } from "../errors";
import { completeReply } from "../http/dispatch";
import type { Inbound, Outbound } from "../http/exchange";
import { renderError } from "../http/render-error";

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

/** Answers on a bare socket in the words of the console's dialect and closes it. */
export function refuseSocket(socket: Duplex, fault: AppError): void {
  // Inbound has more fields; the reply's completion reads these alone.
  const request = { ...UNREADABLE, requestId: crypto.randomUUID() } as Inbound;
  const reply = completeReply(request, renderError("console", fault));
  reply.headers.connection = "close";
  socket.on("error", () => undefined);
  socket.end(serialise(reply), () => socket.destroy());
}

/** What Node's parser could not read: told in JSON unless a reply has begun on that socket. */
export function refuseUnreadable(error: unknown, socket: Duplex): void {
  const hasReply = "_httpMessage" in socket && Boolean(socket._httpMessage);
  const isReset = error instanceof Error && "code" in error && error.code === "ECONNRESET";
  if (isReset || hasReply || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, faultOf(error));
}
