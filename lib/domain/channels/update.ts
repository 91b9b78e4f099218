import type { Channel, UpdateChannel } from "../../contracts/channels";
import { AppError } from "../../errors";
import type { ChannelKey, ChannelRecord } from "../../ports/store";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { circuitPlace, placesOf } from "../gateway/circuits";
import { gatewayState } from "../gateway/gateway-state";
import { getChannelRecord, requireOperator, staleVersion } from "./authority";
import { ensureModels } from "./ensure-models";
import { sealKey } from "./seal-keys";
import { readTimeouts } from "./timeouts";
import { toChannel } from "./to-channel";

type Patch = Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>;

/** What the operator may change of an engine built in: nothing that makes it another. */
const OF_EMBEDDED = new Set(["name", "priority", "weight", "rpm", "concurrency", "enabled", "version"]);

function requireChangeable(record: ChannelRecord, input: UpdateChannel): void {
  if (!record.embedded) return;
  const fixed = Object.keys(input).filter((name) => !OF_EMBEDDED.has(name));
  if (fixed.length === 0) return;
  const message = "This cannot be changed of an engine built in.";
  throw new AppError("invalid", message, { issues: fixed.map((path) => ({ path, message })) });
}

function originOf(baseUrl: string | null | undefined): string | null {
  return baseUrl && URL.canParse(baseUrl) ? new URL(baseUrl).origin : null;
}

/**
 * A kept key would be shown to whoever answers at the new address, so it does not move there: keys are written anew
 * when the origin changes (SECURITY EN-4). Throws `invalid`.
 */
function requireNewKeys(record: ChannelRecord, input: UpdateChannel): void {
  if (input.base_url === undefined || record.keys.length === 0) return;
  if (originOf(input.base_url) === originOf(record.baseUrl)) return;
  const isKept = input.keys === undefined || input.keys.some((one) => typeof one !== "string");
  if (!isKept) return;
  const message = "The address leads to another host: write its keys anew, those kept stay with the old one.";
  throw new AppError("invalid", message, { issues: [{ path: "keys", message }] });
}

function keysOf(
  ctx: ConsoleContext,
  record: ChannelRecord,
  sent: UpdateChannel["keys"],
): ChannelKey[] | undefined {
  return sent?.map((one, index) => {
    if (typeof one === "string") return sealKey(ctx, record.id, one);
    const kept = record.keys.find((key) => key.id === one.id);
    if (kept !== undefined) return kept;
    const message = "This channel has no key of that id.";
    throw new AppError("invalid", message, { issues: [{ path: `keys.${index}.id`, message }] });
  });
}

function patchOf(ctx: ConsoleContext, record: ChannelRecord, input: UpdateChannel): Patch {
  const isRedrawn =
    input.base_url !== undefined || input.headers !== undefined || input.options !== undefined;
  const draft = isRedrawn
    ? ctx.providers.checkChannel({
        provider: record.provider,
        baseUrl: input.base_url === undefined ? record.baseUrl : input.base_url,
        headers: input.headers ?? record.headers,
        options: input.options ?? record.options,
      })
    : {};
  const keys = keysOf(ctx, record, input.keys);
  return {
    ...draft,
    ...(keys === undefined ? {} : { keys }),
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.models === undefined
      ? {}
      : { models: input.models.map((one) => ({ name: one.name, upstreamName: one.upstream_name })) }),
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    ...(input.weight === undefined ? {} : { weight: input.weight }),
    ...(input.rpm === undefined ? {} : { rpm: input.rpm }),
    ...(input.concurrency === undefined ? {} : { concurrency: input.concurrency }),
    ...(input.timeouts === undefined ? {} : { timeouts: readTimeouts(input.timeouts) }),
    ...(input.enabled === undefined ? {} : { enabled: input.enabled }),
  };
}

/** For the audit: what changed, keys by what is shown of them. */
function shownPatch(patch: Patch): Record<string, unknown> {
  return { ...patch, ...(patch.keys === undefined ? {} : { keys: patch.keys.map((key) => key.display) }) };
}

/**
 * Changes a channel; counts from the next request. Where it goes or what it shows there is new, its circuits start
 * closed. Throws `forbidden`, `not_found`, `invalid`, `conflict` (stale version).
 */
export async function updateChannel(ctx: ConsoleContext, id: string, input: UpdateChannel): Promise<Channel> {
  await requireOperator(ctx);
  const { record, patch } = await ctx.store.transaction(async (tx) => {
    const before = await getChannelRecord(tx, id);
    requireChangeable(before, input);
    requireNewKeys(before, input);
    const patch = patchOf(ctx, before, input);
    const facts = ctx.providers.providers().find((one) => one.name === before.provider);
    if (input.models !== undefined) await ensureModels(tx, input.models, facts, ctx.clock.now());
    const record = await tx.channels.update({ id, version: input.version }, patch);
    if (record === null) throw staleVersion();
    const changed = Object.keys(patch) as (keyof Patch)[];
    const was = Object.fromEntries(changed.map((name) => [name, before[name]]));
    await recordAudit(tx, ctx, {
      action: "channel.update",
      target: id,
      detail: { before: shownPatch(was), after: shownPatch(patch) },
    });
    return { record, patch };
  });
  if (patch.baseUrl !== undefined || patch.keys !== undefined || patch.enabled === true)
    closeCircuits(ctx, record);
  return toChannel(ctx, record);
}

function closeCircuits(ctx: ConsoleContext, record: ChannelRecord): void {
  const { circuits } = gatewayState(ctx);
  for (const place of [circuitPlace(record.id, null), ...placesOf(record)]) circuits.close(place);
}

/** The operator's word that a channel is well: its circuits are closed now. Throws `forbidden`, `not_found`. */
export async function closeCircuit(ctx: ConsoleContext, id: string): Promise<Channel> {
  await requireOperator(ctx);
  const record = await getChannelRecord(ctx.store, id);
  closeCircuits(ctx, record);
  await ctx.store.transaction((tx) => recordAudit(tx, ctx, { action: "channel.close_circuit", target: id }));
  return toChannel(ctx, record);
}
