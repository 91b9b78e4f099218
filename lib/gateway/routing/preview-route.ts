import type { Target } from "../call";
import type { GatewayServices } from "../context";
import { nextTier, sharesOf } from "./choose-channel";
import { admissionOf } from "./choose-upstream-key";
import { type Gates, type Refusal, refusalOf } from "./enter-channel";
import { attemptsAllowed } from "./with-failover";

/** A channel in its turn. */
export interface PreviewedTarget {
  target: Target;
  /** Of the turn's requests; 0 for a recovering one, which gets a single request as its probe. */
  share: number;
  /** Its circuit is half-open. */
  isRecovering: boolean;
}

/** Where a request would go, by the rules that `withFailover` follows. */
export interface PreviewedRoute {
  /** Tiers in the order in which a request comes by: the largest share first, recovering channels last. */
  turns: PreviewedTarget[][];
  skipped: { target: Target; refusal: Refusal }[];
  /** Attempts of one request at most. */
  attempts: number;
}

/**
 * The route that a request for `model` over these targets would take at this moment. Nothing is taken, drawn or
 * remembered by looking.
 */
export function previewRoute(
  services: Gates & Pick<GatewayServices, "instance">,
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
  const turns: PreviewedRoute["turns"] = [];
  for (let tier = next(); tier !== null; tier = next()) {
    const shares = sharesOf(tier.closed, latencyOf);
    turns.push([
      ...tier.closed
        .map((target, index) => ({ target, share: shares[index] ?? 0, isRecovering: false }))
        .sort((a, b) => b.share - a.share),
      ...tier.probes.map((target) => ({ target, share: 0, isRecovering: true })),
    ]);
    for (const { target } of turns.at(-1) ?? []) excluded.add(target.channel.id);
  }
  return { turns, skipped, attempts: attemptsAllowed(services, targets.length - skipped.length) };
}
