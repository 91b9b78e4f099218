import { AppError, type Issue } from "../../errors";
import type { ModelRecord, Repositories } from "../../ports/store";
import { readModelNames } from "./model-names";

/**
 * Refuses a name or alias that another model answers to, and tells at which field. `isNew`: its own name counts, too.
 * Throws `conflict`.
 */
export async function requireFreeNames(
  tx: Pick<Repositories, "models">,
  { name, aliases }: Pick<ModelRecord, "name" | "aliases">,
  isNew: boolean,
): Promise<void> {
  const book = await readModelNames(tx);
  const issueOf = (path: string, asked: string): Issue[] => {
    const holder = book.holderOf(asked);
    if (holder === undefined || (!isNew && holder.name === name)) return [];
    return [{ path, message: `The model '${holder.name}' answers to '${asked}' already.` }];
  };
  const issues = [
    ...(isNew ? issueOf("name", name) : []),
    ...aliases.flatMap((alias, index) => issueOf(`aliases.${index}`, alias)),
  ];
  const [first] = issues;
  if (first !== undefined) throw new AppError("conflict", first.message, { issues });
}
