import { isDeepStrictEqual } from "node:util";
import type { Catalog, CatalogEntry } from "../../ports/catalog";
import type { ChannelRecord, ModelRecord, Store } from "../../ports/store";

interface Snapshot {
  channels: readonly ChannelRecord[];
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
  return { channels, entries, byName };
}

/**
 * The fields that calls to the upstream depend on. IDs suffice for the keys: of a stored key only the label can change.
 */
const callFields = (channel: ChannelRecord) => ({
  // The channel of a local voice that is installed again has the same ID.
  createdAt: channel.createdAt,
  provider: channel.provider,
  baseUrl: channel.baseUrl,
  keys: channel.keys.map(({ id }) => id),
  models: channel.models,
  headers: channel.headers,
  options: channel.options,
  timeouts: channel.timeouts,
});

/**
 * True when the results of calls before a change say nothing about the channel after it: it was deleted, enabled again,
 * or is called in another way. Compares the values, because forms also send unchanged fields.
 */
function isReplaced(before: ChannelRecord, after: ChannelRecord | undefined): boolean {
  if (after === undefined || (after.enabled && !before.enabled)) return true;
  return !isDeepStrictEqual(callFields(before), callFields(after));
}

/**
 * Enabled models with the enabled channels that serve them, cached until a model or channel changes. `forgetChannel` is
 * called for each channel that a change, made by any process, has replaced or deleted.
 */
export function createCatalog(store: Store, forgetChannel: (id: string) => void): Catalog {
  let current: Promise<Snapshot> | null = null;
  /** The channels of the latest snapshot. */
  let known: readonly ChannelRecord[] = [];

  function follow(channels: readonly ChannelRecord[]): void {
    const fresh = new Map(channels.map((channel) => [channel.id, channel]));
    for (const before of known) if (isReplaced(before, fresh.get(before.id))) forgetChannel(before.id);
    known = channels;
  }

  function snapshot(): Promise<Snapshot> {
    if (current === null) {
      const loading: Promise<Snapshot> = load(store).then((loaded) => {
        // Of several concurrent reads only the latest counts: an older one may lack a change.
        if (current === loading) follow(loaded.channels);
        return loaded;
      });
      current = loading;
      // A failed read is not cached: the next call reads again.
      loading.catch(() => {
        if (current === loading) current = null;
      });
    }
    return current;
  }

  store.onChange((topics) => {
    if (!topics.has("models") && !topics.has("channels")) return;
    current = null;
    // Read now, not at the next call, because the console also shows the circuits of a process without calls.
    void snapshot();
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
