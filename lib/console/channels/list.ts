import type { Channel, Provider } from "../../contracts/console/channels";
import type { ListPage } from "../../contracts/paging";
import { requireAdmin } from "../access/guards";
import { getChannelRecord } from "../access/require-operator";
import type { ReadContext } from "../context";
import { toChannel } from "./to-channel";

/** Every channel, by priority. There are few, so the list is one page. */
export async function listChannels(ctx: ReadContext): Promise<ListPage<Channel>> {
  requireAdmin(ctx);
  const records = await ctx.store.channels.all();
  const sorted = [...records].sort((a, b) => a.priority - b.priority || a.createdAt - b.createdAt);
  return { items: sorted.map((record) => toChannel(ctx, record)), next_cursor: null };
}

/** One channel. Throws `not_found`. */
export async function getChannel(ctx: ReadContext, id: string): Promise<Channel> {
  requireAdmin(ctx);
  return toChannel(ctx, await getChannelRecord(ctx.store, id));
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
