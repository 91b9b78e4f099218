import { useRef } from "react";
import { api, cached, cachedIfWhole, callApi } from "@/lib/client/api";
import { inOrder, orderRequest, type Tiers } from "@/lib/client/channel-order";
import { useApi } from "@/lib/client/use-api";
import type { ChannelAttempts } from "@/lib/contracts/console/channel-errors";
import type { Channel } from "@/lib/contracts/console/channels";
import type { UsageSummary, UsageSums } from "@/lib/contracts/console/usage-summary";
import type { ListPage } from "@/lib/contracts/paging";

/** Usage of the last 24 hours by channel. */
const DAY_BY_CHANNEL = { query: { by: "channel" } } as const;
/** Milliseconds between polls: circuits open and close without a change in the console. */
export const REFRESH_MS = 10_000;

/** Endpoints whose replies change with a channel. */
export const CHANNELS_AND_MODELS = [
  api.listChannels,
  api.getChannel,
  api.listChannelErrors,
  api.listModels,
  api.previewRoute,
] as const;

/** Data of the channels page, read on the server. */
export interface FirstChannels {
  /** Of a long list its first page. */
  channels: ListPage<Channel>;
  traffic: UsageSummary;
  attempts: ChannelAttempts;
}

/** SWR's `fallback` with the data of the page. */
export const channelsFallback = ({
  channels,
  traffic,
  attempts,
}: FirstChannels): Record<string, unknown> => ({
  ...cachedIfWhole(api.listChannels, channels),
  ...cached(api.summarizeUsage, DAY_BY_CHANNEL, traffic),
  ...cached(api.countChannelAttempts, {}, attempts),
});

/** Serialises order requests: the last request, and the channel versions its reply returned. */
interface Moves {
  last: Promise<unknown>;
  versions: ReadonlyMap<string, number>;
}

/** All channels in priority order. */
export function useChannels() {
  const list = useApi(api.listChannels, {}, { refreshInterval: REFRESH_MS });
  const moves = useRef<Moves>({ last: Promise.resolve(), versions: new Map() });
  return {
    channels: list.data?.items,
    error: list.error,
    reload: () => list.mutate(),
    /** Saves a new order with an optimistic update; a failed request restores the old one. */
    order: async (tiers: Tiers) => {
      const before = list.data?.items ?? [];
      const shown: ListPage<Channel> = { items: inOrder(before, tiers), next_cursor: null };
      // Moves can be faster than their requests: each request uses the versions the previous reply returned.
      const save = async (): Promise<ListPage<Channel>> => {
        const { versions } = moves.current;
        const newest = before.map(({ id, version }) => ({
          id,
          version: Math.max(version, versions.get(id) ?? 0),
        }));
        const saved = await callApi(api.orderChannels, { body: orderRequest(newest, tiers) });
        moves.current.versions = new Map(saved.items.map((one) => [one.id, one.version]));
        return saved;
      };
      const saved = moves.current.last.then(save);
      moves.current.last = saved.catch(() => undefined);
      await list.mutate(saved, { optimisticData: shown, revalidate: false });
    },
  };
}

/**
 * Usage of the last 24 hours: sums by channel ID, the calls of all channels, and, by channel ID, the failed attempts
 * whose call counts for another channel or for none.
 */
export interface ChannelTraffic {
  byId: ReadonlyMap<string, UsageSums>;
  calls: number;
  failovers: ReadonlyMap<string, number>;
}

export function useChannelTraffic(): ChannelTraffic | undefined {
  const { data } = useApi(api.summarizeUsage, DAY_BY_CHANNEL, { refreshInterval: 30_000 });
  const { data: attempts } = useApi(api.countChannelAttempts, {}, { refreshInterval: 30_000 });
  if (!data || !attempts) return undefined;
  const failovers = new Map(attempts.items.map((one) => [one.channel_id, one.failovers]));
  const byId = new Map(
    data.items.flatMap((item) => (item.name === null ? [] : [[item.name, item] as const])),
  );
  const calls = [...byId.values()].reduce((sum, item) => sum + item.calls, 0);
  return { byId, calls, failovers };
}
