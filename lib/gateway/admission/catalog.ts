import type { Catalog, CatalogEntry } from "../../ports/catalog";
import type { ChannelRecord, ModelRecord, Store } from "../../ports/store";

interface Snapshot {
  entries: readonly CatalogEntry[];
  byName: ReadonlyMap<string, CatalogEntry>;
}

/** What `pick` returns for each model of each channel, by the model's public name, in the order of the channels. */
export function byServedModel<Value>(
  channels: readonly ChannelRecord[],
  pick: (channel: ChannelRecord, served: ChannelRecord["models"][number]) => Value,
): ReadonlyMap<string, readonly Value[]> {
  const values = new Map<string, Value[]>();
  for (const channel of channels)
    for (const served of channel.models) {
      const others = values.get(served.name);
      if (others === undefined) values.set(served.name, [pick(channel, served)]);
      else others.push(pick(channel, served));
    }
  return values;
}

async function load(store: Store): Promise<Snapshot> {
  const [models, channels] = await Promise.all([store.models.all(), store.channels.all()]);
  const routes = byServedModel(
    channels.filter((channel) => channel.enabled),
    (channel, { upstreamName }) => ({ channel, upstreamName }),
  );
  const disabled = byServedModel(
    channels.filter((channel) => !channel.enabled),
    (channel) => channel,
  );
  const entries = models
    .filter((model) => model.enabled)
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((model) => ({
      model,
      routes: routes.get(model.name) ?? [],
      disabledChannels: disabled.get(model.name) ?? [],
    }));
  const byName = new Map<string, CatalogEntry>();
  for (const entry of entries) for (const alias of entry.model.aliases) byName.set(alias, entry);
  // Names after aliases: a model's name takes precedence over another's alias.
  for (const entry of entries) byName.set(entry.model.name, entry);
  return { entries, byName };
}

/** Enabled models with the enabled channels that serve them, cached until a model or channel changes. */
export function createCatalog(store: Store): Catalog {
  let current: Promise<Snapshot> | null = null;

  function snapshot(): Promise<Snapshot> {
    if (current === null) {
      const loading = load(store);
      current = loading;
      // A failed read is not cached: the next call reads again.
      loading.catch(() => {
        if (current === loading) current = null;
      });
    }
    return current;
  }

  store.onChange((topics) => {
    if (topics.has("models") || topics.has("channels")) current = null;
  });

  return {
    find: async (name) => (await snapshot()).byName.get(name) ?? null,
    all: async () => (await snapshot()).entries,
  };
}

/** True when `name` is the model's own or one of its aliases. */
export function answersTo(model: ModelRecord, name: string): boolean {
  return model.name === name || model.aliases.includes(name);
}
