import type { ChannelKey, ChannelRecord, ModelRecord } from "../../ports/store";
import { columnsOf, type RowOf } from "../columns";

/** A key in the JSON of the column `keys`. */
export interface StoredKey extends Omit<ChannelKey, "encrypted"> {
  sealed: string;
}

export const CHANNEL = columnsOf<Omit<ChannelRecord, "keys"> & { keys: StoredKey[] }>()({
  id: "id",
  name: "name",
  provider: "provider",
  baseUrl: "base_url",
  keys: { json: "keys" },
  models: { json: "models" },
  priority: "priority",
  weight: "weight",
  rpm: "rpm",
  concurrency: "concurrency",
  timeouts: { json: "timeouts" },
  headers: { json: "headers" },
  options: { json: "options" },
  enabled: { flag: "enabled" },
  embedded: { flag: "embedded" },
  createdAt: "created_at",
  version: "version",
});

export type ChannelTable = RowOf<typeof CHANNEL>;

export const MODEL = columnsOf<ModelRecord>()({
  name: "name",
  aliases: { json: "aliases" },
  operation: "operation",
  description: "description",
  prices: { json: "prices" },
  maxCharacters: "max_characters",
  maxAudioSeconds: "max_audio_seconds",
  dimensions: "dimensions",
  canShorten: { flag: "can_shorten" },
  maxInputTokens: "max_input_tokens",
  defaultVoice: "default_voice",
  cacheable: { flag: "cacheable" },
  batching: { flag: "coalescing" },
  enabled: { flag: "enabled" },
  createdAt: "created_at",
  version: "version",
});

export type ModelTable = RowOf<typeof MODEL>;

/** All names of a model, including its own; unique over names and aliases. */
export interface ModelNameTable {
  name: string;
  model: string;
}

export interface CatalogueTables {
  channels: ChannelTable;
  models: ModelTable;
  model_names: ModelNameTable;
}
