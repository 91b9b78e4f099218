import type { Server } from "node:http";
import { unifyAddress } from "../http/peer";

/** An IPv6 caller owns a /64 at least, so that is what is counted. */
function bucketOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = ""] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  return groups.slice(0, 4).join(":");
}

/** Closes connections of one address above `most()` as they are opened (SECURITY LM-4). Trusted proxies speak for many. */
export function capConnections(
  server: Server,
  most: () => number,
  isTrusted: (address: string) => boolean,
): { readonly open: number } {
  const counts = new Map<string, number>();
  let open = 0;
  server.on("connection", (socket) => {
    const address = unifyAddress(socket.remoteAddress ?? "");
    const bucket = bucketOf(address);
    const count = (counts.get(bucket) ?? 0) + 1;
    if (count > most() && !isTrusted(address)) {
      socket.destroy();
      return;
    }
    counts.set(bucket, count);
    open += 1;
    socket.once("close", () => {
      open -= 1;
      const left = (counts.get(bucket) ?? 1) - 1;
      if (left > 0) counts.set(bucket, left);
      else counts.delete(bucket);
    });
  });
  return {
    get open() {
      return open;
    },
  };
}
