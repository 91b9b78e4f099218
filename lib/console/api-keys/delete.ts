import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { findChangeableKey } from "./permissions";

/** Revokes a key permanently. Throws `not_found`, `forbidden`. */
export async function deleteKey(ctx: ConsoleContext, id: string): Promise<void> {
  await ctx.store.transaction(async (tx) => {
    const key = await findChangeableKey(tx, ctx, id);
    await tx.keys.delete(id);
    await recordAudit(tx, ctx, {
      action: "key.delete",
      target: id,
      detail: { name: key.name, display: key.display, owner: key.ownerId },
    });
  });
}
