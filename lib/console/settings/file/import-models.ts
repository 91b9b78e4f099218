import type { CreateModel } from "../../../contracts/console/models";
import type { ImportStep } from "../../../contracts/console/settings-file";
import type { ModelNames } from "../../models/model-names";
import { draftModel } from "../../models/price-list";
import { patchOf } from "../../models/to-model";
import { changed, created, differing, type Importing, skipped } from "./step";

/** Why one of these names is taken by another model than `except`; null: all are free. */
function takenBy(models: ModelNames, names: readonly string[], except: string): string | null {
  for (const name of names) {
    const holder = models.holderOf(name);
    if (holder !== undefined && holder.name !== except)
      return `'${name}' is already a name or alias of '${holder.name}'.`;
  }
  return null;
}

async function importModel({ tx, ctx, models }: Importing, sent: CreateModel): Promise<ImportStep> {
  const { name, operation, ...rest } = sent;
  const one = { kind: "model", name } as const;
  const taken = takenBy(models, [name, ...(rest.aliases ?? [])], name);
  if (taken !== null) return skipped(one, taken);
  const before = models.holderOf(name);
  if (before === undefined) {
    const draft = draftModel(name, operation, name, ctx.clock.now());
    const model = { ...draft, ...patchOf(draft, rest) };
    await tx.models.insert(model);
    models.note(model);
    return created(one);
  }
  if (before.operation !== operation)
    return skipped(one, `Its operation is ${before.operation} on this instance.`);
  const patch = differing(before, patchOf(before, rest));
  const fields = Object.keys(patch);
  if (fields.length > 0) {
    const after = await tx.models.update(name, before.version, patch);
    if (after !== null) models.note(after);
  }
  return changed(one, fields);
}

/** Creates missing models and updates existing ones. */
export async function importModels(
  importing: Importing,
  models: readonly CreateModel[],
): Promise<ImportStep[]> {
  const steps: ImportStep[] = [];
  for (const model of models) steps.push(await importModel(importing, model));
  return steps;
}
