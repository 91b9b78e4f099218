import { AppError } from "../../errors";
import { getChannelRecord, requireOperator } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";

/** Deletes a channel and its keys; its models stay. Throws `forbidden`, `not_found`, `invalid` (embedded engine). */
export async function deleteChannel(ctx: ConsoleContext, id: string): Promise<void> {
  await requireOperator(ctx);
  await ctx.store.transaction(async (tx) => {
    const record = await getChannelRecord(tx, id);
    if (record.embedded)
      throw new AppError("invalid", "An embedded engine cannot be deleted; disable it instead.");
    await tx.channels.delete(id);
    const { name, provider, baseUrl } = record;
    await recordAudit(tx, ctx, {
      action: "channel.delete",
      target: id,
      detail: { name, provider, base_url: baseUrl },
    });
  });
}
