import type { ChannelRecord, ModelRecord } from "./store";

/** A channel that serves a model, and the model's name there. */
export interface Target {
  channel: ChannelRecord;
  upstreamName: string;
}

/** A model with the channels that serve it, from memory. */
export interface CatalogEntry {
  model: ModelRecord;
  routes: readonly Target[];
  /** Disabled channels that would serve it. */
  disabledChannels: readonly ChannelRecord[];
}

/** The models and channels as the gateway sees them; refreshed by the store's change feed. */
export interface Catalog {
  /** By public name or alias; null when unknown or disabled. */
  find(name: string): Promise<CatalogEntry | null>;
  all(): Promise<readonly CatalogEntry[]>;
}
