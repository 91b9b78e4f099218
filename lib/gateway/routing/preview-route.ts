import type { Target } from "../call";
import type { GatewayServices } from "../context";
import { nextTier, sharesOf } from "./choose-channel";
import { admissionOf } from "./choose-upstream-key";
import { type ChannelServices, type Refusal, refusalOf } from "./enter-channel";
import { attemptsAllowed } from "./with-failover";

/** A channel of a tier. */
export interface PreviewedTarget {
  target: Target;
  /** Share of the tier's requests, 0–1; 0 for a recovering channel, which gets one request as its probe. */
  share: number;
  /** True when its circuit is half-open. */
  isRecovering: boolean;
}

/** The route of a request by the rules of `withFailover`. */
export interface PreviewedRoute {
  /** Tiers in order of use; in each the largest share first, recovering channels last. */
  tiers: PreviewedTarget[][];
  skipped: { target: Target; refusal: Refusal }[];
  /** Most attempts of one request. */
  attempts: number;
}

/**
 * The route that a request for `model` over these targets would take now. Takes no slot and changes no state.
 */
export function previewRoute(
  services: ChannelServices & Pick<GatewayServices, "instance">,
  model: string,
  targets: readonly Target[],
): PreviewedRoute {
  const { traffic, circuits } = services.state;
  const skipped = targets.flatMap((target) => {
    const refusal = refusalOf(services, target.channel, model);
    return refusal === null ? [] : [{ target, refusal }];
  });
  const excluded = new Set(skipped.map(({ target }) => target.channel.id));
  const latencyOf = ({ channel }: Target) => traffic.latencyMs(channel.id, model);
  const next = () => nextTier(targets, excluded, ({ channel }) => admissionOf(circuits, channel, model));
  const tiers: PreviewedRoute["tiers"] = [];
  for (let tier = next(); tier !== null; tier = next()) {
    const shares = sharesOf(tier.closed, latencyOf);
    tiers.push([
      ...tier.closed
        .map((target, index) => ({ target, share: shares[index] ?? 0, isRecovering: false }))
        .sort((a, b) => b.share - a.share),
      ...tier.probes.map((target) => ({ target, share: 0, isRecovering: true })),
    ]);
    for (const { target } of tiers.at(-1) ?? []) excluded.add(target.channel.id);
  }
  return { tiers, skipped, attempts: attemptsAllowed(services, targets.length - skipped.length) };
}
