import { randomBytes } from "node:crypto";
import type { Peer } from "./exchange";

/**
 * The header by which our server passes the caller's address to Next in the same process. It is deleted from incoming
 * requests and carries a random marker that only this process knows. The marker is unset where Next runs without our
 * server.
 */
export const PEER_HEADER = "x-patchbay-peer";

const MARKER = Symbol.for("patchbay.peer-marker");
// Only this module uses the symbol, so its type is known.
const globals = globalThis as unknown as Record<symbol, string | undefined>;

/** Called once by our server; afterwards peerFrom accepts headers that begin with the marker. */
export function enablePeerHeader(): void {
  globals[MARKER] ??= randomBytes(16).toString("hex");
}

/** The header's value for this caller. */
export function peerHeader(peer: Peer): string {
  return `${globals[MARKER] ?? ""};${peer.isLocal ? 1 : 0};${peer.isSecure ? 1 : 0};${peer.address ?? ""}`;
}

/** The caller as our server saw it; an unknown peer without our server. */
export function peerFrom(value: string | null | undefined, baseUrl: string | null): Peer {
  const [marker, isLocal, isSecure, address] = (value ?? "").split(";");
  const isHttps = baseUrl?.startsWith("https:") ?? false;
  if (!marker || marker !== globals[MARKER]) return { address: null, isLocal: false, isSecure: isHttps };
  return { address: address || null, isLocal: isLocal === "1", isSecure: isSecure === "1" };
}
