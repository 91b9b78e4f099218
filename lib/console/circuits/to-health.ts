import type { BrokenModel, CircuitHealth as ShownHealth } from "../../contracts/console/channels";
import { toTimestamp } from "../../contracts/timestamp";
import type { CircuitHealth } from "../../gateway/routing/breaker";
import { brokenModels } from "../../gateway/routing/circuit-health";
import type { ChannelRecord } from "../../ports/store";
import type { ConsoleServices } from "../context";

/** A circuit as the API returns it; waits become timestamps. */
export function toHealth({ clock }: Pick<ConsoleServices, "clock">, health: CircuitHealth): ShownHealth {
  return {
    state: health.state,
    opened_at: health.openedAt === null ? null : toTimestamp(health.openedAt),
    reason: health.reason,
    retry_at: health.state === "open" ? toTimestamp(Math.round(clock.now() + health.waitMs)) : null,
  };
}

/** The models of a channel whose circuits are not closed on any key. */
export function toBrokenModels(services: ConsoleServices, record: ChannelRecord): BrokenModel[] {
  const { circuits } = services.state;
  return brokenModels(circuits, record).map(({ name, health }) => ({ name, ...toHealth(services, health) }));
}
