import { LOCAL_VOICES } from "../../../contracts/console/channels";
import {
  MAX_ALERT_RULES,
  type OpenSettings,
  type ScopedAlertRule,
} from "../../../contracts/console/settings";
import type {
  FileChannel,
  ImportReport,
  ImportSettings,
  ImportStep,
  SettingsFile,
} from "../../../contracts/console/settings-file";
import { hasCode, isAppError } from "../../../errors";
import { newId } from "../../../gateway/new-id";
import type { ChannelRecord } from "../../../ports/store";
import { requireSignedInOperator } from "../../access/guards";
import { readSettings } from "../../access/read-settings";
import { requireOwnTwoFactor } from "../../access/two-factor-roles";
import { recordAudit } from "../../audit/record";
import { ensureModels } from "../../channels/ensure-models";
import { newChannel } from "../../channels/new-channel";
import { isSameBaseUrl } from "../../channels/stored-keys";
import { readConnection, readTimeouts } from "../../channels/to-channel";
import type { ConsoleContext } from "../../context";
import { differing, sentFields } from "../../differing";
import { readModelNames } from "../../models/model-names";
import { applySettings, passwordMinimumIssue, raiseVersion } from "../update";
import { importModels } from "./import-models";
import { changed, created, type Importing, skipped } from "./step";

/** Why this change cannot be made, or not by this caller; null: it can. */
async function settingRefusal(
  { tx, ctx, user }: Importing,
  before: OpenSettings,
  name: string,
  change: Partial<OpenSettings>,
): Promise<string | null> {
  if (name === "demo_site" && user.role !== "owner") return "Only the owner may change this.";
  if (name === "alerts" && (change.alerts?.rules.length ?? 0) > MAX_ALERT_RULES)
    return `With those of this instance's API keys there would be more than ${MAX_ALERT_RULES} alert rules.`;
  if (name === "password_minimum") return passwordMinimumIssue(ctx, change.password_minimum);
  if (name !== "two_factor_roles" || change.two_factor_roles === undefined) return null;
  try {
    await requireOwnTwoFactor(tx, user, before.two_factor_roles, change.two_factor_roles);
    return null;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.message;
  }
}

/**
 * The alert rules after an import. API keys are not in the file: its rules for keys apply only to keys that exist on
 * this instance, and rules of this instance for other keys are kept.
 */
async function mergeRules(
  { tx }: Importing,
  present: readonly ScopedAlertRule[],
  sent: readonly ScopedAlertRule[],
): Promise<{ rules: ScopedAlertRule[]; steps: ImportStep[] }> {
  const named = new Set(sent.flatMap((rule) => (rule.scope === "key" ? [rule.key_id] : [])));
  const kept = present.filter((rule) => rule.scope === "key" && !named.has(rule.key_id));
  const rules: ScopedAlertRule[] = [];
  const steps: ImportStep[] = [];
  for (const rule of [...sent, ...kept])
    if (rule.scope === "model" || (await tx.keys.findById(rule.key_id)) !== null) rules.push(rule);
    else if (named.has(rule.key_id))
      steps.push(skipped({ kind: "rule", name: rule.key_id }, "This instance has no API key with this ID."));
  return { rules, steps };
}

/** Writes the file's settings over the stored ones; the webhook URLs are not in the file and stay unchanged. */
async function importSettings(importing: Importing, file: SettingsFile["settings"]): Promise<ImportStep[]> {
  const { tx, ctx, user } = importing;
  const before = await readSettings(tx);
  const { alerts, ...others } = file;
  const sent: Partial<OpenSettings> = others;
  const steps: ImportStep[] = [];
  if (alerts !== undefined) {
    const present = before.alerts.rules;
    const merged = alerts.rules && (await mergeRules(importing, present, alerts.rules));
    sent.alerts = { ...alerts, rules: merged?.rules ?? present };
    steps.push(...(merged?.steps ?? []));
  }
  const wanted = differing(before, sent);
  for (const name of Object.keys(file)) {
    const one = { kind: "setting", name } as const;
    const reason = name in wanted ? await settingRefusal(importing, before, name, wanted) : null;
    if (reason === null) {
      steps.push(changed(one, name in wanted ? [name] : []));
      continue;
    }
    steps.push(skipped(one, reason));
    // A name of the settings, as it was read from them.
    delete wanted[name as keyof OpenSettings];
  }
  if (Object.keys(wanted).length === 0) return steps;
  await raiseVersion(tx, "any");
  await applySettings(tx, ctx, user, wanted);
  return steps;
}

type ChannelPatch = Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>;

/** The fields that an embedded channel accepts too. */
function commonFields(sent: FileChannel): ChannelPatch {
  const { priority, weight, rpm, concurrency } = sent;
  return sentFields({ priority, weight, rpm, concurrency });
}

/**
 * The channel's fields, with address, headers and options checked as for a new channel; those that the file leaves out
 * stay as they are. Throws `invalid`.
 */
function channelPatch({ ctx }: Importing, sent: FileChannel, before?: ChannelRecord): ChannelPatch {
  const { provider, base_url = before?.baseUrl } = sent;
  const { headers = before?.headers, options = before?.options } = sent;
  const checked = ctx.providers.checkChannel(readConnection({ provider, base_url, headers, options }));
  return {
    ...commonFields(sent),
    ...sentFields({
      models: sent.models?.map((one) => ({ name: one.name, upstreamName: one.upstream_name })),
      timeouts: sent.timeouts && readTimeouts(sent.timeouts),
    }),
    baseUrl: checked.baseUrl,
    headers: checked.headers,
    options: checked.options,
  };
}

/** Why the existing channel may not be changed to the file's; null: it may. */
function channelRefusal(before: ChannelRecord, sent: FileChannel, patch: ChannelPatch): string | null {
  if (before.provider !== sent.provider)
    return "A channel with this name has another provider on this instance.";
  // Stored keys must not be sent to a new address.
  if (before.keys.length > 0 && !isSameBaseUrl(before.baseUrl, patch.baseUrl))
    return "Its address differs from the one its stored keys belong to.";
  return null;
}

/** Writes the fields that differ and returns their names. */
async function updateChannel(
  { tx, channels }: Importing,
  before: ChannelRecord,
  patch: ChannelPatch,
): Promise<string[]> {
  const fresh = differing(before, patch);
  const fields = Object.keys(fresh);
  const after = fields.length === 0 ? null : await tx.channels.update(before, fresh);
  if (after !== null) channels.set(after.id, after);
  return fields;
}

/** The mapping of voice names, the one option of an embedded channel. Throws `invalid`. */
function voiceOptions({ ctx }: Importing, sent: FileChannel): ChannelPatch {
  const { provider, options } = sent;
  if (provider !== LOCAL_VOICES || options === undefined) return {};
  return { options: ctx.providers.checkChannel({ provider, baseUrl: null, headers: {}, options }).options };
}

async function importEmbeddedChannel(importing: Importing, sent: FileChannel): Promise<ImportStep> {
  const one = { kind: "channel", name: sent.name } as const;
  const engines = [...importing.channels.values()].filter(
    (it) => it.embedded && it.provider === sent.provider,
  );
  const served = sent.models?.[0]?.upstream_name;
  const sameModel = engines.find((it) => it.models[0]?.upstreamName === served);
  // Each built-in engine has its own provider; local voices share one, so only a channel with the same model matches.
  const before = sent.provider === LOCAL_VOICES ? sameModel : (sameModel ?? engines[0]);
  if (before === undefined) return skipped(one, "This instance has no such embedded engine.");
  const { name, enabled = before.enabled } = sent;
  const patch = { ...commonFields(sent), ...voiceOptions(importing, sent), name, enabled };
  return changed(one, await updateChannel(importing, before, patch));
}

async function importUpstreamChannel(importing: Importing, sent: FileChannel): Promise<ImportStep> {
  const { tx, ctx, models, channels, newChannels, skippedModels } = importing;
  const one = { kind: "channel", name: sent.name } as const;
  const facts = ctx.providers.providers().find(({ name }) => name === sent.provider);
  if (facts !== undefined && !facts.isUpstream)
    return skipped(one, "Embedded engines already have their channels.");
  const named = [...channels.values()].filter((it) => !it.embedded && it.name === sent.name);
  const [before] = named;
  if (named.length > 1) return skipped(one, "Several channels have this name on this instance.");
  const patch = channelPatch(importing, sent, before?.provider === sent.provider ? before : undefined);
  const refused = before === undefined ? null : channelRefusal(before, sent, patch);
  if (refused !== null) return skipped(one, refused);
  const listed = [...(before?.models ?? []), ...skippedModels];
  await ensureModels(tx, ctx, sent.models ?? [], { provider: facts, listed, models });
  if (before !== undefined) {
    // An import does not enable a channel without keys: it may be disabled until they are entered.
    const enabled = before.keys.length === 0 && sent.enabled ? undefined : sent.enabled;
    return changed(one, await updateChannel(importing, before, { ...patch, ...sentFields({ enabled }) }));
  }
  const { name, provider } = sent;
  // Disabled until its keys are entered.
  const own = { ...patch, id: newId(ctx.random, "chn"), name, provider, enabled: false };
  newChannels.push(newChannel(own, ctx.clock.now()));
  return created(one);
}

/** Creates missing channels, disabled and without keys, and updates existing ones. */
async function importChannels(importing: Importing, channels: readonly FileChannel[]): Promise<ImportStep[]> {
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
      steps.push(await (sent.embedded ? importEmbeddedChannel : importUpstreamChannel)(importing, sent));
    } catch (error) {
      // Thrown before anything of this channel was written.
      if (!hasCode(error, "invalid")) throw error;
      steps.push(skipped(one, error.message));
    }
  }
  await importing.tx.channels.insert(...importing.newChannels);
  return steps;
}

/** Rolls a dry run back, carrying its steps. */
class DryRun extends Error {
  constructor(readonly steps: ImportStep[]) {
    super("dry run");
  }
}

/** Most names of one kind of change in the audit log. */
const MAX_NAMED = 100;

/** What the steps created, changed and skipped, for the audit log: names, with the changed fields. */
function changesOf(steps: readonly ImportStep[]): Record<string, string[]> {
  const nameOf = ({ kind, name, fields }: ImportStep) => {
    // A setting's field is the setting itself.
    const others = fields.filter((field) => field !== name);
    return `${kind} ${name}${others.length === 0 ? "" : `: ${others.join(", ")}`}`;
  };
  const named = (action: ImportStep["action"]) => {
    const names = steps.filter((one) => one.action === action).map(nameOf);
    const more = names.length - MAX_NAMED;
    return more > 0 ? [...names.slice(0, MAX_NAMED), `and ${more} more`] : names;
  };
  return { created: named("create"), changed: named("change"), skipped: named("skip") };
}

/**
 * Imports models, channels and settings in one transaction; a dry run does the same work and rolls it back. Throws
 * `forbidden`.
 */
export async function importFile(ctx: ConsoleContext, input: ImportSettings): Promise<ImportReport> {
  const user = await requireSignedInOperator(ctx);
  const { dry_run, file } = input;
  try {
    const steps = await ctx.store.transaction(async (tx) => {
      const existing = (await tx.channels.all()).map((channel) => [channel.id, channel] as const);
      const models = await readModelNames(tx);
      const channels = new Map(existing);
      const importing: Importing = {
        tx,
        ctx,
        user,
        models,
        skippedModels: [],
        channels,
        newModels: [],
        newChannels: [],
      };
      // Models first: channels name them.
      const ofModels = await importModels(importing, file.models);
      importing.skippedModels = ofModels.filter(({ action }) => action === "skip");
      const ofChannels = await importChannels(importing, file.channels);
      const ofSettings = await importSettings(importing, file.settings);
      const all = [...ofSettings, ...ofModels, ...ofChannels];
      if (dry_run) throw new DryRun(all);
      await recordAudit(tx, ctx, { action: "settings.import", detail: changesOf(all) });
      return all;
    });
    await ctx.instance.refreshSettings?.();
    return { dry_run, steps };
  } catch (error) {
    if (error instanceof DryRun) return { dry_run, steps: error.steps };
    throw error;
  }
}
