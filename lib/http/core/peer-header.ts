import { randomBytes } from "node:crypto";
import type { Peer } from "./exchange";

/**
 * How our server tells Next, in the same process, who the caller is: a header of this name, deleted when a caller sends
 * it, and opened by a word that only this process knows. Where Next runs without our server nobody has set the word.
 */
export const PEER_HEADER = "x-patchbay-peer";

const SLOT = Symbol.for("patchbay.peer-word");
// The slot is ours alone, so its type is known.
const shared = globalThis as unknown as Record<symbol, string | undefined>;

/** Called once by our server; from then on peerFrom believes headers that begin with the word. */
export function openPeerHeader(): void {
  shared[SLOT] ??= randomBytes(16).toString("hex");
}

/** The header's value for this caller. */
export function peerHeader(peer: Peer): string {
  return `${shared[SLOT] ?? ""};${peer.isLocal ? 1 : 0};${peer.isSecure ? 1 : 0};${peer.address ?? ""}`;
}

/** The caller as our server saw it; an unknown one where our server is not in front. */
export function peerFrom(value: string | null | undefined, baseUrl: string | null): Peer {
  const [word, isLocal, isSecure, address] = (value ?? "").split(";");
  const isHttps = baseUrl?.startsWith("https:") ?? false;
  if (!word || word !== shared[SLOT]) return { address: null, isLocal: false, isSecure: isHttps };
  return { address: address || null, isLocal: isLocal === "1", isSecure: isSecure === "1" };
}
