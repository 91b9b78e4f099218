import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Inbound, Outbound } from "./exchange";

const compress = promisify(gzip);

/** Smaller replies fit one packet, compressed or not. */
const MIN_BYTES = 1_024;
const COMPRESSIBLE = /^(?:application\/json|text\/)/;

/** True when `Accept-Encoding` allows gzip (RFC 9110 §12.5.3; `gzip;q=0` forbids it). */
function acceptsGzip(header: string | undefined): boolean {
  return (header ?? "").split(",").some((one) => {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    return (name === "gzip" || name === "*") && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part));
  });
}

/**
 * Compresses a console reply for callers that accept gzip. Only whole replies to GET are compressed: every reply with a
 * secret answers another method, so no secret is compressed next to text that an attacker chose (the BREACH attack).
 * Streams are never compressed, because each event must leave at once.
 */
export async function compressReply(request: Inbound, reply: Outbound): Promise<Outbound> {
  const { body, headers } = reply;
  if (request.method !== "GET" || !(body instanceof Uint8Array) || body.byteLength < MIN_BYTES) return reply;
  if (!COMPRESSIBLE.test(String(headers["content-type"]))) return reply;
  const vary = headers.vary === undefined ? "accept-encoding" : `${headers.vary}, accept-encoding`;
  if (!acceptsGzip(request.headers.get("accept-encoding")))
    return { ...reply, headers: { ...headers, vary } };
  return {
    ...reply,
    headers: { ...headers, vary, "content-encoding": "gzip" },
    body: await compress(body, { level: 6 }),
  };
}
