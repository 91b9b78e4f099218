import { useRef } from "react";
import useSWR, { useSWRConfig } from "swr";
import type { Channel, Provider } from "../contracts/console/channels";
import type { UsageSummary, UsageSums } from "../contracts/console/usage-summary";
import type { ModelList } from "../contracts/gateway/models";
import type { ListPage } from "../contracts/paging";
import { api } from "./api";
import { inOrder, orderRequest, type Tiers } from "./channel-order";

export const CHANNELS = "/api/channels";
/** Sums of the last 24 hours, a channel each. */
const DAY_BY_CHANNEL = "/api/usage/summary?by=channel";
/** Circuits open and close without anybody's doing. */
const REFRESH_MS = 10_000;

const MODELS = "/api/models";

/** What the page of channels shows at once, read by the server. */
export interface FirstChannels {
  channels: ListPage<Channel>;
  traffic: UsageSummary;
}

/** The same under the paths that the hooks below ask for: a `fallback` of SWR. */
export const channelsFallback = ({ channels, traffic }: FirstChannels): Record<string, unknown> => ({
  [CHANNELS]: channels,
  [DAY_BY_CHANNEL]: traffic,
});

/** The channel that a page shows at once, under the path that `useChannel` asks for. */
export const channelFallback = (channel: Channel | null): Record<string, unknown> =>
  channel === null ? {} : { [channelPath(channel.id)]: channel };

/** The models that their page shows at once, under the path that `useModels` asks for. */
export const modelsFallback = (models: ModelList): Record<string, unknown> => ({ [MODELS]: models });

export const channelPath = (id: string): string => `${CHANNELS}/${encodeURIComponent(id)}`;

/** The moves of a visit, one after another, and what the last of them made of the channels' versions. */
interface Moves {
  last: Promise<unknown>;
  versions: ReadonlyMap<string, number>;
}

/** Every channel, in the order in which they are tried. */
export function useChannels() {
  const list = useSWR<ListPage<Channel>>(CHANNELS, { refreshInterval: REFRESH_MS });
  const moves = useRef<Moves>({ last: Promise.resolve(), versions: new Map() });
  return {
    channels: list.data?.items,
    error: list.error as unknown,
    reload: () => list.mutate(),
    /** Shows the new order at once and asks for it; what was shown before comes back when it is refused. */
    order: async (tiers: Tiers) => {
      const before = list.data?.items ?? [];
      const shown: ListPage<Channel> = { items: inOrder(before, tiers), next_cursor: null };
      // Moves may follow each other faster than they are saved: each goes by the versions that the one before made.
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

/** One channel; null: none is read, and what was shown stays. */
export function useChannel(id: string | null) {
  return useSWR<Channel>(id === null ? null : channelPath(id), {
    refreshInterval: REFRESH_MS,
    keepPreviousData: true,
  });
}

export function useProviders() {
  return useSWR<{ items: Provider[] }>("/api/providers", { revalidateOnFocus: false });
}

/** Every model with who serves it. */
export function useModels() {
  return useSWR<ModelList>(MODELS);
}

/** What channels did in the last 24 hours: their sums by id, and all calls that went to any. */
export function useChannelTraffic(): { byId: ReadonlyMap<string, UsageSums>; calls: number } | undefined {
  const { data } = useSWR<UsageSummary>(DAY_BY_CHANNEL, { refreshInterval: 30_000 });
  if (!data) return undefined;
  const byId = new Map(
    data.items.flatMap((item) => (item.name === null ? [] : [[item.name, item] as const])),
  );
  const calls = [...byId.values()].reduce((sum, item) => sum + item.calls, 0);
  return { byId, calls };
}

/** Reads lists of channels and models anew after a change of either. */
export function useCatalogueReload(): () => Promise<unknown> {
  const { mutate } = useSWRConfig();
  return () =>
    mutate((key) => typeof key === "string" && (key.startsWith(CHANNELS) || key.startsWith(MODELS)));
}
