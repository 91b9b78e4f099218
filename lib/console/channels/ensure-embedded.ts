import { BUILT_IN_DESCRIPTIONS } from "../../contracts/console/built-in-models";
import type { Clock } from "../../ports/clock";
import type { ChannelRecord, ModelRecord, Prices, Repositories, Store } from "../../ports/store";

const FREE: Prices = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};

export const SPEECH = { operation: "speech", maxCharacters: 32_000, maxAudioSeconds: 6_000 } as const;
const EMBEDDINGS = { operation: "embeddings", canShorten: true, maxInputTokens: 8_192 } as const;

/** The record of a new channel to an engine of this machine, which serves one model. */
export function embeddedChannel(
  own: Pick<ChannelRecord, "id" | "name" | "provider"> & { model: string },
  now: number,
): ChannelRecord {
  return {
    id: own.id,
    name: own.name,
    provider: own.provider,
    baseUrl: null,
    keys: [],
    models: [{ name: own.model, upstreamName: own.model }],
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: null,
    timeouts: {},
    headers: {},
    options: {},
    enabled: true,
    embedded: true,
    createdAt: now,
    version: 1,
  };
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
function embeddedChannels(now: number): [ChannelRecord, ModelRecord][] {
  const speech = embeddedModel(
    {
      ...SPEECH,
      name: "patchbay-speech",
      description: BUILT_IN_DESCRIPTIONS["patchbay-speech"],
      defaultVoice: "Kore",
    },
    now,
  );
  const semantic = embeddedModel(
    {
      ...EMBEDDINGS,
      name: "patchbay-embed-en",
      description: BUILT_IN_DESCRIPTIONS["patchbay-embed-en"],
      dimensions: 512,
    },
    now,
  );
  const lexical = embeddedModel(
    {
      ...EMBEDDINGS,
      name: "patchbay-embed",
      description: BUILT_IN_DESCRIPTIONS["patchbay-embed"],
      dimensions: 1_024,
    },
    now,
  );
  const facts = [
    ["chn_builtin_speech", "Built-in speech", "embedded-speech", speech],
    ["chn_builtin_semantic", "Built-in English embeddings", "semantic", semantic],
    ["chn_builtin_embeddings", "Built-in embeddings", "lexical", lexical],
  ] as const;
  return facts.map(([id, name, provider, model]) => [
    embeddedChannel({ id, name, provider, model: model.name }, now),
    model,
  ]);
}

/**
 * Seeds the built-in engines as channels with a model each; an existing installation gets those that are new at its next
 * start. May run at every start and in several processes at once: it is one write transaction, and the IDs are fixed.
 */
export async function ensureEmbedded(store: Store, clock: Clock): Promise<void> {
  const channels = embeddedChannels(clock.now());
  await store.transaction(async (tx) => {
    for (const [channel, model] of channels) await ensureChannel(tx, channel, model);
  });
}
