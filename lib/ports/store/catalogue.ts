import type { Versioned } from "./common";

export interface ChannelKey {
  id: string;
  encrypted: string;
  /** `****wxyz` */
  display: string;
  /** The operator's name for it, unique in the channel; absent: none. */
  label?: string;
}

export interface ChannelRecord {
  id: string;
  name: string;
  /** A name of lib/providers/registry.ts. */
  provider: string;
  baseUrl: string | null;
  keys: ChannelKey[];
  models: { name: string; upstreamName: string }[];
  /** Lower values are tried first. */
  priority: number;
  weight: number;
  rpm: number | null;
  concurrency: number | null;
  timeouts: { connectMs?: number; firstByteMs?: number; idleMs?: number; totalMs?: number };
  headers: Record<string, string>;
  /** Settings specific to the provider (voice table, batching, …), checked by its own schema. */
  options: Record<string, unknown>;
  enabled: boolean;
  /** A built-in engine's channel; may be disabled, not deleted. */
  embedded: boolean;
  createdAt: number;
  version: number;
}

/** Nano-dollars per million units; null: that unit is free. */
export interface Prices {
  inputPerMillionTokens: number | null;
  inputPerMillionCharacters: number | null;
  outputPerMillionTokens: number | null;
  outputPerMillionSeconds: number | null;
}

export interface ModelRecord {
  /** The public name. */
  name: string;
  aliases: string[];
  operation: "speech" | "embeddings";
  description: string;
  prices: Prices;
  /** Speech: longest text, in code points. */
  maxCharacters: number | null;
  /** Speech: longest reply in seconds, for the reservation. */
  maxAudioSeconds: number | null;
  /** Embeddings: the model's own vector length. */
  dimensions: number | null;
  canShorten: boolean;
  /** Embeddings: longest single input in tokens. */
  maxInputTokens: number | null;
  defaultVoice: string | null;
  cacheable: boolean;
  batching: boolean;
  enabled: boolean;
  createdAt: number;
  version: number;
}

export interface Channels {
  insert(...channels: ChannelRecord[]): Promise<void>;
  find(id: string): Promise<ChannelRecord | null>;
  /** Oldest first. Callers share the records and may not change them. */
  all(): Promise<readonly ChannelRecord[]>;
  update(
    at: Versioned,
    patch: Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>,
  ): Promise<ChannelRecord | null>;
  delete(id: string): Promise<boolean>;
}

export interface Models {
  /** Throws AppError `conflict` when a name or alias is taken; then none of these models is stored. */
  insert(...models: ModelRecord[]): Promise<void>;
  /** Oldest first. Callers share the records and may not change them. */
  all(): Promise<readonly ModelRecord[]>;
  update(
    name: string,
    version: number,
    patch: Partial<Omit<ModelRecord, "createdAt" | "version">>,
  ): Promise<ModelRecord | null>;
  delete(name: string): Promise<boolean>;
}
