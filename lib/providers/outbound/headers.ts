import {
  HEADER_NAME,
  HEADER_VALUE,
  MAX_HEADERS,
  RESERVED_HEADERS,
  SECRET_HEADER,
} from "../../contracts/console/upstream-address";
import { AppError, invalidField } from "../../errors";

const RESERVED: ReadonlySet<string> = new Set(RESERVED_HEADERS);
const SECRET = new RegExp(SECRET_HEADER);
const NAME = new RegExp(HEADER_NAME);
const VALUE = new RegExp(HEADER_VALUE);

function refuse(name: string, why: string): AppError {
  const path = `headers.${name.slice(0, 100)}`;
  // The console shows this at the one field for all headers, so the message names the header.
  const message = `'${name.slice(0, 100)}' ${why}.`;
  return new AppError("invalid", `'${path}' ${why}`, { param: "headers", issues: [{ path, message }] });
}

/** A channel's own headers with lower-case names. Throws `invalid` for one that may not be sent. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS)
    throw invalidField("headers", `Must have at most ${MAX_HEADERS} headers.`);
  const checked: Record<string, string> = {};
  for (const [sent, value] of entries) {
    const name = sent.toLowerCase();
    if (!NAME.test(sent)) throw refuse(sent, "is not a valid header name");
    if (RESERVED.has(name) || name.startsWith("proxy-"))
      throw refuse(sent, "is set by Patchbay and cannot be changed");
    if (SECRET.test(name))
      throw refuse(sent, "looks like a secret: enter it as a key of the channel, since keys are encrypted");
    if (Object.hasOwn(checked, name)) throw refuse(sent, "is given twice");
    if (typeof value !== "string" || !VALUE.test(value)) {
      throw refuse(sent, "must have a value of visible ASCII characters, without line breaks");
    }
    checked[name] = value;
  }
  return checked;
}

/**
 * All headers of a request to an upstream: the provider's, then the channel's as `checkHeaders` returned them, then
 * `traceparent`. No other header of the caller's request is included.
 */
export function requestHeaders(
  own: Readonly<Record<string, string>>,
  channel: Readonly<Record<string, string>>,
  hasBody: boolean,
  traceparent: string | undefined,
): Record<string, string> {
  return {
    "user-agent": "patchbay",
    // Audio and vectors hardly compress, and uncompressed replies cannot be decompression bombs.
    "accept-encoding": "identity",
    ...(hasBody ? { "content-type": "application/json" } : {}),
    ...own,
    ...channel,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
