import type { Flag } from "./columns";

export interface ChannelTable {
  id: string;
  name: string;
  provider: string;
  base_url: string | null;
  keys: string;
  models: string;
  priority: number;
  weight: number;
  rpm: number | null;
  concurrency: number | null;
  timeouts: string;
  headers: string;
  options: string;
  enabled: Flag;
  embedded: Flag;
  created_at: number;
  version: number;
}

export interface ModelTable {
  name: string;
  aliases: string;
  operation: string;
  description: string;
  prices: string;
  max_characters: number | null;
  max_audio_seconds: number | null;
  dimensions: number | null;
  can_shorten: Flag;
  max_input_tokens: number | null;
  default_voice: string | null;
  cacheable: Flag;
  /** `batching` of the record, under its old name. */
  coalescing: Flag;
  enabled: Flag;
  created_at: number;
  version: number;
}

/** All names of a model, including its own; unique over names and aliases. */
export interface ModelNameTable {
  name: string;
  model: string;
}
