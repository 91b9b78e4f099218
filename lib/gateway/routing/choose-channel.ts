import { isDeepStrictEqual } from "node:util";
import type { CatalogEntry, Target } from "../../ports/catalog";
import type { Random } from "../../ports/clock";
import type { CircuitAccess } from "./breaker";
import type { Traffic } from "./traffic";

/** Candidates of the next attempt: the channels of one priority tier, by the state of their circuits. */
export interface Tier {
  /** Channels that share the tier's requests by weight and speed. */
  closed: readonly Target[];
  /** Half-open channels without a running probe. */
  probes: readonly Target[];
}

/** A slow channel keeps at least this fraction of its weight, so that it is measured again. */
const MIN_SPEED = 1 / 200;
/** Smaller latencies count as this: built-in engines answer within it. */
const MIN_LATENCY_MS = 1;

/** Order of the tiers; channels of weight 0 come after the others of the same priority. */
export function rankOf({ channel: { priority, weight } }: Target): number {
  return priority * 2 + (weight > 0 ? 0 : 1);
}

/**
 * True when a result may be cached: it comes from a channel of the first tier, or from the same model at the same
 * address with the same options, such as the voices. A result of another model, made while the first tier failed, would
 * be returned long after the first tier has recovered.
 */
export function mayCacheResult({ routes }: CatalogEntry, { channel, upstreamName }: Target): boolean {
  const first = Math.min(...routes.map(rankOf));
  return routes.some(
    (route) =>
      rankOf(route) === first &&
      (route.channel.id === channel.id ||
        (route.upstreamName === upstreamName &&
          route.channel.provider === channel.provider &&
          route.channel.baseUrl === channel.baseUrl &&
          isDeepStrictEqual(route.channel.options, channel.options))),
  );
}

/** The first tier with a channel that accepts requests; null when none is left. */
export function nextTier(
  targets: readonly Target[],
  excluded: ReadonlySet<string>,
  accessOf: (target: Target) => CircuitAccess,
): Tier | null {
  let best = Number.POSITIVE_INFINITY;
  let closed: Target[] = [];
  let probes: Target[] = [];
  for (const target of targets) {
    const rank = rankOf(target);
    if (rank > best || excluded.has(target.channel.id)) continue;
    const access = accessOf(target);
    if (access === "refused") continue;
    if (rank < best) {
      best = rank;
      closed = [];
      probes = [];
    }
    if (access === "closed") closed.push(target);
    else probes.push(target);
  }
  return closed.length + probes.length === 0 ? null : { closed, probes };
}

/**
 * Shares of a tier's requests: weight ÷ latency², relative to the fastest channel. Always choosing the lowest (in
 * flight + 1) × latency ÷ weight converges to the same shares under load (in flight = rate × latency), but only weight
 * ÷ latency² gives them at any load (lib/DECISIONS.md, 2026-11-22). A channel that was never measured counts as the
 * fastest. The sum is 1.
 */
export function trafficShares(
  pool: readonly Target[],
  latencyOf: (target: Target) => number | null,
): number[] {
  if (pool.length === 1) return [1];
  const latencies = pool.map(latencyOf);
  let fastest = Number.POSITIVE_INFINITY;
  for (const latency of latencies) if (latency !== null) fastest = Math.min(fastest, latency);
  fastest = Math.max(fastest, MIN_LATENCY_MS);
  let sum = 0;
  const shares = pool.map(({ channel }, index) => {
    const latency = latencies[index] ?? fastest;
    const speed = latency > fastest ? Math.max(MIN_SPEED, (fastest / latency) ** 2) : 1;
    // A tier with weights of 0 only is shared evenly.
    const share = (channel.weight > 0 ? channel.weight : 1) * speed;
    sum += share;
    return share;
  });
  return shares.map((share) => share / sum);
}

/** Inputs of a choice besides the channels. */
export interface ChoiceInputs {
  model: string;
  traffic: Pick<Traffic, "latencyMs">;
  random: Random;
  accessOf(target: Target): CircuitAccess;
  /** False: half-open channels come after all closed ones of every tier. */
  mayProbe: boolean;
}

/** The channel for the next attempt; null when none is left. */
export function chooseChannel(
  targets: readonly Target[],
  excluded: ReadonlySet<string>,
  { model, traffic, random, accessOf, mayProbe }: ChoiceInputs,
): Target | null {
  const [only] = targets;
  // Most models have one channel; its circuits are checked when it is entered.
  if (only !== undefined && targets.length === 1) return excluded.has(only.channel.id) ? null : only;
  const closedTier = mayProbe
    ? null
    : nextTier(targets, excluded, (target) => (accessOf(target) === "closed" ? "closed" : "refused"));
  const tier = closedTier ?? nextTier(targets, excluded, accessOf);
  if (tier === null) return null;
  const [probe] = tier.probes;
  if (probe !== undefined && (mayProbe || tier.closed.length === 0)) return probe;
  return draw(tier.closed, (target) => traffic.latencyMs(target.channel.id, model), random);
}

function draw(
  pool: readonly Target[],
  latencyOf: (target: Target) => number | null,
  random: Random,
): Target | null {
  const [only] = pool;
  if (only === undefined || pool.length === 1) return only ?? null;
  let left = random.fraction();
  for (const [index, share] of trafficShares(pool, latencyOf).entries()) {
    left -= share;
    if (left < 0) return pool[index] ?? null;
  }
  // Rounding can leave a remainder.
  return pool[pool.length - 1] ?? null;
}
