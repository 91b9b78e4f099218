import type { Clock } from "../../ports/clock";
import type { ChannelRecord, ModelRecord, Prices, Repositories, Store } from "../../ports/store";

export const FREE: Prices = {
  inputPerMillionTokens: null,
  inputPerMillionCharacters: null,
  outputPerMillionTokens: null,
  outputPerMillionSeconds: null,
};

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

function speechModel(now: number): ModelRecord {
  return {
    name: "patchbay-speech",
    aliases: [],
    operation: "speech",
    description: "Speech in many languages, made on this machine by flite and espeak-ng.",
    prices: FREE,
    maxCharacters: 32_000,
    maxAudioSeconds: 6_000,
    dimensions: null,
    canShorten: false,
    maxInputTokens: null,
    defaultVoice: "Kore",
    cacheable: false,
    batching: false,
    enabled: true,
    createdAt: now,
    version: 1,
  };
}

function embeddingModel(now: number): ModelRecord {
  return {
    name: "patchbay-embed",
    aliases: [],
    operation: "embeddings",
    description:
      "Vectors of words and letter groups, made on this machine: finds similar words, not similar meanings.",
    prices: FREE,
    maxCharacters: null,
    maxAudioSeconds: null,
    dimensions: 1_024,
    canShorten: true,
    maxInputTokens: 8_192,
    defaultVoice: null,
    cacheable: false,
    batching: false,
    enabled: true,
    createdAt: now,
    version: 1,
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

/**
 * Seeds the two embedded engines as channels with a model each. May run at every start and in several processes at
 * once: it is one write transaction, and the IDs are fixed.
 */
export async function ensureEmbedded(store: Store, clock: Clock): Promise<void> {
  const now = clock.now();
  const speech = embeddedChannel(
    {
      id: "chn_builtin_speech",
      name: "Built-in speech",
      provider: "embedded-speech",
      model: "patchbay-speech",
    },
    now,
  );
  const embeddings = embeddedChannel(
    {
      id: "chn_builtin_embeddings",
      name: "Built-in embeddings",
      provider: "lexical",
      model: "patchbay-embed",
    },
    now,
  );
  await store.transaction(async (tx) => {
    await ensureChannel(tx, speech, speechModel(now));
    await ensureChannel(tx, embeddings, embeddingModel(now));
  });
}
