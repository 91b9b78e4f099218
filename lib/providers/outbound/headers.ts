import { AppError } from "../../errors";

/** Framing, routing and the connection are ours; a channel's own headers may not touch them. */
const RESERVED: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "forwarded",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Names under which secrets travel: a channel's keys are sealed and never read back, its headers are neither. */
const SECRET =
  /(?:^|[-_])(?:auth|authorization|cookie|credentials?|keys?|apikey|password|secrets?|tokens?)(?:$|[-_])/;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII with single spaces or tabs within: nothing that could end the line. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]{0,4094}[\x21-\x7e])?$/;
const MOST_HEADERS = 20;

function refuse(name: string, why: string): AppError {
  const path = `headers.${name.slice(0, 100)}`;
  return new AppError("invalid", `'${path}' ${why}`, { param: "headers", issues: [{ path, message: why }] });
}

/** A channel's own headers with lower-case names. Throws `invalid` for one that may not be sent. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > MOST_HEADERS) throw refuse("", `are more than ${MOST_HEADERS}`);
  const checked: Record<string, string> = {};
  for (const [sent, value] of entries) {
    const name = sent.toLowerCase();
    if (!NAME.test(sent)) throw refuse(sent, "is not the name of a header");
    if (RESERVED.has(name) || name.startsWith("proxy-")) throw refuse(sent, "is set by Patchbay itself");
    if (SECRET.test(name))
      throw refuse(sent, "looks like a secret: write it among the channel's keys, which are sealed");
    if (Object.hasOwn(checked, name)) throw refuse(sent, "stands there twice");
    if (typeof value !== "string" || !VALUE.test(value)) {
      throw refuse(sent, "must have a value of visible ASCII characters, without line breaks");
    }
    checked[name] = value;
  }
  return checked;
}

/**
 * The whole head of a request to an upstream: the provider's own headers, then the channel's. Nothing a caller sent is
 * among them (SECURITY HS-3).
 */
export function requestHeaders(
  own: Readonly<Record<string, string>>,
  channel: Readonly<Record<string, string>>,
  hasBody: boolean,
): Record<string, string> {
  return {
    "user-agent": "patchbay",
    // Audio and vectors hardly shrink, and what is not packed cannot be a bomb.
    "accept-encoding": "identity",
    ...(hasBody ? { "content-type": "application/json" } : {}),
    ...own,
    ...checkHeaders(channel),
  };
}
