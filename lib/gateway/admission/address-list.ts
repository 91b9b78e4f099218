import { BlockList, isIP } from "node:net";

/** A predicate over addresses and CIDRs. An IPv4-mapped IPv6 address matches as IPv4; invalid entries match nothing. */
export function createAddressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [base = "", bits] = entry.trim().split("/");
    const family = isIP(base) === 4 ? "ipv4" : isIP(base) === 6 ? "ipv6" : null;
    if (family === null) continue;
    const prefix = bits === undefined ? null : Number(bits);
    if (prefix === null) list.addAddress(base, family);
    else if (/^\d{1,3}$/.test(bits ?? "") && prefix <= (family === "ipv4" ? 32 : 128))
      list.addSubnet(base, prefix, family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6");
  };
}

/** The bucket of per-address limits: an IPv4 address, an IPv6 /64, or one bucket for all unknown peers. */
export function addressBucket(address: string | null): string {
  if (address === null) return "unknown";
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
