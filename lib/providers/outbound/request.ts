import type { Limits } from "../../contracts/limits";
import type { Clock } from "../../ports/clock";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamBody } from "./body";
import type { ReadRefusal } from "./refusal";
import type { Lookup } from "./resolver";

export interface OutboundSettings {
  clock: Clock;
  /** Read at every call: the fields may change. */
  limits: Pick<Limits, "upstreamConnectMs" | "upstreamTlsMs" | "idleMs" | "callMs">;
  /** `host:port`, hosts, addresses and CIDRs besides the public internet; asked at every call. */
  allowed(): readonly string[];
  /** For tests; the system's resolvers otherwise. */
  lookup?: Lookup;
}

export interface OutboundRequest {
  channel: ChannelRecord;
  /** Absolute base; `path` is appended to its own path. */
  baseUrl: string;
  method: "GET" | "POST";
  /** Begins with a slash; every segment is encoded already. */
  path: string;
  /** The provider's own, its key among them. */
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent fields are left out. */
  body?: unknown;
  /** Cap of the decoded answer. */
  maxBytes: number;
  readRefusal: ReadRefusal;
  /** What must not stand in any message: the key. */
  secrets: readonly string[];
  /** PEM of the authority that this upstream's certificate is checked against. */
  ca?: string;
  options: CallOptions;
}

/** An answer with a status of 2xx. */
export interface UpstreamReply {
  header(name: string): string | null;
  /** Without parameters, in lower case; empty when there is none. */
  contentType: string;
  /** False when only the end of the connection ends the body: a cut cannot be told from its end then. */
  isDelimited: boolean;
  body: UpstreamBody;
}
