import type { ModelRecord, Repositories } from "../../ports/store";
import { type ActorContext, recordAudit } from "../audit/record";

/** Inserts a model with its audit entry. Throws `conflict` when a name or alias is taken. */
export async function insertModel(tx: Repositories, ctx: ActorContext, model: ModelRecord): Promise<void> {
  await tx.models.insert(model);
  await recordAudit(tx, ctx, {
    action: "model.create",
    target: model.name,
    detail: { operation: model.operation, prices: model.prices },
  });
}
