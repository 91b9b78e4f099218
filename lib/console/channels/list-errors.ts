import type {
  ChannelAttempts,
  ChannelAttemptsQuery,
  ChannelError,
  ChannelErrorsQuery,
} from "../../contracts/console/channel-errors";
import { toTimestamp } from "../../contracts/timestamp";
import { getChannelRecord, requireAdmin } from "../access/guards";
import type { ConsoleContext, ReadContext } from "../context";
import { requestedRange } from "../requested-range";
import { nameOfStoredKey } from "./stored-keys";

/**
 * The newest failed attempts on a channel (by default of the last day), including those recovered by failover. Throws
 * `forbidden`, `not_found`, `invalid`.
 */
export async function listChannelErrors(
  ctx: ConsoleContext,
  id: string,
  query: ChannelErrorsQuery,
): Promise<{ items: ChannelError[] }> {
  requireAdmin(ctx);
  const { id: channelId, keys } = await getChannelRecord(ctx.store, id);
  const attempts = await ctx.store.ledger.failedAttempts({
    channelId,
    ...requestedRange(query, ctx.clock.now()),
    limit: query.limit,
  });
  const items = attempts.map((one) => ({
    id: one.id,
    request_id: one.requestId,
    at: toTimestamp(one.at),
    model: one.model,
    error: one.error,
    upstream_status: one.upstreamStatus,
    key: nameOfStoredKey(keys, one.keyId),
    message: one.message,
    status: one.status,
  }));
  return { items };
}

/**
 * Failed attempts in a range (by default the last 24 hours), of calls that ended on another channel or on none: the
 * usage of a channel does not include them. Channels without any are left out. Throws `forbidden`, `invalid`.
 */
export async function countChannelAttempts(
  ctx: ReadContext,
  query: ChannelAttemptsQuery,
): Promise<ChannelAttempts> {
  requireAdmin(ctx);
  const byChannel = new Map<string, number>();
  for (const { channelId, attempts } of await ctx.store.ledger.failovers(
    requestedRange(query, ctx.clock.now()),
  ))
    byChannel.set(channelId, (byChannel.get(channelId) ?? 0) + attempts);
  return { items: [...byChannel].map(([channel_id, failovers]) => ({ channel_id, failovers })) };
}
