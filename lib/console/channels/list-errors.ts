import type { ChannelError, ChannelErrorsQuery } from "../../contracts/console/channel-errors";
import { toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { requireAdmin } from "../access/guards";
import { getChannelRecord } from "../access/require-operator";
import type { ConsoleContext } from "../context";
import { nameOfKey } from "./stored-keys";

const DAY_MS = 86_400_000;

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
  const nameOf = (keyId: string | null): string | null => {
    const key = keys.find((one) => one.id === keyId);
    return key === undefined ? null : nameOfKey(key);
  };
  const to = query.to === undefined ? ctx.clock.now() : Date.parse(query.to);
  const from = query.from === undefined ? to - DAY_MS : Date.parse(query.from);
  if (from >= to) throw new AppError("invalid", "'from' must be before 'to'.");
  const attempts = await ctx.store.ledger.failedAttempts({ channelId, from, to, limit: query.limit });
  const items = attempts.map((one) => ({
    id: one.id,
    request_id: one.requestId,
    at: toTimestamp(one.at),
    model: one.model,
    error: one.error,
    upstream_status: one.upstreamStatus,
    key: nameOf(one.keyId),
    message: one.message,
    status: one.status,
  }));
  return { items };
}
