import { createAddressList } from "../../gateway/admission/address-list";
import type { Peer } from "../core/exchange";

/** Proxy headers that the pattern below does not cover. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  "via",
  "x-original-url",
  "x-original-host",
  "x-rewrite-url",
  "x-real-ip",
  "x-proxyuser-ip",
  "x-remote-ip",
  "x-remote-addr",
  "remote-addr",
  "cf-connecting-ip",
  "x-envoy-external-address",
]);
const PROXY_HEADER = /forward|client-?ip|_/;

/**
 * True for a header in which a proxy names its client, in any spelling. A name with `_` counts too, because some
 * gateways turn `_` into `-`. Such headers are deleted before a handler or page sees them. `name`: lower case.
 */
export function isForwardingHeader(name: string): boolean {
  return PROXY_HEADER.test(name) || PROXY_HEADERS.has(name);
}

/** Most hops that are read, from the right; no real proxy chain is longer. */
const MAX_HOPS = 32;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** `::ffff:192.0.2.1` becomes 192.0.2.1; a zone (`%eth0`) is removed. */
export function unifyAddress(address: string): string {
  const lower = (address.split("%")[0] ?? "").toLowerCase();
  return lower.startsWith("::ffff:") && lower.includes(".") ? lower.slice(7) : lower;
}

/** The address of a hop: `192.0.2.1:1234`, `"[2001:db8::1]:1234"` or without port, as proxies write it. */
function hopAddress(hop: string): string {
  const text = hop.trim().replace(/^"|"$/g, "");
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text);
  if (bracketed !== null) return unifyAddress(bracketed[1] ?? "");
  return unifyAddress(/^[^:]+:\d+$/.test(text) ? text.slice(0, text.lastIndexOf(":")) : text);
}

export interface PeerReader {
  /** True when the socket's remote end is a trusted proxy. `socketAddress` is unified. */
  isTrusted(socketAddress: string): boolean;
  read(socketAddress: string, httpVersion: string, headers: ReadonlyMap<string, string>): Peer;
}

/**
 * Creates the reader of a caller's address and scheme. `trusted`: addresses and CIDRs of proxies whose headers are
 * used. An https `baseUrl`, or TLS in the server itself (`isTls`), means that every caller used https.
 */
export function createPeerReader(
  trusted: readonly string[],
  baseUrl: string | null,
  isTls = false,
): PeerReader {
  const isListed = createAddressList(trusted);
  const isTrusted = trusted.length === 0 ? () => false : isListed;
  const isHttps = isTls || (baseUrl?.startsWith("https:") ?? false);

  function clientOf(socketAddress: string, forwardedFor: string | undefined): string {
    if (forwardedFor === undefined) return socketAddress;
    const hops = forwardedFor.split(",").slice(-MAX_HOPS);
    let client = socketAddress;
    for (const hop of hops.reverse()) {
      const address = hopAddress(hop);
      if (address === "") break;
      client = address;
      if (!isTrusted(address)) break;
    }
    return client;
  }

  function isForwarded(headers: ReadonlyMap<string, string>): boolean {
    for (const name of headers.keys()) if (isForwardingHeader(name)) return true;
    return false;
  }

  return {
    isTrusted,
    read(socketAddress, httpVersion, headers) {
      const isProxy = isTrusted(socketAddress);
      const isLocal =
        LOOPBACK.test(socketAddress) &&
        httpVersion === "1.1" &&
        LOOPBACK_HOST.test(headers.get("host") ?? "") &&
        !isForwarded(headers);
      if (!isProxy) return { address: socketAddress, isLocal, isSecure: isHttps };
      // The last value is the trusted proxy's own; values before it came from the caller.
      const scheme = headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim().toLowerCase();
      return {
        address: clientOf(socketAddress, headers.get("x-forwarded-for")),
        isLocal,
        isSecure: isHttps || scheme === "https",
      };
    },
  };
}
