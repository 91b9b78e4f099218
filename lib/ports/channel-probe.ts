import type { CallOptions } from "./speech-model";
import type { ChannelRecord } from "./store";

/** The seam by which channels are made, checked and tried: what their providers know besides speaking and embedding. */

/** One model of an upstream's own list. */
export interface ListedModel {
  /** The upstream's name of it. */
  name: string;
  /** What it is for; null where the upstream does not tell and its name does not either. */
  operation: "speech" | "embeddings" | null;
}

export interface ChannelProbe {
  /**
   * What the upstream says it serves, in its order; null where it has no list. Throws AppError `upstream_*`, as a
   * call would. Costs nothing at any upstream.
   */
  listModels(options: CallOptions): Promise<readonly ListedModel[] | null>;
}

/** What an operator writes of a channel that its provider has a say in. */
export type ChannelDraft = Pick<ChannelRecord, "provider" | "baseUrl" | "headers" | "options">;

/** A provider as the console shows it. */
export interface ProviderFacts {
  name: string;
  operations: readonly ("speech" | "embeddings")[];
  /** Where its channels go when they name no address; null when they must name one, or go nowhere. */
  defaultBaseUrl: string | null;
  /** False for the engines built in: neither address nor key. */
  isUpstream: boolean;
}

/**
 * Why a call never got an answer, for the operator alone: callers hear one and the same sentence for all but the
 * last two (no host, address or errno ever leaves).
 */
export type UpstreamFailureKind =
  | "address_refused"
  | "name_unknown"
  | "connection_refused"
  | "connect_timeout"
  | "tls_failed"
  | "connection_lost"
  | "protocol_error";

export interface ChannelProviders {
  providers(): readonly ProviderFacts[];
  /** Null for an engine built in, which has nothing to ask. */
  probe(channel: ChannelRecord): ChannelProbe | null;
  /**
   * The draft in its canonical form. Throws AppError `invalid` with `issues` under `provider`, `base_url`, `headers.*`
   * and `options.*`; with `apiCode: "upstream_not_allowed"` when the address is private or plain http and stands on no
   * list: allowing `targetOf(baseUrl)` mends that.
   */
  checkChannel(draft: ChannelDraft): ChannelDraft;
  /** `host:port` of an address, as the list of allowed upstreams takes it. Throws AppError `invalid`. */
  targetOf(baseUrl: string): string;
  /** What lies under an AppError of a call; null when the upstream answered. */
  faultOf(error: unknown): UpstreamFailureKind | null;
}

/** Where a channel's key stands sealed: what `Sealer` binds the ciphertext to. */
export function channelKeyAad(channelId: string, keyId: string): string {
  return `channels/${channelId}/keys/${keyId}`;
}
