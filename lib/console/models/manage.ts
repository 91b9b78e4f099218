import type { CreateModel, Model, ModelList, UpdateModel } from "../../contracts/console/models";
import type { ShortListQuery } from "../../contracts/paging";
import { AppError, type Issue } from "../../errors";
import { listVoiceNames, unknownVoice } from "../../gateway/speech/choose-voices";
import type { ModelRecord, Repositories } from "../../ports/store";
import { requireAdmin, requireOperator, staleVersion } from "../access/guards";
import { recordAudit } from "../audit/record";
import { readUse } from "../circuits/health";
import type { ConsoleContext, ReadContext } from "../context";
import { pageOf } from "../page-of";
import { insertModel } from "./insert";
import { readModelNames } from "./model-names";
import { draftModel, PRICE_LIST_DATE } from "./price-list";
import { patchOf, servingChannels, toModel } from "./to-model";

/**
 * Refuses a name or alias that another model uses, with an issue per field. `isNew`: also checks the model's own name.
 * Throws `conflict`.
 */
async function requireFreeModelNames(
  tx: Pick<Repositories, "models">,
  { name, aliases }: Pick<ModelRecord, "name" | "aliases">,
  isNew: boolean,
): Promise<void> {
  const models = await readModelNames(tx);
  const issueOf = (path: string, asked: string): Issue[] => {
    const holder = models.holderOf(asked);
    if (holder === undefined || (!isNew && holder.name === name)) return [];
    return [{ path, message: `'${asked}' is already a name or alias of the model '${holder.name}'.` }];
  };
  const issues = [
    ...(isNew ? issueOf("name", name) : []),
    ...aliases.flatMap((alias, index) => issueOf(`aliases.${index}`, alias)),
  ];
  const [first] = issues;
  if (first !== undefined) throw new AppError("conflict", first.message, { issues });
}

/**
 * Throws `invalid` when an alias is the model's own name, with an issue per alias. `before`: the aliases that are
 * stored; older models may have their own name among them and can keep it.
 */
function requireOtherNames(
  { name, aliases }: Pick<ModelRecord, "name" | "aliases">,
  before: readonly string[],
): void {
  if (before.includes(name)) return;
  const message = `'${name}' is the model's own name and cannot be its alias.`;
  const issues = aliases.flatMap((alias, index) =>
    alias === name ? [{ path: `aliases.${index}`, message }] : [],
  );
  if (issues.length > 0) throw new AppError("invalid", message, { issues });
}

/** Throws `invalid` when the request sets a new default voice that no enabled channel of the model has. */
async function requireKnownVoice(ctx: ConsoleContext, name: string, { default_voice: voice }: UpdateModel) {
  const entry = voice ? await ctx.catalog.find(name) : null;
  if (!voice || entry?.model.name !== name || entry.model.defaultVoice === voice) return;
  const about = { field: "default_voice", model: name };
  const message = unknownVoice(voice, await listVoiceNames(ctx, entry), about);
  if (message !== null) throw new AppError("invalid", message, { issues: [{ path: about.field, message }] });
}

async function getModelRecord(store: Pick<Repositories, "models">, name: string): Promise<ModelRecord> {
  const record = (await store.models.all()).find((model) => model.name === name);
  if (record === undefined) throw new AppError("not_found", "Model not found.");
  return record;
}

/** The models by name, disabled ones included; all of them without a query. */
export async function listModels(ctx: ReadContext, query: ShortListQuery = {}): Promise<ModelList> {
  requireAdmin(ctx);
  const [models, channels, use] = await Promise.all([
    ctx.store.models.all(),
    ctx.store.channels.all(),
    readUse(ctx),
  ]);
  const page = pageOf(models, query, {
    sortKeyOf: ({ name }) => [name],
    sortKeyTypes: ["string"],
    textsOf: ({ name, aliases, description }) => [name, ...aliases, description],
  });
  const serving = servingChannels(channels);
  return {
    ...page,
    items: page.items.map((model) => toModel(ctx, model, serving, use)),
    price_list_date: PRICE_LIST_DATE,
  };
}

/** Creates a model. Throws `forbidden`, `invalid` (its name as alias), `conflict` (name or alias taken). */
export async function createModel(ctx: ConsoleContext, input: CreateModel): Promise<Model> {
  await requireOperator(ctx);
  const { name, operation, ...rest } = input;
  const draft = draftModel(name, operation, name, ctx.clock.now());
  const record: ModelRecord = { ...draft, ...patchOf(draft, rest) };
  requireOtherNames(record, []);
  const use = await readUse(ctx);
  return ctx.store.transaction(async (tx) => {
    await requireFreeModelNames(tx, record, true);
    await insertModel(tx, ctx, record);
    return toModel(ctx, record, servingChannels(await tx.channels.all()), use);
  });
}

/**
 * Changes a model, effective from the next request. Throws `forbidden`, `not_found`, `invalid` (its name as alias,
 * unknown default voice), `conflict` (stale version, alias taken).
 */
export async function updateModel(ctx: ConsoleContext, name: string, input: UpdateModel): Promise<Model> {
  await requireOperator(ctx);
  const { version, ...sent } = input;
  await requireKnownVoice(ctx, name, input);
  const use = await readUse(ctx);
  return ctx.store.transaction(async (tx) => {
    const before = await getModelRecord(tx, name);
    requireOtherNames({ name, aliases: sent.aliases ?? [] }, before.aliases);
    const patch = patchOf(before, sent);
    if (before.version === version && patch.aliases !== undefined)
      await requireFreeModelNames(tx, { name, aliases: patch.aliases }, false);
    const record = await tx.models.update(name, version, patch);
    if (record === null) throw staleVersion();
    // The fields of the patch are fields of the record.
    const was = Object.fromEntries(
      Object.keys(patch).map((field) => [field, before[field as keyof ModelRecord]]),
    );
    await recordAudit(tx, ctx, {
      action: "model.update",
      target: name,
      detail: { before: was, after: patch },
    });
    return toModel(ctx, record, servingChannels(await tx.channels.all()), use);
  });
}

/**
 * Removes a model from the model lists of its channels; returns the channels' names, sorted. Embedded engines keep
 * their lists, which operators cannot change, so that a new model of that name is served again.
 */
async function removeFromChannels(tx: Repositories, model: string): Promise<string[]> {
  const channels = (await tx.channels.all()).filter(
    ({ embedded, models }) => !embedded && models.some(({ name }) => name === model),
  );
  for (const channel of channels) {
    const models = channel.models.filter(({ name }) => name !== model);
    if ((await tx.channels.update(channel, { models })) === null) throw staleVersion();
  }
  return channels.map(({ name }) => name).sort();
}

/** Deletes a model, also from the lists of its channels. Throws `forbidden`, `not_found`. */
export async function deleteModel(ctx: ConsoleContext, name: string): Promise<void> {
  await requireOperator(ctx);
  await ctx.store.transaction(async (tx) => {
    await getModelRecord(tx, name);
    await tx.models.delete(name);
    const channels = await removeFromChannels(tx, name);
    await recordAudit(tx, ctx, { action: "model.delete", target: name, detail: { channels } });
  });
}
