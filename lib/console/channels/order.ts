import type { Channel, OrderChannels } from "../../contracts/console/channels";
import type { ListPage } from "../../contracts/paging";
import { AppError } from "../../errors";
import { requireOperator, staleVersion } from "../access/require-operator";
import { recordAudit } from "../audit/record";
import type { ConsoleContext } from "../context";
import { listChannels } from "./list";

/**
 * Sets the priority of every channel to its tier, all or none. Throws `forbidden`, `invalid` (a channel is named
 * twice), `conflict` (a channel was added, removed or changed since the order was read).
 */
export async function orderChannels(ctx: ConsoleContext, input: OrderChannels): Promise<ListPage<Channel>> {
  await requireOperator(ctx);
  const wanted = input.tiers.flatMap((tier, priority) => tier.map((one) => ({ ...one, priority })));
  const byId = new Map(wanted.map((one) => [one.id, one]));
  if (byId.size < wanted.length) throw new AppError("invalid", "Name each channel once.");
  await ctx.store.transaction(async (tx) => {
    const records = await tx.channels.all();
    if (records.length !== byId.size) throw staleVersion();
    const before: Record<string, number> = {};
    const after: Record<string, number> = {};
    for (const record of records) {
      const one = byId.get(record.id);
      if (one === undefined || one.version !== record.version) throw staleVersion();
      if (one.priority === record.priority) continue;
      before[record.id] = record.priority;
      after[record.id] = one.priority;
      const updated = await tx.channels.update(one, { priority: one.priority });
      if (updated === null) throw staleVersion();
    }
    if (Object.keys(after).length === 0) return;
    await recordAudit(tx, ctx, { action: "channel.order", detail: { before, after } });
  });
  return listChannels(ctx);
}
