import type {
  Overview,
  OverviewChannel,
  OverviewKey,
  OverviewModel,
  OverviewRoute,
} from "../../contracts/console/overview";
import { nanoToUsd } from "../../contracts/money";
import { channelHealth, keyHealth } from "../../gateway/routing/circuit-health";
import type { ChannelRecord, Failover, ModelRecord, UsageGroup } from "../../ports/store";
import { addSums, NO_SUMS, type Sums } from "../../ports/store/usage-query";
import { nameOfKey } from "../channels/stored-keys";
import { toBrokenModels, toHealth } from "../circuits/health";
import type { ConsoleServices } from "../context";

/** Model and channel of a group by route; the channel is null for calls that reached none. */
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

/** The calls of every model that was called or is offered. */
export function modelShares(
  groups: readonly UsageGroup[],
  offered: readonly ModelRecord[],
  all: readonly ModelRecord[],
): Omit<OverviewModel, "served">[] {
  const sums = sumBy(groups, (group) => routeOf(group).model);
  for (const { name } of offered) if (!sums.has(name)) sums.set(name, NO_SUMS);
  const operations = new Map(all.map((model) => [model.name, model.operation]));
  return [...sums].map(([name, sum]) => ({
    name,
    operation: operations.get(name) ?? null,
    ...shareOf(sum),
  }));
}

export async function keyShares(
  { store }: ConsoleServices,
  groups: readonly UsageGroup[],
): Promise<OverviewKey[]> {
  const sums = [...sumBy(groups, (group) => group.name)];
  const names = await store.ledger.names(
    "key",
    sums.map(([id]) => id),
  );
  return sums.map(([id, sum]) => ({ id, name: names.get(id) ?? null, ...shareOf(sum) }));
}

const DELETED_CHANNEL = { name: null, enabled: false, health: null, broken_keys: [], broken_models: [] };

/** Every channel, and the deleted channels that were called, each with its problems. */
export function channelShares(
  ctx: ConsoleServices,
  groups: readonly UsageGroup[],
  channels: readonly ChannelRecord[],
  failovers: readonly Failover[],
): OverviewChannel[] {
  const { circuits } = ctx.state;
  const attempts = new Map<string, number>();
  for (const one of failovers) attempts.set(one.channelId, (attempts.get(one.channelId) ?? 0) + one.attempts);
  const sums = sumBy(groups, (group) => routeOf(group).channelId);
  for (const { id } of channels) if (!sums.has(id)) sums.set(id, NO_SUMS);
  const byId = new Map(channels.map((channel) => [channel.id, channel]));
  return [...sums].map(([id, sum]) => {
    const channel = byId.get(id);
    const share = { id, failovers: attempts.get(id) ?? 0, ...shareOf(sum) };
    if (channel === undefined) return { ...DELETED_CHANNEL, ...share };
    const keys = channel.keys.map((key) => ({
      display: nameOfKey(key),
      ...toHealth(ctx, keyHealth(circuits, channel, key.id)),
    }));
    return {
      ...share,
      name: channel.name,
      enabled: channel.enabled,
      health: toHealth(ctx, channelHealth(circuits, channel)),
      broken_keys: keys.filter((key) => key.state !== "closed"),
      broken_models: toBrokenModels(ctx, channel),
    };
  });
}

/**
 * Calls without a channel: those with a cached or repeated reply, which have no error, and those that failed before a
 * channel was called.
 */
export function unroutedShares(groups: readonly UsageGroup[]): Pick<Overview, "cached" | "not_routed"> {
  const sums = groups
    .filter((group) => routeOf(group).channelId === null)
    .reduce<Sums>((sum, group) => addSums(sum, group), NO_SUMS);
  return {
    // Cached replies are free: a cost without a channel is of calls whose server died before it recorded their channel.
    cached: { calls: sums.calls - sums.errors, errors: 0, cost_usd: nanoToUsd(0) },
    not_routed: { calls: sums.errors, errors: sums.errors, cost_usd: nanoToUsd(sums.costNano) },
  };
}

/** Models that served calls of an upstream and have no price, by name. */
export function unpricedModels(
  groups: readonly UsageGroup[],
  models: readonly ModelRecord[],
  channels: readonly ChannelRecord[],
): string[] {
  const embedded = new Set(channels.filter((channel) => channel.embedded).map((channel) => channel.id));
  const priced = new Set(
    models
      .filter(({ prices }) => Object.values(prices).some((price) => price !== null))
      .map((one) => one.name),
  );
  const called = groups.flatMap((group) => {
    const { model, channelId } = routeOf(group);
    const isFree = channelId === null || embedded.has(channelId) || group.calls === group.errors;
    return isFree || group.costNano > 0 || priced.has(model) ? [] : [model];
  });
  return [...new Set(called)].sort();
}

/** Every model on every channel that serves it, and all other routes that were called or tried. */
export function routeShares(
  groups: readonly UsageGroup[],
  channels: readonly ChannelRecord[],
  failovers: readonly Failover[],
): OverviewRoute[] {
  const sums = sumBy(groups, (group) => (routeOf(group).channelId === null ? null : group.name));
  for (const channel of channels.filter((one) => one.enabled))
    for (const { name } of channel.models) {
      const route = `${name}\n${channel.id}`;
      if (!sums.has(route)) sums.set(route, NO_SUMS);
    }
  const attempts = new Map(
    failovers.map(({ model, channelId, attempts }) => [`${model}\n${channelId}`, attempts]),
  );
  for (const route of attempts.keys()) if (!sums.has(route)) sums.set(route, NO_SUMS);
  return [...sums].map(([route, { calls, errors }]) => {
    const [model = "", channel_id = ""] = route.split("\n");
    return { model, channel_id, calls, errors, failovers: attempts.get(route) ?? 0 };
  });
}

/** Most models, and channels without an incident, in the overview: the page shows no more. */
const MAX_ROWS = 10;

/** The models, channels and routes that the overview lists. */
export function listedShares(
  models: readonly Omit<OverviewModel, "served">[],
  channels: readonly OverviewChannel[],
  routes: readonly OverviewRoute[],
): Pick<Overview, "models" | "channels" | "routes"> {
  const inUse = channels.filter((one) => one.enabled || one.calls > 0 || one.failovers > 0);
  const idsInUse = new Set(inUse.map(({ id }) => id));
  const served = new Set(routes.filter((one) => idsInUse.has(one.channel_id)).map(({ model }) => model));
  const listedModels = models.slice(0, MAX_ROWS).map((one) => ({ ...one, served: served.has(one.name) }));
  const listedChannels = inUse.filter((one, index) => index < MAX_ROWS || hasIncident(one));
  const names = new Set(listedModels.map(({ name }) => name));
  const ids = new Set(listedChannels.map(({ id }) => id));
  return {
    models: listedModels,
    channels: listedChannels,
    routes: routes.filter((one) => names.has(one.model) && ids.has(one.channel_id)),
  };
}

const hasIncident = ({ enabled, health, broken_keys, broken_models }: OverviewChannel): boolean =>
  enabled && (health?.state !== "closed" || broken_keys.length > 0 || broken_models.length > 0);
