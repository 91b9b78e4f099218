import type { Target } from "../../ports/catalog";
import type { CircuitHealth } from "../../ports/shared-state";
import type { GatewayServices } from "../context";
import { nextTier, rankOf, trafficShares } from "./choose-channel";
import { accessOf } from "./choose-upstream-key";
import { modelHealth } from "./circuit-health";
import { type ChannelRefusal, type ChannelServices, refusalOf } from "./enter-channel";
import { attemptsAllowed } from "./with-failover";

/** A channel of a tier. */
export interface PreviewedTarget {
  target: Target;
  /** Share of the tier's requests, 0–1; the sum over a tier is 1. */
  share: number;
}

/** The route of a request by the rules of `withFailover`. */
export interface PreviewedRoute {
  /** Tiers of channels with closed circuits in order of use; in each the largest share first. */
  tiers: PreviewedTarget[][];
  /** Channels with half-open circuits, by tier: each gets one request at a time, as its probe. */
  recovering: { target: Target; health: CircuitHealth }[];
  skipped: { target: Target; refusal: ChannelRefusal }[];
  /** Most attempts of one request. */
  attempts: number;
}

/** The route that a request for `model` over these targets would take now. Changes no state (but see `refusalOf`). */
export async function previewRoute(
  services: ChannelServices & Pick<GatewayServices, "instance">,
  model: string,
  targets: readonly Target[],
): Promise<PreviewedRoute> {
  const { traffic, circuits } = services.state;
  const skipped: PreviewedRoute["skipped"] = [];
  const recovering: PreviewedRoute["recovering"] = [];
  for (const target of targets) {
    const refusal = await refusalOf(services, target.channel, model);
    const health = modelHealth(circuits, target.channel, model);
    // While its probe runs, a half-open circuit refuses every other request.
    const isCircuit = refusal === null || refusal.reason === "circuit";
    if (isCircuit && health.state === "half_open") recovering.push({ target, health });
    else if (refusal !== null) skipped.push({ target, refusal });
  }
  recovering.sort((a, b) => rankOf(a.target) - rankOf(b.target));
  const excluded = new Set([...skipped, ...recovering].map(({ target }) => target.channel.id));
  const latencyOf = ({ channel }: Target) => traffic.latencyMs(channel.id, model);
  const next = () => nextTier(targets, excluded, ({ channel }) => accessOf(circuits, channel, model));
  const tiers: PreviewedRoute["tiers"] = [];
  for (let tier = next(); tier !== null; tier = next()) {
    const shares = trafficShares(tier.closed, latencyOf);
    tiers.push(
      tier.closed
        .map((target, index) => ({ target, share: shares[index] ?? 0 }))
        .sort((a, b) => b.share - a.share),
    );
    for (const target of [...tier.closed, ...tier.probes]) excluded.add(target.channel.id);
  }
  return { tiers, recovering, skipped, attempts: attemptsAllowed(services, targets.length - skipped.length) };
}
