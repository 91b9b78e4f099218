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

/**
 * The channel for the next attempt: within the best priority tier that has any left, two draws by weight with
 * replacement, of which the lower (in flight + 1) × smoothed latency wins and a tie takes the first
 * (power of two choices). A weight of 0 is drawn only when its tier has nothing else. Null when all are excluded.
 */
export function chooseChannel(
  targets: readonly Target[],
  excluded: ReadonlySet<string>,
  traffic: Traffic,
  random: Random,
): Target | null {
  const left = targets.filter((target) => !excluded.has(target.channel.id));
  if (left.length <= 1) return left[0] ?? null;
  const best = Math.min(...left.map((target) => target.channel.priority));
  const tier = left.filter((target) => target.channel.priority === best);
  const weighted = tier.filter((target) => target.channel.weight > 0);
  const pool = weighted.length > 0 ? weighted : tier;
  const total = pool.reduce((sum, target) => sum + target.channel.weight, 0);
  const first = draw(pool, total, random.fraction());
  const second = draw(pool, total, random.fraction());
  if (first === undefined || second === undefined) return null;
  return traffic.score(second.channel.id) < traffic.score(first.channel.id) ? second : first;
}
