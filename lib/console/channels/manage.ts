import type { Channel, OrderChannels, Provider } from "../../contracts/console/channels";
import type { ListPage, ShortListQuery } from "../../contracts/paging";
import { AppError } from "../../errors";
import type { ChannelRecord } from "../../ports/store";
import { getChannelRecord, requireAdmin, requireOperator, staleVersion } from "../access/guards";
import { recordAudit } from "../audit/record";
import { type ReadUse, readUse } from "../circuits/health";
import type { ConsoleContext, ReadContext } from "../context";
import { pageOf } from "../page-of";
import { toChannel } from "./to-channel";

/** The channels by priority; all of them without a query. */
export async function listChannels(ctx: ReadContext, query: ShortListQuery = {}): Promise<ListPage<Channel>> {
  requireAdmin(ctx);
  const use = await readUse(ctx);
  return showChannels(ctx, await ctx.store.channels.all(), use, query);
}

function showChannels(
  ctx: ReadContext,
  records: readonly ChannelRecord[],
  use: ReadUse,
  query: ShortListQuery,
): ListPage<Channel> {
  const page = pageOf(records, query, {
    sortKeyOf: ({ priority, createdAt, id }) => [priority, createdAt, id],
    sortKeyTypes: ["number", "number", "string"],
    textsOf: ({ name, provider, baseUrl }) => [name, provider, baseUrl],
  });
  return { ...page, items: page.items.map((record) => toChannel(ctx, record, use)) };
}

/** One channel. Throws `not_found`. */
export async function getChannel(ctx: ReadContext, id: string): Promise<Channel> {
  requireAdmin(ctx);
  return toChannel(ctx, await getChannelRecord(ctx.store, id), await readUse(ctx));
}

/** The providers a channel can have: those that call an upstream. */
export function listProviders(ctx: ReadContext): { items: Provider[] } {
  requireAdmin(ctx);
  const upstreams = ctx.providers.providers().filter((one) => one.isUpstream);
  const items = upstreams.map(({ name, operations, defaultBaseUrl }) => ({
    name,
    operations: [...operations],
    default_base_url: defaultBaseUrl,
  }));
  return { items };
}

/**
 * Sets the priority of every channel to its tier, all or none. Throws `forbidden`, `invalid` (a channel is named
 * twice), `conflict` (a channel was added, removed or changed since the order was read).
 */
export async function orderChannels(ctx: ConsoleContext, input: OrderChannels): Promise<ListPage<Channel>> {
  await requireOperator(ctx);
  const wanted = input.tiers.flatMap((tier, priority) => tier.map((one) => ({ ...one, priority })));
  const byId = new Map(wanted.map((one) => [one.id, one]));
  if (byId.size < wanted.length) throw new AppError("invalid", "tiers: Must name each channel once.");
  const use = await readUse(ctx);
  const stored = await ctx.store.transaction(async (tx) => {
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
    if (Object.keys(after).length === 0) return records;
    await recordAudit(tx, ctx, { action: "channel.order", detail: { before, after } });
    return tx.channels.all();
  });
  return showChannels(ctx, stored, use, {});
}

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
