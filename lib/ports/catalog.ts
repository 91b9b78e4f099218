import type { ChannelRecord, ModelRecord } from "./store";

/** A model with the channels that serve it, from memory. */
export interface CatalogEntry {
  model: ModelRecord;
  routes: readonly { channel: ChannelRecord; upstreamName: string }[];
  /** Disabled channels that would serve it; absent: none. */
  disabledChannels?: readonly ChannelRecord[];
}

/** The models and channels as the gateway sees them; refreshed by the store's change feed. */
export interface Catalog {
  /** By public name or alias; null when unknown or disabled. */
  find(name: string): Promise<CatalogEntry | null>;
  all(): Promise<readonly CatalogEntry[]>;
}
