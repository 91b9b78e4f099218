import { OTHER_SERVICES_PORTS } from "../../contracts/console/upstream-address";
import { type ApiCode, AppError } from "../../errors";
import { trimEndOf } from "../../text/clean-text";
import { isMetadata, isPrivate, parseAddress } from "./address";
import { type AllowList, canonicalHost, isHost } from "./allow-list";

const MAX_URL_LENGTH = 2_048;

const OTHER_SERVICES: ReadonlySet<number> = new Set(OTHER_SERVICES_PORTS);

const MALFORMED =
  "must be an address such as https://api.example.com/v1, without spaces, backslashes or control characters";

const METADATA_NAMES = /^(?:metadata|metadata\.google\.internal|instance-data(?:\..*)?)$/;

function refuse(why: string, apiCode?: ApiCode): AppError {
  const message = `'base_url' ${why}`;
  return new AppError("invalid", message, {
    param: "base_url",
    // The console shows this at the field, so it has the field's label in place of its name.
    issues: [{ path: "base_url", message: `The base URL ${why}.` }],
    ...(apiCode === undefined ? {} : { apiCode }),
  });
}

function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** `host:port`, as in the list of allowed upstreams. */
export function targetOf(url: URL): string {
  return `${canonicalHost(url.hostname)}:${portOf(url)}`;
}

/**
 * Parses the URL of an upstream as an operator writes it, without network access. Throws `invalid`; the
 * message does not repeat the URL.
 */
export function parseUpstreamUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH) throw refuse(`is longer than ${MAX_URL_LENGTH} characters`);
  // URL parsers correct these silently, each in its own way.
  if (/[\s\\\p{C}]/u.test(text)) throw refuse(MALFORMED);
  if (!/^https?:\/\/[^/]/i.test(text))
    throw refuse("must begin with https://, such as https://api.example.com/v1");
  if (/[?#]/.test(text)) throw refuse("must not have a query or a fragment");
  if (/[/](?:\.|%2e){1,2}(?:[/]|$)|%2f|%5c|%00/i.test(text))
    throw refuse("must not have '..' or an encoded slash in its path");
  if (!URL.canParse(text)) throw refuse(MALFORMED);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/]*@/i.test(text)) {
    throw refuse("must not have a user name or password; enter the key in its own field");
  }
  const host = canonicalHost(url.hostname);
  if (!isHost(host))
    throw refuse("must name one host, without wildcards, such as https://api.example.com/v1");
  url.hostname = host;
  url.pathname = trimEndOf(url.pathname, /\//);
  return url;
}

interface UrlRefusal {
  /** Continues the name of the URL: "is a private address; …". */
  why: string;
  apiCode?: ApiCode;
}

const portRefusal = (port: number): UrlRefusal => ({
  why:
    `uses port ${port}; accepted are 80, 443, ports from 1024 on that no other service uses, and lower ones that the ` +
    "owner has allowed",
});

/** Why no allow-list can permit this URL; null when one can. */
function finalRefusal(url: URL): UrlRefusal | null {
  const address = parseAddress(url.hostname);
  if (METADATA_NAMES.test(url.hostname) || (address !== null && isMetadata(address))) {
    return { why: "is a cloud metadata address, which is never allowed" };
  }
  const port = portOf(url);
  return OTHER_SERVICES.has(port) ? portRefusal(port) : null;
}

/** Why a URL of `parseUpstreamUrl` may not be used; null when it may. */
export function urlRefusal(url: URL, allow: AllowList): UrlRefusal | null {
  const final = finalRefusal(url);
  if (final !== null) return final;
  const port = portOf(url);
  const isListed = allow.hasHost(url.hostname, port);
  const isUsualPort = port === 443 || port === 80 || port >= 1_024;
  if (!isUsualPort && !isListed) return portRefusal(port);
  const address = parseAddress(url.hostname);
  const isAddressListed = isListed || (address !== null && allow.hasAddress(address));
  if (address !== null && isPrivate(address) && !isAddressListed) {
    return {
      why: `is a private address; the owner has to allow '${targetOf(url)}' first`,
      apiCode: "upstream_not_allowed",
    };
  }
  if (url.protocol === "http:" && !isAddressListed) {
    return {
      why: `must begin with https://; for plain http the owner has to allow '${targetOf(url)}' first`,
      apiCode: "upstream_not_allowed",
    };
  }
  return null;
}

/** The allow-list entry that permits the URL. Throws `invalid`, also for an address that no list can permit. */
export function allowableTarget(text: string): string {
  const url = parseUpstreamUrl(text);
  const refusal = finalRefusal(url);
  if (refusal !== null) throw refuse(refusal.why);
  return targetOf(url);
}

/**
 * The canonical URL, when a channel may use it: https, or http to a host on the list; a port that APIs use; no literal
 * private address that is not on the list. Names are checked when connecting.
 */
export function readUpstreamUrl(text: string, allow: AllowList): URL {
  const url = parseUpstreamUrl(text);
  const refusal = urlRefusal(url, allow);
  if (refusal !== null) throw refuse(refusal.why, refusal.apiCode);
  return url;
}
