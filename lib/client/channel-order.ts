import type { Channel, OrderChannels } from "../contracts/console/channels";

/** Channel IDs by priority tier; the channels of a tier share its calls. */
export type Tiers = readonly (readonly string[])[];

/** Where a channel is dropped: into the tier of channel `id`, or as a new tier before or after it. */
export interface DropTarget {
  id: string;
  side: "before" | "into" | "after";
}

/** The tiers of a list, highest priority first. */
export function tiersOf(channels: readonly Pick<Channel, "id" | "priority">[]): Tiers {
  const priorities = [...new Set(channels.map((one) => one.priority))].sort((a, b) => a - b);
  return priorities.map((priority) =>
    channels.filter((one) => one.priority === priority).map((one) => one.id),
  );
}

const tierIndex = (tiers: Tiers, id: string): number => tiers.findIndex((tier) => tier.includes(id));

const withoutEmpty = (tiers: Tiers): Tiers => tiers.filter((tier) => tier.length > 0);

/**
 * Moves a channel one step earlier: out of a shared tier into a new tier before it, or from its own tier into the one
 * before. Passing a neighbour takes two steps. Returns the same tiers if it is already first.
 */
export function stepEarlier(tiers: Tiers, id: string): Tiers {
  const at = tierIndex(tiers, id);
  const tier = tiers[at] ?? [];
  if (tier.length > 1)
    return tiers.flatMap((one, index) =>
      index === at ? [[id], one.filter((other) => other !== id)] : [one],
    );
  if (at <= 0) return tiers;
  return withoutEmpty(tiers.map((one, index) => (index === at - 1 ? [...one, id] : index === at ? [] : one)));
}

/** Moves a channel one step later: the mirror of `stepEarlier`. */
export function stepLater(tiers: Tiers, id: string): Tiers {
  const mirrored = [...tiers].reverse();
  const moved = stepEarlier(mirrored, id);
  return moved === mirrored ? tiers : [...moved].reverse();
}

/** Moves a channel to a drop target. The order within a tier has no meaning. */
export function drop(tiers: Tiers, id: string, target: DropTarget): Tiers {
  const others = tiers.map((tier) => tier.filter((one) => one !== id));
  const at = tierIndex(others, target.id);
  if (at === -1) return tiers;
  const moved = others.flatMap((tier, index) => {
    if (index !== at) return [tier];
    switch (target.side) {
      case "before":
        return [[id], tier];
      case "after":
        return [tier, [id]];
      case "into":
        return [[...tier, id]];
      default:
        return target.side satisfies never;
    }
  });
  return withoutEmpty(moved);
}

export function isSameOrder(a: Tiers, b: Tiers): boolean {
  const sorted = (tiers: Tiers) => JSON.stringify(tiers.map((tier) => [...tier].sort()));
  return sorted(a) === sorted(b);
}

/** The channels sorted by the new order, with its priorities. */
export function inOrder<Item extends Pick<Channel, "id" | "priority">>(
  channels: readonly Item[],
  tiers: Tiers,
): Item[] {
  const byId = new Map(channels.map((one) => [one.id, one]));
  return tiers.flatMap((tier, priority) =>
    tier.flatMap((id) => {
      const channel = byId.get(id);
      return channel ? [{ ...channel, priority }] : [];
    }),
  );
}

/** The body of `POST /api/channels/order`. */
export function orderRequest(
  channels: readonly Pick<Channel, "id" | "version">[],
  tiers: Tiers,
): OrderChannels {
  const versions = new Map(channels.map((one) => [one.id, one.version]));
  return { tiers: tiers.map((tier) => tier.map((id) => ({ id, version: versions.get(id) ?? 0 }))) };
}
