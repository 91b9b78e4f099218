import type { CreateModel } from "../../../contracts/public-models";
import type { ImportStep } from "../../../contracts/settings-file";
import type { ModelRecord } from "../../../ports/store";
import { draftModel } from "../../models/price-list";
import { patchOf } from "../../models/to-model";
import { changed, created, differing, type Importing, skipped } from "./step";

/** Who answers to a name now, other than the model `except`. */
function holderOf(models: readonly ModelRecord[], names: readonly string[], except: string): string | null {
  for (const name of names) {
    const holder = models.find(
      (one) => one.name !== except && (one.name === name || one.aliases.includes(name)),
    );
    if (holder !== undefined) return `'${name}' is a name of '${holder.name}' here.`;
  }
  return null;
}

async function importModel({ tx, ctx }: Importing, sent: CreateModel): Promise<ImportStep> {
  const { name, operation, ...rest } = sent;
  const one = { kind: "model", name } as const;
  const models = await tx.models.all();
  const before = models.find((model) => model.name === name);
  const taken = holderOf(models, [name, ...(rest.aliases ?? [])], name);
  if (taken !== null) return skipped(one, taken);
  if (before === undefined) {
    const draft = draftModel(name, operation, name, ctx.clock.now());
    await tx.models.insert({ ...draft, ...patchOf(draft, rest) });
    return created(one);
  }
  if (before.operation !== operation) return skipped(one, `It is a model for ${before.operation} here.`);
  const patch = differing(before, patchOf(before, rest));
  const fields = Object.keys(patch);
  if (fields.length > 0) await tx.models.update(name, before.version, patch);
  return changed(one, fields);
}

/** Makes the models that are not here and changes those that are. */
export async function importModels(
  importing: Importing,
  models: readonly CreateModel[],
): Promise<ImportStep[]> {
  const steps: ImportStep[] = [];
  for (const model of models) steps.push(await importModel(importing, model));
  return steps;
}
