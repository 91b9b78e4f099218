import type { FileChannel, ImportStep } from "../../../contracts/console/settings-file";
import { hasCode } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import type { ChannelRecord } from "../../../ports/store";
import { ensureModels } from "../../channels/ensure-models";
import { isSamePlace } from "../../channels/stored-keys";
import { readTimeouts } from "../../channels/timeouts";
import { changed, created, differing, type Importing, skipped } from "./step";

type Patch = Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>;

/** What may be set of an engine built in, too. */
function commonOf(sent: FileChannel): Patch {
  const { priority, weight, rpm, concurrency } = sent;
  const fields = { priority, weight, rpm, concurrency };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The channel's own fields by the rules of a new one: address, headers and options are checked. Throws `invalid`. */
function patchOf({ ctx }: Importing, sent: FileChannel): Patch {
  const { baseUrl, headers, options } = ctx.providers.checkChannel({
    provider: sent.provider,
    baseUrl: sent.base_url ?? null,
    headers: sent.headers ?? {},
    options: sent.options ?? {},
  });
  return {
    ...commonOf(sent),
    baseUrl,
    headers,
    options,
    models: (sent.models ?? []).map((one) => ({ name: one.name, upstreamName: one.upstream_name })),
    timeouts: readTimeouts(sent.timeouts ?? {}),
  };
}

/** Why the channel that stands may not become the file's; null: it may. */
function refusal(before: ChannelRecord, sent: FileChannel, patch: Patch): string | null {
  if (before.provider !== sent.provider) return "A channel of this name has another provider here.";
  // A kept key would be shown to whoever answers at the new address (SECURITY EN-4).
  if (before.keys.length > 0 && !isSamePlace(before.baseUrl, patch.baseUrl))
    return "It leads to another address than the keys kept here were given for.";
  return null;
}

/** Writes what differs; the names of the fields that do. */
async function change({ tx, channels }: Importing, before: ChannelRecord, patch: Patch): Promise<string[]> {
  const fresh = differing(before, patch);
  const fields = Object.keys(fresh);
  const after = fields.length === 0 ? null : await tx.channels.update(before, fresh);
  if (after !== null) channels.set(after.id, after);
  return fields;
}

async function importEmbedded(importing: Importing, sent: FileChannel): Promise<ImportStep> {
  const one = { kind: "channel", name: sent.name } as const;
  const before = [...importing.channels.values()].find((it) => it.embedded && it.provider === sent.provider);
  if (before === undefined) return skipped(one, "There is no such engine built in here.");
  const enabled = sent.enabled ?? before.enabled;
  return changed(one, await change(importing, before, { ...commonOf(sent), name: sent.name, enabled }));
}

async function importUpstream(importing: Importing, sent: FileChannel): Promise<ImportStep> {
  const { tx, ctx, models, channels } = importing;
  const one = { kind: "channel", name: sent.name } as const;
  const facts = ctx.providers.providers().find(({ name }) => name === sent.provider);
  if (facts !== undefined && !facts.isUpstream)
    return skipped(one, "The engines built in have their channels already.");
  const named = [...channels.values()].filter((it) => !it.embedded && it.name === sent.name);
  const [before] = named;
  if (named.length > 1) return skipped(one, "Several channels have this name here.");
  const patch = patchOf(importing, sent);
  const refused = before === undefined ? null : refusal(before, sent, patch);
  if (refused !== null) return skipped(one, refused);
  await ensureModels(tx, sent.models ?? [], facts, ctx.clock.now(), models);
  if (before !== undefined) return changed(one, await change(importing, before, patch));
  await tx.channels.insert({
    priority: 0,
    weight: 1,
    rpm: null,
    concurrency: null,
    baseUrl: null,
    headers: {},
    options: {},
    models: [],
    timeouts: {},
    ...patch,
    id: newId(ctx.random, "chn"),
    name: sent.name,
    provider: sent.provider,
    keys: [],
    // Its keys are still to be pasted.
    enabled: false,
    embedded: false,
    createdAt: ctx.clock.now(),
    version: 1,
  });
  return created(one);
}

/** Makes the channels that are not here, without keys and disabled, and changes those that are. */
export async function importChannels(
  importing: Importing,
  channels: readonly FileChannel[],
): Promise<ImportStep[]> {
  const steps: ImportStep[] = [];
  const met = new Set<string>();
  for (const sent of channels) {
    const one = { kind: "channel", name: sent.name } as const;
    const key = `${sent.embedded === true}/${sent.name}`;
    if (met.has(key)) {
      steps.push(skipped(one, "Another channel of the file has this name."));
      continue;
    }
    met.add(key);
    try {
      steps.push(await (sent.embedded ? importEmbedded : importUpstream)(importing, sent));
    } catch (error) {
      // Thrown before anything of this channel was written.
      if (!hasCode(error, "invalid")) throw error;
      steps.push(skipped(one, error.message));
    }
  }
  return steps;
}
