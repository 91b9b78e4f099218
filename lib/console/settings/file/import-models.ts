import type { CreateModel } from "../../../contracts/console/models";
import type { ImportStep } from "../../../contracts/console/settings-file";
import type { ModelRecord } from "../../../ports/store";
import { differing } from "../../differing";
import type { ModelNames } from "../../models/model-names";
import { draftModel } from "../../models/price-list";
import { patchOf } from "../../models/to-model";
import { changed, created, type Importing, skipped } from "./step";

/** Exports of older instances may name a model among its own aliases. */
const aliasesOf = ({ name, aliases }: CreateModel) => aliases?.filter((alias) => alias !== name);

/**
 * Why models of the file cannot be imported, by name. Another model's alias is free when that model is in the file,
 * gives the alias up, and can be imported itself.
 */
function refusedModels(models: ModelNames, sent: readonly CreateModel[]): Map<string, string> {
  const refused = new Map<string, string>();
  /** The model of the file that gets each name. */
  const claims = new Map<string, string>();
  const wanted = new Map(sent.map((one) => [one.name, aliasesOf(one)]));
  const namesOf = (model: string) => [model, ...(wanted.get(model) ?? [])];
  const isKept = (name: string, by: ModelRecord) =>
    name === by.name || refused.has(by.name) || (wanted.get(by.name) ?? by.aliases).includes(name);
  const takenBy = (name: string, owner: string) => `'${name}' is already a name or alias of '${owner}'.`;
  const refuse = (model: string, why: string): void => {
    const toRefuse = [{ model, why }];
    // Grows while it is read: a refused model keeps its aliases, so a model that was to get one of them is refused too.
    for (const next of toRefuse) {
      if (refused.has(next.model)) continue;
      refused.set(next.model, next.why);
      for (const name of namesOf(next.model)) if (claims.get(name) === next.model) claims.delete(name);
      const before = models.holderOf(next.model);
      for (const alias of before?.name === next.model ? before.aliases : []) {
        const claimant = claims.get(alias) ?? next.model;
        if (claimant !== next.model) toRefuse.push({ model: claimant, why: takenBy(alias, next.model) });
      }
    }
  };
  for (const { name, operation } of sent) {
    const before = models.holderOf(name);
    if (before?.name === name && before.operation !== operation)
      refuse(name, `Its operation is ${before.operation} on this instance.`);
  }
  for (const { name: model } of sent) {
    if (refused.has(model)) continue;
    const names = namesOf(model);
    const ownerOf = (name: string): string => {
      const holder = models.holderOf(name);
      return claims.get(name) ?? (holder !== undefined && isKept(name, holder) ? holder.name : model);
    };
    const conflict = names.find((name) => ownerOf(name) !== model);
    if (conflict === undefined) for (const name of names) claims.set(name, model);
    else refuse(model, takenBy(conflict, ownerOf(conflict)));
  }
  return refused;
}

/**
 * Removes the aliases that these models give up, since another model of the file may take them. Returns the models that
 * were changed as they were before, by name.
 */
async function releaseAliases(
  { tx, models }: Importing,
  sent: readonly CreateModel[],
): Promise<Map<string, ModelRecord>> {
  const released = new Map<string, ModelRecord>();
  for (const one of sent) {
    const before = models.holderOf(one.name);
    const wanted = aliasesOf(one);
    if (before?.name !== one.name || wanted === undefined) continue;
    const aliases = before.aliases.filter((alias) => wanted.includes(alias));
    if (aliases.length === before.aliases.length) continue;
    released.set(one.name, before);
    const after = await tx.models.update(one.name, before.version, { aliases });
    if (after !== null) models.note(after);
  }
  return released;
}

/** `released`: the model before `releaseAliases`, if that changed it. */
async function importModel(
  { tx, ctx, models, newModels }: Importing,
  sent: CreateModel,
  released: ModelRecord | undefined,
): Promise<ImportStep> {
  const { name, operation, ...fields } = sent;
  const one = { kind: "model", name } as const;
  const rest = { ...fields, aliases: aliasesOf(sent) };
  const before = models.holderOf(name);
  if (before === undefined) {
    const draft = draftModel(name, operation, name, ctx.clock.now());
    const model = { ...draft, ...patchOf(draft, rest) };
    models.note(model);
    newModels.push(model);
    return created(one);
  }
  const patch = patchOf(before, rest);
  const fresh = differing(before, patch);
  if (Object.keys(fresh).length > 0) {
    const after = await tx.models.update(name, before.version, fresh);
    if (after !== null) models.note(after);
  }
  return changed(one, Object.keys(differing(released ?? before, patch)));
}

/** Why a model of the file is skipped; null: it is imported. */
function refusalOf(
  model: CreateModel,
  first: ReadonlyMap<string, CreateModel>,
  refused: Map<string, string>,
) {
  if (first.get(model.name) !== model) return "Another model of the file has this name.";
  return refused.get(model.name) ?? null;
}

/** Creates missing models and updates existing ones. */
export async function importModels(
  importing: Importing,
  sent: readonly CreateModel[],
): Promise<ImportStep[]> {
  const first = new Map(sent.toReversed().map((model) => [model.name, model]));
  const models = sent.filter((model) => first.get(model.name) === model);
  const refused = refusedModels(importing.models, models);
  const free = models.filter(({ name }) => !refused.has(name));
  const released = await releaseAliases(importing, free);
  const steps: ImportStep[] = [];
  for (const model of sent) {
    const { name } = model;
    const reason = refusalOf(model, first, refused);
    if (reason === null) steps.push(await importModel(importing, model, released.get(name)));
    else steps.push(skipped({ kind: "model", name }, reason));
  }
  await importing.tx.models.insert(...importing.newModels);
  return steps;
}
