import type { Channel, OrderChannels } from "../contracts/console/channels";

/** Ids of channels, tier by tier: those of one tier share its calls. */
export type Tiers = readonly (readonly string[])[];

/** Where a dragged channel is let go: into the tier of another channel, or as a tier of its own beside that one's. */
export interface DropTarget {
  id: string;
  side: "before" | "into" | "after";
}

/** The tiers of a list, first tried first. */
export function tiersOf(channels: readonly Pick<Channel, "id" | "priority">[]): Tiers {
  const priorities = [...new Set(channels.map((one) => one.priority))].sort((a, b) => a - b);
  return priorities.map((priority) =>
    channels.filter((one) => one.priority === priority).map((one) => one.id),
  );
}

const tierIndex = (tiers: Tiers, id: string): number => tiers.findIndex((tier) => tier.includes(id));

const withoutEmpty = (tiers: Tiers): Tiers => tiers.filter((tier) => tier.length > 0);

/**
 * One step earlier: out of a shared tier to a place of its own before it; from a place of its own into the tier before.
 * Two steps pass a neighbour. The same tiers when it is first already.
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

/** One step later: the mirror of `stepEarlier`. */
export function stepLater(tiers: Tiers, id: string): Tiers {
  const mirrored = [...tiers].reverse();
  const moved = stepEarlier(mirrored, id);
  return moved === mirrored ? tiers : [...moved].reverse();
}

/** Lets a channel go at a place; beside a channel of a shared tier it joins that tier, whose inner order says nothing. */
export function drop(tiers: Tiers, id: string, target: DropTarget): Tiers {
  if (id === target.id) return tiers;
  const left = tiers.map((tier) => tier.filter((one) => one !== id));
  const at = tierIndex(left, target.id);
  if (at === -1) return tiers;
  const placed = left.flatMap((tier, index) => {
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
  return withoutEmpty(placed);
}

export function isSameOrder(a: Tiers, b: Tiers): boolean {
  const told = (tiers: Tiers) => JSON.stringify(tiers.map((tier) => [...tier].sort()));
  return told(a) === told(b);
}

/** The list as it stands once the order is saved. */
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

/** What the server is asked for. */
export function orderRequest(
  channels: readonly Pick<Channel, "id" | "version">[],
  tiers: Tiers,
): OrderChannels {
  const versions = new Map(channels.map((one) => [one.id, one.version]));
  return { tiers: tiers.map((tier) => tier.map((id) => ({ id, version: versions.get(id) ?? 0 }))) };
}
