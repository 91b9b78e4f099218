import type { BrokenModel, ChannelUse, CircuitHealth as ShownHealth } from "../../contracts/console/channels";
import { DAY_MS } from "../../contracts/durations";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import { brokenModels } from "../../gateway/routing/circuit-health";
import type { CircuitHealth } from "../../ports/shared-state";
import type { ChannelRecord } from "../../ports/store";
import type { ConsoleServices } from "../context";

/** A circuit as the API returns it; waits become timestamps. */
export function toHealth({ clock }: Pick<ConsoleServices, "clock">, health: CircuitHealth): ShownHealth {
  return {
    state: health.state,
    opened_at: timestampOrNull(health.openedAt),
    reason: health.reason,
    retry_at: health.state === "open" ? toTimestamp(Math.round(clock.now() + health.waitMs)) : null,
  };
}

/** The models of a channel whose circuits are not closed on any key. */
export function toBrokenModels(services: ConsoleServices, record: ChannelRecord): BrokenModel[] {
  const { circuits } = services.state;
  return brokenModels(circuits, record).map(({ name, health }) => ({ name, ...toHealth(services, health) }));
}

/** What the requests of the last 24 hours show about a channel, or about one model on it. */
export type ReadUse = (channelId: string, model?: string) => ChannelUse;

/** Reads the requests of the last 24 hours, and the attempts that another channel took over, of all channels. */
export async function readUse({ store, clock }: Pick<ConsoleServices, "store" | "clock">): Promise<ReadUse> {
  const now = clock.now();
  const range = { from: now - DAY_MS, to: now + 1 };
  const [{ groups }, failovers] = await Promise.all([
    store.ledger.summarize({ ...range, by: "route", isByHour: false, hasOnlyCallsAndCost: true }),
    store.ledger.failovers(range),
  ]);
  const seen = new Map<string, ChannelUse>();
  const add = (model: string, channelId: string, use: ChannelUse): void => {
    for (const key of [channelId, `${model}\n${channelId}`])
      if (seen.get(key) !== "serving") seen.set(key, use);
  };
  for (const { name, calls, errors } of groups) {
    const [model = "", channelId = ""] = (name ?? "").split("\n");
    if (calls > 0) add(model, channelId, calls > errors ? "serving" : "failing");
  }
  for (const { model, channelId } of failovers) add(model, channelId, "failing");
  return (channelId, model) => seen.get(model === undefined ? channelId : `${model}\n${channelId}`) ?? "none";
}
