import { z } from "zod";
import { CircuitReason } from "../../contracts/console/channels";
import { keyIds } from "../../gateway/routing/circuit-health";
import type { CircuitHealth } from "../../ports/shared-state";
import type { ConsoleServices } from "../context";

/** What `watchAlerts` stores with an alert of the kind `channel_open`; `models` absent: the whole channel. */
const Detail = z.object({
  reason: CircuitReason.catch("failures"),
  since: z.iso.datetime().optional().catch(undefined),
  models: z.array(z.string()).optional().catch(undefined),
  circuits: z.enum(["keys", "models"]).catch("models"),
});

/**
 * Runs at the start of a process. Makes half-open the circuits that open alerts are about, because nothing shows yet
 * that the upstream works again. The next request or check closes or opens them, as for every recovering channel.
 * Circuits that are not closed because another instance published their state, and those of disabled channels, stay as
 * they are.
 */
export async function restoreCircuits({ store, state, clock, log }: ConsoleServices): Promise<void> {
  const alerts = (await store.alerts.open()).filter((alert) => alert.kind === "channel_open");
  if (alerts.length === 0) return;
  const channels = await store.channels.all();
  for (const { subject, detail, openedAt } of alerts) {
    const channel = channels.find((one) => one.id === subject);
    if (channel === undefined || !channel.enabled) continue;
    const { reason, since, models, circuits } = Detail.parse(detail);
    const at = since === undefined ? openedAt : Date.parse(since);
    const openMs = Math.max(0, clock.now() - at);
    const health: CircuitHealth = {
      state: "half_open",
      openedAt: at,
      openMs,
      reason,
      waitMs: 0,
      idleMs: 0,
    };
    const names = channel.models.map(({ name }) => name);
    // A probe that fails only for its model closes the circuit of its key, so every model needs its own half-open
    // circuit.
    const affected = circuits === "keys" ? [null] : names.filter((name) => models?.includes(name) ?? true);
    for (const keyId of keyIds(channel))
      for (const model of affected) {
        const known = state.circuits.health(channel.id, keyId, model ?? undefined);
        if (known.state === "closed") state.circuits.apply({ channelId: channel.id, keyId, model }, health);
      }
    log.info("circuits_restored", { channel: channel.id, reason });
  }
}
