import { BUILT_IN_DESCRIPTIONS } from "../../contracts/console/built-in-models";
import type { Clock } from "../../ports/clock";
import type { ChannelRecord, ModelRecord, Prices, Repositories, Store } from "../../ports/store";
import { newChannel } from "./new-channel";

const FREE: Prices = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};

export const SPEECH = { operation: "speech", maxCharacters: 32_000, maxAudioSeconds: 6_000 } as const;
const EMBEDDINGS = { operation: "embeddings", canShorten: true, maxInputTokens: 8_192 } as const;

/** The record of a new channel that serves one model with an engine of this machine. */
export function embeddedChannel(
  { model, ...own }: Pick<ChannelRecord, "id" | "name" | "provider"> & { model: string },
  now: number,
): ChannelRecord {
  return newChannel({ ...own, models: [{ name: model, upstreamName: model }], embedded: true }, now);
}

/** The record of a new model that an engine of this machine serves. */
export function embeddedModel(
  own: Pick<ModelRecord, "name" | "description" | "operation"> & Partial<ModelRecord>,
  now: number,
): ModelRecord {
  return {
    aliases: [],
    prices: FREE,
    maxCharacters: null,
    maxAudioSeconds: null,
    dimensions: null,
    canShorten: false,
    maxInputTokens: null,
    defaultVoice: null,
    cacheable: false,
    batching: false,
    enabled: true,
    createdAt: now,
    version: 1,
    ...own,
  };
}

/**
 * Inserts a channel and its model unless the channel exists: later changes and deletions by the operator are preserved.
 */
export async function ensureChannel(
  tx: Repositories,
  channel: ChannelRecord,
  model: ModelRecord,
): Promise<void> {
  if ((await tx.channels.find(channel.id)) !== null) return;
  await tx.channels.insert(channel);
  const models = await tx.models.all();
  const isTaken = models.some((other) => other.name === model.name || other.aliases.includes(model.name));
  if (!isTaken) await tx.models.insert(model);
}

/** The built-in channels, each with its model. */
const BUILT_IN = [
  {
    channel: { id: "chn_builtin_speech", name: "Built-in speech", provider: "embedded-speech" },
    model: { ...SPEECH, name: "patchbay-speech", defaultVoice: "Kore" },
  },
  {
    channel: { id: "chn_builtin_semantic", name: "Built-in English embeddings", provider: "semantic" },
    model: { ...EMBEDDINGS, name: "patchbay-embed-en", dimensions: 512 },
  },
  {
    channel: { id: "chn_builtin_embeddings", name: "Built-in embeddings", provider: "lexical" },
    model: { ...EMBEDDINGS, name: "patchbay-embed", dimensions: 1_024 },
  },
] as const;

/**
 * Seeds the built-in engines as channels with a model each; an existing installation gets those that are new at its
 * next start. May run at every start and in several processes at once: it is one write transaction, and the IDs are
 * fixed.
 */
export async function ensureEmbedded(store: Store, clock: Clock): Promise<void> {
  const now = clock.now();
  await store.transaction(async (tx) => {
    for (const { channel, model } of BUILT_IN) {
      const description = BUILT_IN_DESCRIPTIONS[model.name];
      await ensureChannel(
        tx,
        embeddedChannel({ ...channel, model: model.name }, now),
        embeddedModel({ ...model, description }, now),
      );
    }
  });
}
