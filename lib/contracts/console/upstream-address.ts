import { z } from "zod";
import { caseless, HOST, PORT } from "../text";

/** Where an upstream is, and the headers that its channel adds. */

/** Ports above 1023 of services other than HTTP APIs: those that browsers block, and databases. */
export const OTHER_SERVICES_PORTS = [
  1719, 1720, 1723, 2049, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5672, 5900,
  6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9200, 9300, 10080, 10250,
  11211, 26379, 27017, 27018, 50000,
];

/** An upstream's address: scheme, host, port and a path without `..`; no user name, query or fragment. */
export const BaseUrl = z
  .string()
  .max(2_048, "Must have at most 2,048 characters.")
  .meta({
    pattern: `^${caseless("http")}[Ss]?://${HOST}(?::${PORT})?(?:/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*$`,
    not: { pattern: "/(?:\\.|%2[Ee]){1,2}(?:/|$)|%2[Ff]|%5[Cc]|%00" },
    examples: ["https://api.openai.com/v1"],
  });

/** Headers that the gateway sets itself and a channel may not override. */
export const RESERVED_HEADERS = [
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
];
/** Header names that usually carry secrets: unlike keys, a channel's headers are stored in clear and readable. */
export const SECRET_HEADER =
  "(?:^|[-_])(?:auth|authorization|cookie|credentials?|keys?|apikey|password|secrets?|tokens?)(?:$|[-_])";
export const HEADER_NAME = "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$";
/** Visible ASCII, with spaces and tabs inside; no line breaks. */
export const HEADER_VALUE = "^[\\x21-\\x7e](?:[\\t\\x20-\\x7e]{0,4094}[\\x21-\\x7e])?$";
export const MAX_HEADERS = 20;

/** Additional headers of a channel's calls: name → value. */
export const Headers = z
  .record(z.string().max(128), z.string().max(4_096).meta({ pattern: HEADER_VALUE }))
  .meta({
    maxProperties: MAX_HEADERS,
    propertyNames: {
      pattern: HEADER_NAME,
      not: {
        anyOf: [
          { pattern: `^(?:${caseless(RESERVED_HEADERS.join("|"))}|${caseless("proxy-")}.*)$` },
          { pattern: caseless(SECRET_HEADER) },
        ],
      },
    },
    examples: [{ "x-team": "voice" }],
  });
