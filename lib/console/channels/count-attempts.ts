import type { ChannelAttempts } from "../../contracts/console/channel-errors";
import { requireAdmin } from "../access/guards";
import type { ReadContext } from "../context";

const DAY_MS = 86_400_000;

/**
 * Failed attempts of the last 24 hours, of calls that ended on another channel or on none: the usage of a channel does
 * not include them. Channels without any are left out. Throws `forbidden`.
 */
export async function countChannelAttempts(ctx: ReadContext): Promise<ChannelAttempts> {
  requireAdmin(ctx);
  const to = ctx.clock.now();
  const byChannel = new Map<string, number>();
  for (const { channelId, attempts } of await ctx.store.ledger.failovers({ from: to - DAY_MS, to }))
    byChannel.set(channelId, (byChannel.get(channelId) ?? 0) + attempts);
  return { items: [...byChannel].map(([channel_id, failovers]) => ({ channel_id, failovers })) };
}
