import type { Random } from "../../ports/clock";
import type { Target } from "./call";
import type { Traffic } from "./traffic";

function draw(targets: readonly Target[], totalWeight: number, fraction: number): Target | undefined {
  let left = fraction * totalWeight;
  for (const target of targets) {
    left -= target.channel.weight;
    if (left < 0) return target;
  }
  return targets[targets.length - 1];
}

const weightOf = (pool: readonly Target[]): number =>
  pool.reduce((sum, target) => sum + target.channel.weight, 0);

/** Of two drawn the one with the lower score serves; a tie takes the first. */
function winner(first: Target, second: Target, traffic: Pick<Traffic, "score">): Target {
  return traffic.score(second.channel.id) < traffic.score(first.channel.id) ? second : first;
}

/**
 * Whom the next attempt is drawn from: those of the best priority tier that has any left, and of these the ones whose
 * weight is not 0, unless all are. Empty when all are excluded.
 */
export function poolOf(targets: readonly Target[], excluded: ReadonlySet<string>): readonly Target[] {
  const left = targets.filter((target) => !excluded.has(target.channel.id));
  if (left.length <= 1) return left;
  const best = Math.min(...left.map((target) => target.channel.priority));
  const tier = left.filter((target) => target.channel.priority === best);
  const weighted = tier.filter((target) => target.channel.weight > 0);
  return weighted.length > 0 ? weighted : tier;
}

/**
 * The channel for the next attempt: two draws from the pool by weight with replacement, of which the lower
 * (in flight + 1) × smoothed latency wins and a tie takes the first (power of two choices). Null when all are excluded.
 */
export function chooseChannel(
  targets: readonly Target[],
  excluded: ReadonlySet<string>,
  traffic: Pick<Traffic, "score">,
  random: Random,
): Target | null {
  const pool = poolOf(targets, excluded);
  if (pool.length <= 1) return pool[0] ?? null;
  const total = weightOf(pool);
  const first = draw(pool, total, random.fraction());
  const second = draw(pool, total, random.fraction());
  if (first === undefined || second === undefined) return null;
  return winner(first, second, traffic);
}

/** How likely each of a pool is to be the one `chooseChannel` takes at this moment; the shares' sum is 1. */
export function chances(
  pool: readonly Target[],
  traffic: Pick<Traffic, "score">,
): { target: Target; share: number }[] {
  const total = weightOf(pool);
  const drawn = (target: Target): number => (total > 0 ? target.channel.weight / total : 0);
  // Weights that are all 0 always draw the last of the pool.
  if (total === 0) return pool.map((target, index) => ({ target, share: index === pool.length - 1 ? 1 : 0 }));
  return pool.map((target) => {
    let share = 0;
    for (const first of pool)
      for (const second of pool)
        if (winner(first, second, traffic) === target) share += drawn(first) * drawn(second);
    return { target, share };
  });
}
