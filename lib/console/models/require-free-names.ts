import { AppError, type Issue } from "../../errors";
import type { ModelRecord, Repositories } from "../../ports/store";
import { readModelNames } from "./model-names";

/**
 * Refuses a name or alias that another model uses, with an issue per field. `isNew`: also checks the model's own name.
 * Throws `conflict`.
 */
export async function requireFreeNames(
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
