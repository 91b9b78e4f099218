import { useRef } from "react";
import useSWR, { useSWRConfig } from "swr";
import type { Channel, Provider } from "../contracts/console/channels";
import type { UsageSummary, UsageSums } from "../contracts/console/usage-summary";
import type { ListPage } from "../contracts/paging";
import { api } from "./api";
import { inOrder, orderRequest, type Tiers } from "./channel-order";
import { MODELS } from "./models";

export const CHANNELS = "/api/channels";
/** Usage of the last 24 hours by channel. */
const DAY_BY_CHANNEL = "/api/usage/summary?by=channel";
/** Circuits open and close without a change in the console. */
const REFRESH_MS = 10_000;

/** Data of the channels page, read on the server. */
export interface FirstChannels {
  channels: ListPage<Channel>;
  traffic: UsageSummary;
}

/** SWR `fallback` with the data under the paths the hooks below fetch. */
export const channelsFallback = ({ channels, traffic }: FirstChannels): Record<string, unknown> => ({
  [CHANNELS]: channels,
  [DAY_BY_CHANNEL]: traffic,
});

/** SWR `fallback` for `useChannel`. */
export const channelFallback = (channel: Channel | null): Record<string, unknown> =>
  channel === null ? {} : { [channelPath(channel.id)]: channel };

export const channelPath = (id: string): string => `${CHANNELS}/${encodeURIComponent(id)}`;

/** Serialises order requests: the last request, and the channel versions its reply returned. */
interface Moves {
  last: Promise<unknown>;
  versions: ReadonlyMap<string, number>;
}

/** All channels in priority order. */
export function useChannels() {
  const list = useSWR<ListPage<Channel>>(CHANNELS, { refreshInterval: REFRESH_MS });
  const moves = useRef<Moves>({ last: Promise.resolve(), versions: new Map() });
  return {
    channels: list.data?.items,
    error: list.error as unknown,
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
        const saved = await api.post<ListPage<Channel>>(`${CHANNELS}/order`, orderRequest(newest, tiers));
        moves.current.versions = new Map(saved.items.map((one) => [one.id, one.version]));
        return saved;
      };
      const saved = moves.current.last.then(save);
      moves.current.last = saved.catch(() => undefined);
      await list.mutate(saved, { optimisticData: shown, revalidate: false });
    },
  };
}

/** One channel. `id` null: nothing is fetched and the last data stays. */
export function useChannel(id: string | null) {
  return useSWR<Channel>(id === null ? null : channelPath(id), {
    refreshInterval: REFRESH_MS,
    keepPreviousData: true,
  });
}

export function useProviders() {
  return useSWR<{ items: Provider[] }>("/api/providers", { revalidateOnFocus: false });
}

/** Usage of the last 24 hours: sums by channel ID, and the calls of all channels. */
export function useChannelTraffic(): { byId: ReadonlyMap<string, UsageSums>; calls: number } | undefined {
  const { data } = useSWR<UsageSummary>(DAY_BY_CHANNEL, { refreshInterval: 30_000 });
  if (!data) return undefined;
  const byId = new Map(
    data.items.flatMap((item) => (item.name === null ? [] : [[item.name, item] as const])),
  );
  const calls = [...byId.values()].reduce((sum, item) => sum + item.calls, 0);
  return { byId, calls };
}

/** Returns a function that revalidates channels and models after a change of either. */
export function useCatalogueReload(): () => Promise<unknown> {
  const { mutate } = useSWRConfig();
  return () =>
    mutate((key) => typeof key === "string" && (key.startsWith(CHANNELS) || key.startsWith(MODELS)));
}
