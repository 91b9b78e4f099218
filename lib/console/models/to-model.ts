import type { Model, UpdateModel } from "../../contracts/console/models";
import { nanoToUsd, usdToNano } from "../../contracts/money";
import { toTimestamp } from "../../contracts/timestamp";
import { byServedModel } from "../../gateway/admission/catalog";
import { modelHealth } from "../../gateway/routing/circuit-health";
import type { ChannelRecord, ModelRecord, Prices } from "../../ports/store";
import type { ReadUse } from "../circuits/health";
import type { ConsoleServices } from "../context";
import { sentFields } from "../differing";

const usd = (nano: number | null) => (nano === null ? null : nanoToUsd(nano));

/** Channels by the public name of each model that they serve, in priority order. */
export type ServingChannels = ReadonlyMap<string, readonly ChannelRecord[]>;

/** Finds the channels of all models at once; `channels` are in the order of their creation. */
export function servingChannels(channels: readonly ChannelRecord[]): ServingChannels {
  const sorted = channels.toSorted((a, b) => a.priority - b.priority);
  return byServedModel(sorted, (channel) => channel);
}

/** A model as the API returns it, with the channels that serve it and their health. */
export function toModel(
  { state: { circuits } }: Pick<ConsoleServices, "state">,
  record: ModelRecord,
  channels: ServingChannels,
  use: ReadUse,
): Model {
  const serving = (channels.get(record.name) ?? []).map((channel) => {
    const { id, name, priority, enabled, embedded } = channel;
    const { state } = modelHealth(circuits, channel, record.name);
    return { id, name, priority, enabled, embedded, state, use: use(id, record.name) };
  });
  return {
    name: record.name,
    aliases: record.aliases,
    operation: record.operation,
    description: record.description,
    prices: {
      input_per_million_tokens: usd(record.prices.inputPerMillionTokens),
      input_per_million_characters: usd(record.prices.inputPerMillionCharacters),
      output_per_million_tokens: usd(record.prices.outputPerMillionTokens),
      output_per_million_seconds: usd(record.prices.outputPerMillionSeconds),
    },
    max_characters: record.maxCharacters,
    max_audio_seconds: record.maxAudioSeconds,
    dimensions: record.dimensions,
    can_shorten: record.canShorten,
    max_input_tokens: record.maxInputTokens,
    default_voice: record.defaultVoice,
    cacheable: record.cacheable,
    batching: record.batching,
    enabled: record.enabled,
    channels: serving,
    created_at: toTimestamp(record.createdAt),
    version: record.version,
  };
}

/** `before` with the prices that were sent; null makes a unit free, absent leaves it unchanged. */
function applyPrices(before: Prices, sent: UpdateModel["prices"]): Prices {
  const price = (text: string | null | undefined, previous: number | null): number | null => {
    if (text === undefined) return previous;
    // The contract has checked the format.
    return text === null ? null : usdToNano(text);
  };
  return {
    inputPerMillionTokens: price(sent?.input_per_million_tokens, before.inputPerMillionTokens),
    inputPerMillionCharacters: price(sent?.input_per_million_characters, before.inputPerMillionCharacters),
    outputPerMillionTokens: price(sent?.output_per_million_tokens, before.outputPerMillionTokens),
    outputPerMillionSeconds: price(sent?.output_per_million_seconds, before.outputPerMillionSeconds),
  };
}

/** The fields of a request in the stored form. */
export function patchOf(
  before: Pick<ModelRecord, "prices">,
  sent: Omit<UpdateModel, "version">,
): Partial<Omit<ModelRecord, "createdAt" | "version">> {
  return sentFields({
    aliases: sent.aliases,
    description: sent.description,
    maxCharacters: sent.max_characters,
    maxAudioSeconds: sent.max_audio_seconds,
    dimensions: sent.dimensions,
    canShorten: sent.can_shorten,
    maxInputTokens: sent.max_input_tokens,
    defaultVoice: sent.default_voice,
    cacheable: sent.cacheable,
    batching: sent.batching ?? sent.coalescing,
    enabled: sent.enabled,
    prices: sent.prices === undefined ? undefined : applyPrices(before.prices, sent.prices),
  });
}
