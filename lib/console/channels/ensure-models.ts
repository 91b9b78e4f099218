import type { ModelOperation } from "../../contracts/console/channels";
import { AppError, type Issue } from "../../errors";
import type { ProviderFacts } from "../../ports/channel-probe";
import type { ModelRecord, Repositories } from "../../ports/store";
import type { ActorContext } from "../audit/record";
import { insertModel } from "../models/insert";
import { type ModelNames, readModelNames } from "../models/model-names";
import { draftModel, operationByName } from "../models/price-list";

interface OfferedModel {
  name: string;
  upstream_name: string;
  operation?: ModelOperation | undefined;
}

function operationOf(offered: OfferedModel, provider: ProviderFacts | undefined): ModelOperation | null {
  if (offered.operation !== undefined) return offered.operation;
  const [only, ...others] = provider?.operations ?? [];
  if (only !== undefined && others.length === 0) return only;
  return operationByName(offered.upstream_name);
}

/**
 * Creates a model for every offered public name that has none yet, with prices and limits of the shipped list.
 * `listed`: names for which no model is created, such as those that the channel had before, whose models were deleted;
 * `models`: all models, if already read. Throws `invalid` for names that are aliases, and for offers whose operation is
 * unknown or differs from the existing model's.
 */
export async function ensureModels(
  tx: Repositories,
  ctx: ActorContext,
  offers: readonly OfferedModel[],
  {
    provider,
    listed = [],
    models: given,
  }: { provider: ProviderFacts | undefined; listed?: readonly { name: string }[]; models?: ModelNames },
): Promise<void> {
  const models = given ?? (await readModelNames(tx));
  const known = new Set(listed.map(({ name }) => name));
  const issues: Issue[] = [];
  const drafts: ModelRecord[] = [];
  for (const [index, offer] of offers.entries()) {
    const refuse = (field: "name" | "operation", message: string) =>
      issues.push({ path: `models.${index}.${field}`, message });
    const taken = models.holderOf(offer.name);
    if (taken !== undefined) {
      if (taken.name !== offer.name) refuse("name", `This is an alias of '${taken.name}'; use that name.`);
      else if (offer.operation !== undefined && offer.operation !== taken.operation)
        refuse("operation", `'${offer.name}' is a model for ${taken.operation}.`);
      continue;
    }
    if (known.has(offer.name)) continue;
    const operation = operationOf(offer, provider);
    if (operation === null)
      refuse("operation", `Set the operation of '${offer.name}': "speech" or "embeddings".`);
    else drafts.push(draftModel(offer.name, operation, offer.upstream_name, ctx.clock.now()));
  }
  if (issues.length > 0) throw new AppError("invalid", issues[0]?.message ?? "", { issues });
  for (const draft of drafts) {
    await insertModel(tx, ctx, draft);
    models.note(draft);
  }
}
