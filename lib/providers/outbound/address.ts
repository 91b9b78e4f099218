import { isIPv4, isIPv6 } from "node:net";

/** 4 bytes of an IPv4 address, or 16 of an IPv6 one; a v4-mapped one (`::ffff:a.b.c.d`) is its 4 bytes. */
export type AddressBytes = Uint8Array;

export interface Prefix {
  bytes: AddressBytes;
  bits: number;
}

/** The bytes of an IP literal, without brackets and zone; null when it is not one. */
export function parseAddress(text: string): AddressBytes | null {
  const bare = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (isIPv4(bare)) return Uint8Array.from(bare.split("."), Number);
  if (!isIPv6(bare)) return null;
  const bytes = parseIPv6(bare);
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  return isMapped ? bytes.subarray(12) : bytes;
}

function parseIPv6(text: string): Uint8Array {
  const hex = text.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_all, a, b, c, d) => {
    const group = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
    return `${group(a, b)}:${group(c, d)}`;
  });
  const [head = "", tail] = hex.split("::");
  const groups = (part: string) =>
    part === "" ? [] : part.split(":").map((one) => Number.parseInt(one, 16));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const all = [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/** `10.0.0.0/8`, or a single address; null when it is neither. */
export function parsePrefix(text: string): Prefix | null {
  const [address = "", length, ...rest] = text.split("/");
  const bytes = parseAddress(address);
  if (bytes === null || rest.length > 0) return null;
  if (length === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(length)) return null;
  // The prefix of a v4-mapped network counts from the 96 bits that were removed.
  const bits = Number(length) - (bytes.length === 4 && address.includes(":") ? 96 : 0);
  return bits < 0 || bits > bytes.length * 8 ? null : { bytes, bits };
}

export function isWithin(address: AddressBytes, { bytes, bits }: Prefix): boolean {
  if (address.length !== bytes.length) return false;
  for (let at = 0, left = bits; left > 0; at += 1, left -= 8) {
    const mask = left >= 8 ? 255 : (0xff00 >> left) & 255;
    if (((address[at] ?? 0) & mask) !== ((bytes[at] ?? 0) & mask)) return false;
  }
  return true;
}

function prefixes(...texts: string[]): readonly Prefix[] {
  return texts.map((text) => {
    const prefix = parsePrefix(text);
    if (prefix === null) throw new Error(`${text} is not a prefix.`);
    return prefix;
  });
}

/** Not on the public internet, or a tunnel into another network. */
const PRIVATE = prefixes(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2002::/16",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
);

/** Link-local networks, and the addresses where clouds serve credentials. */
const METADATA = prefixes(
  "169.254.0.0/16",
  "fe80::/10",
  "fd00:ec2::254", // AWS
  "fd00:ec2::23", // AWS, container credentials
  "fd20:ce::254", // Google
  "100.100.100.200", // Alibaba
  "168.63.129.16", // Azure
  "192.0.0.192", // Oracle
);

const TUNNELS = prefixes("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48");
const SIX_TO_FOUR = prefixes("2002::/16");

export function isPrivate(address: AddressBytes): boolean {
  return PRIVATE.some((prefix) => isWithin(address, prefix));
}

/** True for addresses that no allow-list may permit, also when embedded in an IPv6 tunnel address. */
export function isMetadata(address: AddressBytes): boolean {
  const within = (one: AddressBytes) => METADATA.some((prefix) => isWithin(one, prefix));
  if (within(address)) return true;
  if (TUNNELS.some((prefix) => isWithin(address, prefix))) return within(address.subarray(12));
  return SIX_TO_FOUR.some((prefix) => isWithin(address, prefix)) && within(address.subarray(2, 6));
}
