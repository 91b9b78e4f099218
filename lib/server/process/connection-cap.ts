import { readdirSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { addressBucket } from "../../gateway/admission/address-list";
import { unifyAddress } from "../../http/node/peer";

/** File descriptors reserved for files and threads: engines, encoders, backups. */
const RESERVED_DESCRIPTORS = 48;
/** Lower limit, so that an operator can always reach the server. */
const MIN_CONNECTIONS = 8;
/** Sockets above the total cap that may be open at once for their 503 reply, and for how long. */
const MAX_REFUSED = 16;
const REFUSAL_MS = 2_000;
/** Idle connections are closed at most this often to make space for new ones. */
const CLOSE_IDLE_MS = 1_000;

/** The soft limit of "Max open files" in the text of /proc/<pid>/limits (proc(5)); null when absent or unlimited. */
export function parseOpenFilesLimit(limits: string): number | null {
  const found = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return found === undefined ? null : Number(found);
}

/**
 * How many connections `limit` descriptors allow while `open` of them are in use: half of the rest, since a call may
 * need an upstream socket in addition to its caller's.
 */
export function connectionsWithin(limit: number, open: number): number {
  return Math.max(MIN_CONNECTIONS, Math.floor((limit - open - RESERVED_DESCRIPTORS) / 2));
}

/** How many connections this process has descriptors for; infinite where the limit is unknown. */
export function connectionsForProcess(): number {
  try {
    const limit = parseOpenFilesLimit(readFileSync("/proc/self/limits", "utf8"));
    if (limit === null) return Number.POSITIVE_INFINITY;
    return connectionsWithin(limit, readdirSync("/proc/self/fd").length);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export interface ConnectionCap {
  readonly open: number;
  /** True for a connection above the total cap: its request gets a 503 and it is closed. */
  isAbove(socket: Duplex): boolean;
}

/**
 * Closes new connections of one address (of IPv6: one /64) above `ofAddress()`, except those of trusted proxies.
 * Connections above `ofAll()` get one 503 reply: it is clearer than a reset and needs no additional descriptor.
 */
export function capConnections(
  server: Server,
  max: { ofAddress(): number; ofAll(): number },
  isTrusted: (address: string) => boolean,
): ConnectionCap {
  const counts = new Map<string, number>();
  const above = new Set<Duplex>();
  let open = 0;
  let idleClosedAt = Number.NEGATIVE_INFINITY;

  function refuse(socket: Duplex): void {
    const now = performance.now();
    if (now - idleClosedAt > CLOSE_IDLE_MS) {
      idleClosedAt = now;
      // Deferred until Node has read the requests that have arrived: before that, their connections count as idle.
      setImmediate(() => server.closeIdleConnections());
    }
    // A reply over TLS would cost a handshake first.
    if (above.size >= MAX_REFUSED || "setSecureContext" in server) {
      socket.destroy();
      return;
    }
    above.add(socket);
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      above.delete(socket);
    });
  }

  server.on("connection", (socket) => {
    const address = unifyAddress(socket.remoteAddress ?? "");
    const bucket = addressBucket(address);
    const count = (counts.get(bucket) ?? 0) + 1;
    if (count > max.ofAddress() && !isTrusted(address)) {
      socket.destroy();
      return;
    }
    if (open - above.size >= max.ofAll()) refuse(socket);
    if (socket.destroyed) return;
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
    isAbove: (socket) => above.has(socket),
  };
}
