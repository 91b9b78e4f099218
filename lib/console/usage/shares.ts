import type {
  OverviewChannel,
  OverviewKey,
  OverviewModel,
  OverviewRoute,
} from "../../contracts/console/overview";
import { nanoToUsd } from "../../contracts/money";
import { channelHealth, keyHealth } from "../../gateway/routing/circuit-health";
import type { ChannelRecord, ModelRecord, UsageGroup } from "../../ports/store";
import { addSums, NO_SUMS, type Sums } from "../../ports/usage-sums";
import { toBrokenModels, toHealth } from "../channels/to-channel";
import type { ConsoleServices } from "../context";

/** Most keys in a breakdown: the page shows no more. */
const MOST_KEYS = 8;

/** Model and channel of a group by route; a call that reached no channel has none. */
function routeOf(group: UsageGroup): { model: string; channelId: string | null } {
  const [model = "", channelId = ""] = (group.name ?? "").split("\n");
  return { model, channelId: channelId || null };
}

/** Sums by name, most calls first. */
function sumBy(
  groups: readonly UsageGroup[],
  nameOf: (group: UsageGroup) => string | null,
): Map<string, Sums> {
  const sums = new Map<string, Sums>();
  for (const group of groups) {
    const name = nameOf(group);
    if (name !== null) sums.set(name, addSums(sums.get(name) ?? NO_SUMS, group));
  }
  return new Map([...sums].sort(([, a], [, b]) => b.calls - a.calls));
}

const shareOf = ({ calls, errors, costNano }: Sums) => ({ calls, errors, cost_usd: nanoToUsd(costNano) });

/** Every model that was called, and every offered one. */
export function modelShares(
  groups: readonly UsageGroup[],
  offered: readonly ModelRecord[],
  all: readonly ModelRecord[],
): OverviewModel[] {
  const sums = sumBy(groups, (group) => routeOf(group).model);
  for (const { name } of offered) if (!sums.has(name)) sums.set(name, NO_SUMS);
  return [...sums].map(([name, sum]) => ({
    name,
    operation: all.find((model) => model.name === name)?.operation ?? null,
    ...shareOf(sum),
  }));
}

/** The keys with most calls. */
export async function keyShares(
  { store }: ConsoleServices,
  groups: readonly UsageGroup[],
): Promise<OverviewKey[]> {
  const sums = [...sumBy(groups, (group) => group.name)].slice(0, MOST_KEYS);
  const names = await store.ledger.names(
    "key",
    sums.map(([id]) => id),
  );
  return sums.map(([id, sum]) => ({ id, name: names.get(id) ?? null, ...shareOf(sum) }));
}

/** Fields of a deleted channel. */
const GONE = { name: null, enabled: false, health: null, broken_keys: [], broken_models: [] };

/** Every channel there is, and those gone that were called, with what is wrong with each. */
export function channelShares(
  ctx: ConsoleServices,
  groups: readonly UsageGroup[],
  channels: readonly ChannelRecord[],
): OverviewChannel[] {
  const { circuits } = ctx.state;
  const sums = sumBy(groups, (group) => routeOf(group).channelId);
  for (const { id } of channels) if (!sums.has(id)) sums.set(id, NO_SUMS);
  return [...sums].map(([id, sum]) => {
    const channel = channels.find((one) => one.id === id);
    if (channel === undefined) return { ...GONE, id, ...shareOf(sum) };
    const keys = channel.keys.map((key) => ({
      display: key.display,
      ...toHealth(ctx, keyHealth(circuits, channel, key.id)),
    }));
    return {
      id,
      name: channel.name,
      enabled: channel.enabled,
      health: toHealth(ctx, channelHealth(circuits, channel)),
      broken_keys: keys.filter((key) => key.state !== "closed"),
      broken_models: toBrokenModels(ctx, channel),
      ...shareOf(sum),
    };
  });
}

/** Every model on every channel that serves it, and all other routes that were called. */
export function routeShares(
  groups: readonly UsageGroup[],
  channels: readonly ChannelRecord[],
): OverviewRoute[] {
  const sums = sumBy(groups, (group) => (routeOf(group).channelId === null ? null : group.name));
  for (const channel of channels.filter((one) => one.enabled))
    for (const { name } of channel.models) {
      const route = `${name}\n${channel.id}`;
      if (!sums.has(route)) sums.set(route, NO_SUMS);
    }
  return [...sums].map(([route, { calls, errors }]) => {
    const [model = "", channel_id = ""] = route.split("\n");
    return { model, channel_id, calls, errors };
  });
}
