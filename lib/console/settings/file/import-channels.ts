import type { FileChannel, ImportStep } from "../../../contracts/console/settings-file";
import { hasCode } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import type { ChannelRecord } from "../../../ports/store";
import { ensureModels } from "../../channels/ensure-models";
import { isSameBaseUrl } from "../../channels/stored-keys";
import { readTimeouts } from "../../channels/to-channel";
import { changed, created, differing, type Importing, skipped } from "./step";

type Patch = Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>;

/** The fields that an embedded channel accepts too. */
function commonOf(sent: FileChannel): Patch {
  const { priority, weight, rpm, concurrency } = sent;
  const fields = { priority, weight, rpm, concurrency };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The channel's fields, with address, headers and options checked as for a new channel. Throws `invalid`. */
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

/** Why the existing channel may not be changed to the file's; null: it may. */
function refusal(before: ChannelRecord, sent: FileChannel, patch: Patch): string | null {
  if (before.provider !== sent.provider)
    return "A channel with this name has another provider on this instance.";
  // Stored keys must not be sent to a new address.
  if (before.keys.length > 0 && !isSameBaseUrl(before.baseUrl, patch.baseUrl))
    return "Its address differs from the one its stored keys belong to.";
  return null;
}

/** Writes the fields that differ and returns their names. */
async function change({ tx, channels }: Importing, before: ChannelRecord, patch: Patch): Promise<string[]> {
  const fresh = differing(before, patch);
  const fields = Object.keys(fresh);
  const after = fields.length === 0 ? null : await tx.channels.update(before, fresh);
  if (after !== null) channels.set(after.id, after);
  return fields;
}

async function importEmbedded(importing: Importing, sent: FileChannel): Promise<ImportStep> {
  const one = { kind: "channel", name: sent.name } as const;
  const engines = [...importing.channels.values()].filter(
    (it) => it.embedded && it.provider === sent.provider,
  );
  const served = sent.models?.[0]?.upstream_name;
  const before =
    engines.length > 1 ? engines.find((it) => it.models[0]?.upstreamName === served) : engines[0];
  if (before === undefined) return skipped(one, "This instance has no such embedded engine.");
  const enabled = sent.enabled ?? before.enabled;
  return changed(one, await change(importing, before, { ...commonOf(sent), name: sent.name, enabled }));
}

async function importUpstream(importing: Importing, sent: FileChannel): Promise<ImportStep> {
  const { tx, ctx, models, channels } = importing;
  const one = { kind: "channel", name: sent.name } as const;
  const facts = ctx.providers.providers().find(({ name }) => name === sent.provider);
  if (facts !== undefined && !facts.isUpstream)
    return skipped(one, "Embedded engines already have their channels.");
  const named = [...channels.values()].filter((it) => !it.embedded && it.name === sent.name);
  const [before] = named;
  if (named.length > 1) return skipped(one, "Several channels have this name on this instance.");
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
    // Disabled until its keys are entered.
    enabled: false,
    embedded: false,
    createdAt: ctx.clock.now(),
    version: 1,
  });
  return created(one);
}

/** Creates missing channels, disabled and without keys, and updates existing ones. */
export async function importChannels(
  importing: Importing,
  channels: readonly FileChannel[],
): Promise<ImportStep[]> {
  const steps: ImportStep[] = [];
  const seen = new Set<string>();
  for (const sent of channels) {
    const one = { kind: "channel", name: sent.name } as const;
    const key = `${sent.embedded === true}/${sent.name}`;
    if (seen.has(key)) {
      steps.push(skipped(one, "Another channel of the file has this name."));
      continue;
    }
    seen.add(key);
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
