import type { EmbeddingModel } from "./embedding-model";
import type { CallOptions, SpeechModel } from "./speech-model";
import type { ChannelRecord } from "./store";

/** The port for creating, checking and testing channels: what their providers offer besides speech and embeddings. */

export interface ListedModel {
  name: string;
  /** The model's operation; null when neither the upstream's answer nor the name shows it. */
  operation: "speech" | "embeddings" | null;
}

export interface ChannelProbe {
  /**
   * The models of the upstream, in its order; null when it has no list. Throws AppError `upstream_*`, as a call would.
   * Free of charge at every upstream.
   */
  listModels(options: CallOptions): Promise<readonly ListedModel[] | null>;
}

/** The fields of a channel that its provider checks. */
export type ChannelDraft = Pick<ChannelRecord, "provider" | "baseUrl" | "headers" | "options">;

/** A provider as the console shows it. */
export interface ProviderFacts {
  name: string;
  operations: readonly ("speech" | "embeddings")[];
  /** Base URL of channels without one; null when a channel must have one, or the provider has no upstream. */
  defaultBaseUrl: string | null;
  /** False for built-in engines, which have neither URL nor key. */
  isUpstream: boolean;
}

/**
 * Why a call got no answer, shown to the operator only: callers get the same message for all but the last two (host,
 * address and errno are never included).
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
  /** Null for a built-in engine, which has no upstream. */
  probe(channel: ChannelRecord): ChannelProbe | null;
  /**
   * Returns the draft in its canonical form. Throws AppError `invalid` with `issues` under `provider`, `base_url`,
   * `headers.*` and `options.*`; with `apiCode: "upstream_not_allowed"` when the address is private or plain http and
   * not on the allow-list: allowing `targetOf(baseUrl)` resolves that.
   */
  checkChannel(draft: ChannelDraft): ChannelDraft;
  /**
   * `host:port` of a URL, as written in the list of allowed upstreams. Throws AppError `invalid`, also for a port or an
   * address that no entry of the list can allow.
   */
  targetOf(baseUrl: string): string;
  /** The cause of a call's AppError; null when the upstream answered. */
  failureOf(error: unknown): UpstreamFailureKind | null;
}

/** The AAD of a channel's encrypted key. */
export function channelKeyAad(channelId: string, keyId: string): string {
  return `channels/${channelId}/keys/${keyId}`;
}

/** Providers by channel, made by the composition root from lib/providers/registry.ts. */
export interface Providers extends ChannelProviders {
  /** Throws AppError `internal` when the channel's provider has no speech. */
  speech(channel: ChannelRecord): SpeechModel;
  embedding(channel: ChannelRecord): EmbeddingModel;
}
