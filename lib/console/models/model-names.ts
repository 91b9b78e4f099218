import type { ModelRecord, Repositories } from "../../ports/store";

/** The models of a transaction by name and alias; call `note` after writing one. */
export interface ModelNames {
  /** The model with that name or alias. */
  holderOf(name: string): ModelRecord | undefined;
  /** Adds a model, replacing an earlier version with the same name. */
  note(model: ModelRecord): void;
}

/** Reads all models once. */
export async function readModelNames(tx: Pick<Repositories, "models">): Promise<ModelNames> {
  const holders = new Map<string, ModelRecord>();
  const note = (model: ModelRecord): void => {
    const before = holders.get(model.name);
    if (before?.name === model.name) for (const alias of before.aliases) holders.delete(alias);
    for (const name of [model.name, ...model.aliases]) holders.set(name, model);
  };
  for (const model of await tx.models.all()) note(model);
  return { holderOf: (name) => holders.get(name), note };
}
