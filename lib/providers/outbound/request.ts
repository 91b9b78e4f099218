import type { Limits } from "../../contracts/limits";
import type { Clock } from "../../ports/clock";
import type { CallOptions } from "../../ports/speech-model";
import type { ChannelRecord } from "../../ports/store";
import type { UpstreamBody } from "./body";
import type { ReadRefusal } from "./refusal";
import type { Lookup } from "./resolver";

export interface UpstreamClientSettings {
  clock: Clock;
  /** Read at every call, because the fields may change. */
  limits: Pick<Limits, "upstreamConnectMs" | "upstreamTlsMs" | "idleMs" | "callMs">;
  /** Allowed targets besides the public internet: `host:port`, hosts, addresses and CIDRs. Read at every call. */
  allowed(): readonly string[];
  /** For tests; the system's resolvers otherwise. */
  lookup?: Lookup;
}

export interface UpstreamRequest {
  channel: ChannelRecord;
  /** Absolute base URL; `path` is appended to its path. */
  baseUrl: string;
  method: "GET" | "POST";
  /** Begins with a slash; every segment is already encoded. */
  path: string;
  /** The provider's own headers, including its key. */
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined fields are left out. */
  body?: unknown;
  /** Limit of the decoded reply. */
  maxBytes: number;
  /**
   * The reply is a file: its bytes are kept as sent, since some servers state an archive's own compression as its
   * `content-encoding`.
   */
  isFile?: boolean;
  /** The reply must be audio or events: a JSON reply is an error, whatever its status. */
  isAudio?: boolean;
  /** The reply's content is not needed, so 204 and 205 are accepted too. */
  mayBeEmpty?: boolean;
  readRefusal: ReadRefusal;
  /** Gets the `Location` of a redirect before `upstream_redirect` is thrown: it is never followed here. */
  onRedirect?(location: string): void;
  /** The upstream's key, which must not appear in any message; null: none. */
  key: string | null;
  /** PEM of the certificate authority for this upstream. */
  ca?: string;
  options: CallOptions;
}

/** The time limits of one attempt, in milliseconds: the channel's own, else those of the settings. */
export interface AttemptLimits {
  /** From the start of the attempt to the last byte, without the reader's time. */
  totalMs: number;
  /** Between two pieces of the body. */
  idleMs: number;
}

export function attemptLimits(
  { limits }: UpstreamClientSettings,
  { timeouts }: ChannelRecord,
): AttemptLimits {
  return { totalMs: timeouts.totalMs ?? limits.callMs, idleMs: timeouts.idleMs ?? limits.idleMs };
}

/**
 * A channel record for a server that is not a channel's upstream. Its `id` selects the connection pool: different IDs
 * do not share connections.
 */
export function connectionTo(
  provider: string,
  id: string,
  baseUrl: string,
  timeouts: ChannelRecord["timeouts"],
): ChannelRecord {
  return {
    id,
    name: "",
    provider,
    baseUrl,
    keys: [],
    models: [],
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: 2,
    timeouts,
    headers: {},
    options: {},
    enabled: true,
    embedded: false,
    createdAt: 0,
    version: 1,
  };
}

/** A reply with a status of 2xx. */
export interface UpstreamReply {
  header(name: string): string | null;
  /** Without parameters, in lower case; empty without a content type. */
  contentType: string;
  /** False when only the close of the connection ends the body: a truncated body then looks complete. */
  isDelimited: boolean;
  body: UpstreamBody;
}
