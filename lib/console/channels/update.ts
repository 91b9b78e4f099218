import {
  type Channel,
  type CloseCircuit,
  LOCAL_VOICES,
  type UpdateChannel,
} from "../../contracts/console/channels";
import { AppError, invalidField } from "../../errors";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import { getChannelRecord, requireOperator, staleVersion } from "../access/guards";
import { recordAudit } from "../audit/record";
import { readUse } from "../circuits/health";
import type { ConsoleContext } from "../context";
import { sentFields } from "../differing";
import { ensureModels } from "./ensure-models";
import {
  encryptKey,
  findStoredKey,
  nameOfKey,
  requireNewKeys,
  requireUniqueLabels,
  withLabel,
} from "./stored-keys";
import { readTimeouts, toChannel } from "./to-channel";

type Patch = Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>;

/** The fields of an embedded channel that the operator may change. */
const CHANGEABLE_EMBEDDED_FIELDS = new Set([
  "name",
  "priority",
  "weight",
  "rpm",
  "concurrency",
  "enabled",
  "version",
]);

function requireChangeable(record: ChannelRecord, input: UpdateChannel): void {
  if (!record.embedded) return;
  const isVoice = record.provider === LOCAL_VOICES;
  // A local voice has options: the mapping of voice names.
  const fixed = Object.keys(input).filter(
    (name) => !CHANGEABLE_EMBEDDED_FIELDS.has(name) && !(isVoice && name === "options"),
  );
  if (fixed.length === 0) return;
  const message = "This field cannot be changed for an embedded engine.";
  throw new AppError("invalid", message, { issues: fixed.map((path) => ({ path, message })) });
}

function keysOf(
  ctx: ConsoleContext,
  record: ChannelRecord,
  sent: UpdateChannel["keys"],
): ChannelKey[] | undefined {
  const keys = sent?.map((one, index) =>
    typeof one === "string" || !("id" in one)
      ? encryptKey(ctx, record.id, one)
      : withLabel(findStoredKey(record, one.id, index), one.label),
  );
  if (keys === undefined) return undefined;
  const ids = keys.map((key) => key.id);
  const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (repeated >= 0) throw invalidField(`keys.${repeated}.id`, "Must name each key once.");
  requireUniqueLabels(keys);
  return keys;
}

function patchOf(ctx: ConsoleContext, record: ChannelRecord, input: UpdateChannel): Patch {
  const changesConnection =
    input.base_url !== undefined || input.headers !== undefined || input.options !== undefined;
  const draft = changesConnection
    ? ctx.providers.checkChannel({
        provider: record.provider,
        baseUrl: input.base_url === undefined ? record.baseUrl : input.base_url,
        headers: input.headers ?? record.headers,
        options: input.options ?? record.options,
      })
    : {};
  const { name, priority, weight, rpm, concurrency, enabled } = input;
  return sentFields({
    ...draft,
    keys: keysOf(ctx, record, input.keys),
    name,
    models: input.models?.map((one) => ({ name: one.name, upstreamName: one.upstream_name })),
    priority,
    weight,
    rpm,
    concurrency,
    timeouts: input.timeouts && readTimeouts(input.timeouts),
    enabled,
  });
}

/** The patch for the audit log, with keys by label, else in their display form. */
function shownPatch(patch: Patch): Record<string, unknown> {
  return { ...patch, ...(patch.keys === undefined ? {} : { keys: patch.keys.map(nameOfKey) }) };
}

/**
 * Changes a channel, effective from the next request. A change of what its calls depend on resets its
 * circuits to closed. Throws `forbidden`, `not_found`, `invalid`, `conflict` (stale version).
 */
export async function updateChannel(ctx: ConsoleContext, id: string, input: UpdateChannel): Promise<Channel> {
  await requireOperator(ctx);
  // Read before the change: a failure after the commit would report a stored change as failed.
  const use = await readUse(ctx);
  const record = await ctx.store.transaction(async (tx) => {
    const before = await getChannelRecord(tx, id);
    // All checks below are against the version that is replaced.
    if (before.version !== input.version) throw staleVersion();
    requireChangeable(before, input);
    requireNewKeys(before, input);
    const patch = patchOf(ctx, before, input);
    const provider = ctx.providers.providers().find((one) => one.name === before.provider);
    if (input.models !== undefined)
      await ensureModels(tx, ctx, input.models, { provider, listed: before.models });
    const record = await tx.channels.update({ id, version: input.version }, patch);
    if (record === null) throw staleVersion();
    const changed = Object.keys(patch) as (keyof Patch)[];
    const was = Object.fromEntries(changed.map((name) => [name, before[name]]));
    await recordAudit(tx, ctx, {
      action: "channel.update",
      target: id,
      detail: { before: shownPatch(was), after: shownPatch(patch) },
    });
    return record;
  });
  // The catalogue closes the channel's circuits when it loads the new version: loaded here so that the reply shows them
  // closed. A failed read is not reported, since the change is stored; the next call repeats the read.
  await ctx.catalog.all().catch(() => undefined);
  return toChannel(ctx, record, use);
}

/**
 * Closes the circuits of a channel, or of one of its keys, in this process, so that requests resume now: the circuits
 * of keys and those of models on them. Throws `forbidden`, `not_found`.
 */
export async function closeCircuit(ctx: ConsoleContext, id: string, input: CloseCircuit): Promise<Channel> {
  await requireOperator(ctx);
  const use = await readUse(ctx);
  const record = await getChannelRecord(ctx.store, id);
  const keyId = input.key_id;
  if (keyId !== undefined && !record.keys.some((key) => key.id === keyId))
    throw new AppError("not_found", "This channel has no key with that ID.");
  await ctx.store.transaction((tx) =>
    recordAudit(tx, ctx, { action: "channel.close_circuit", target: id, detail: { upstream_key: keyId } }),
  );
  ctx.state.circuits.close(id, { keyId });
  return toChannel(ctx, record, use);
}
