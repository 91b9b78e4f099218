import type { Catalog, CatalogEntry } from "../../ports/catalog";
import type { ModelRecord, Store } from "../../ports/store";

interface Snapshot {
  entries: readonly CatalogEntry[];
  byName: ReadonlyMap<string, CatalogEntry>;
}

async function load(store: Store): Promise<Snapshot> {
  const [models, channels] = await Promise.all([store.models.all(), store.channels.all()]);
  const serving = channels.filter((channel) => channel.enabled);
  const disabled = channels.filter((channel) => !channel.enabled);
  const entries = models
    .filter((model) => model.enabled)
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((model) => ({
      model,
      routes: serving.flatMap((channel) =>
        channel.models
          .filter((served) => served.name === model.name)
          .map((served) => ({ channel, upstreamName: served.upstreamName })),
      ),
      disabledChannels: disabled.filter((channel) => channel.models.some(({ name }) => name === model.name)),
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
