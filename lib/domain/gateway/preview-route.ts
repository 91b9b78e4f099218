import type { Services } from "../context";
import type { Target } from "./call";
import { chances, poolOf } from "./choose-channel";
import { type Gates, type Refusal, refusalOf } from "./enter-channel";
import { gatewayState } from "./gateway-state";
import { attemptsAllowed } from "./with-failover";

/** Where a call would go, by the rules that `withFailover` follows. */
export interface PreviewedRoute {
  /** Pools in the order in which a call comes by, the likeliest channel first. */
  turns: { target: Target; share: number }[][];
  skipped: { target: Target; refusal: Refusal }[];
  /** Attempts of one call at most. */
  attempts: number;
}

/** The route that a call over these targets would take at this moment. Nothing is taken, drawn or remembered by looking. */
export function previewRoute(
  services: Gates & Pick<Services, "instance">,
  targets: readonly Target[],
): PreviewedRoute {
  const { traffic } = gatewayState(services);
  const skipped = targets.flatMap((target) => {
    const refusal = refusalOf(services, target.channel);
    return refusal === null ? [] : [{ target, refusal }];
  });
  const excluded = new Set(skipped.map(({ target }) => target.channel.id));
  const turns: PreviewedRoute["turns"] = [];
  for (let pool = poolOf(targets, excluded); pool.length > 0; pool = poolOf(targets, excluded)) {
    turns.push(chances(pool, traffic).sort((a, b) => b.share - a.share));
    for (const target of pool) excluded.add(target.channel.id);
  }
  return { turns, skipped, attempts: attemptsAllowed(services, targets.length) };
}
