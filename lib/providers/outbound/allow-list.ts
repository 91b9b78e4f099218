import {
  type AddressBytes,
  isMetadata,
  isPrivate,
  isWithin,
  type Prefix,
  parseAddress,
  parsePrefix,
} from "./address";

/** The targets that operators allow besides the public internet over https. */
export interface AllowList {
  /** The list as one text, to compare lists. */
  readonly fingerprint: string;
  /**
   * True when an entry names this host, with this port or with none; plain http and private addresses are allowed
   * there.
   */
  hasHost(host: string, port: number): boolean;
  hasAddress(address: AddressBytes): boolean;
}

type Entry = { kind: "network"; prefix: Prefix } | { kind: "host"; host: string; port: number | null };

const HOST_AND_PORT = /^(\[[^\]]+\]|[^:/@?#\\\s]+)(?::(\d{1,5}))?$/;

/**
 * A name or an address in canonical form. URL parsers accept more characters in a host (`*`), which no real name has.
 */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/;

/** True for a valid host name or address in canonical form. */
export function isHost(host: string): boolean {
  return HOST.test(host);
}

/** The host of a URL in canonical form: lower case, no final dot. */
export function canonicalHost(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

function parseEntry(text: string): Entry | null {
  const network = parsePrefix(text);
  if (network !== null) return { kind: "network", prefix: network };
  const [, name, port] = HOST_AND_PORT.exec(text) ?? [];
  if (name === undefined || !URL.canParse(`http://${name}`)) return null;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  const host = canonicalHost(new URL(`http://${name}`).hostname);
  if (!isHost(host)) return null;
  return { kind: "host", host, port: port === undefined ? null : Number(port) };
}

/** True for `host:port`, a host, an address or a CIDR. */
export function isAllowEntry(text: string): boolean {
  return parseEntry(text) !== null;
}

/** An entry that cannot be parsed allows nothing. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const parsed = entries.flatMap((entry) => parseEntry(entry) ?? []);
  return {
    fingerprint: [...entries].sort().join(" "),
    hasHost: (host, port) => {
      const wanted = canonicalHost(host);
      return parsed.some(
        (one) => one.kind === "host" && one.host === wanted && (one.port === null || one.port === port),
      );
    },
    hasAddress: (address) => parsed.some((one) => one.kind === "network" && isWithin(address, one.prefix)),
  };
}

/** Whether a connection to `address` for this host and port may be made. */
export function mayConnect(address: string, host: string, port: number, allow: AllowList): boolean {
  const bytes = parseAddress(address);
  if (bytes === null || isMetadata(bytes)) return false;
  return !isPrivate(bytes) || allow.hasAddress(bytes) || allow.hasHost(host, port);
}
