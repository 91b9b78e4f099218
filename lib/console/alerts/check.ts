import type { AlertCheck } from "../../contracts/console/alerts";
import { AppError, isAppError } from "../../errors";
import { brokenModels } from "../../gateway/routing/circuit-health";
import { enterChannel } from "../../gateway/routing/enter-channel";
import { reportFailure } from "../../gateway/routing/failover-errors";
import type { ChannelRecord } from "../../ports/store";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { requireSignedInAdmin } from "../access/guards";
import { callOnce, listVoices, type Offer, toUpstreamFailure } from "../channels/test-channel";
import type { ConsoleContext } from "../context";

/** Most models of a channel that one check probes, one after another. */
const MAX_PROBES = 3;

type Probe = AlertCheck["probes"][number];

/** Sends the probe of a half-open circuit; null when the channel accepts none now. */
async function probe(ctx: ConsoleContext, channel: ChannelRecord, offer: Offer): Promise<Probe | null> {
  const entered = await enterChannel(ctx, channel, offer.name, true);
  if (entered === null) return null;
  const progress = new UpstreamProgress();
  // A built-in engine has no connection: its failures count for the model, not for the key.
  progress.hasHead = channel.embedded;
  try {
    // Caches the channel's voices, read with all its keys, before the call below would read them with one key.
    if (offer.operation === "speech") await listVoices(ctx, channel, offer);
    await callOnce(ctx, entered.channel, offer, progress);
    entered.permit.succeeded(progress);
    return { model: offer.name, ok: true, error: null };
  } catch (error) {
    reportFailure(entered, error, progress);
    if (!isAppError(error)) throw error;
    return { model: offer.name, ok: false, error: toUpstreamFailure(ctx, error) };
  } finally {
    entered.leave();
  }
}

/**
 * Probes the recovering models of the channel that an open alert is about: without traffic nothing else would close
 * their circuits. A probe that fails opens its circuit for another 30 s, so repeated checks send few probes. The alert
 * itself is resolved by `watchAlerts`, as any other. Throws `forbidden`, `not_found` (no such open alert).
 */
export async function checkAlert(ctx: ConsoleContext, id: string): Promise<AlertCheck> {
  requireSignedInAdmin(ctx);
  const alert = (await ctx.store.alerts.open()).find((one) => one.id === id);
  if (alert === undefined) throw new AppError("not_found", "Open alert not found.");
  const channel = (await ctx.store.channels.all()).find((one) => one.id === alert.subject);
  const probes: Probe[] = [];
  if (alert.kind !== "channel_open" || channel === undefined || !channel.enabled) return { probes };
  const models = new Map((await ctx.store.models.all()).map((model) => [model.name, model]));
  const recovering = brokenModels(ctx.state.circuits, channel).filter(
    ({ health }) => health.state === "half_open",
  );
  for (const { name } of recovering) {
    const offer = channel.models.find((one) => one.name === name);
    const model = models.get(name);
    if (offer === undefined || model === undefined) continue;
    // An earlier probe may have closed the circuit of the key that several models share.
    if (!brokenModels(ctx.state.circuits, channel).some((one) => one.name === name)) continue;
    const result = await probe(ctx, channel, { ...model, ...offer });
    if (result !== null) probes.push(result);
    if (result?.ok === false || probes.length === MAX_PROBES) break;
  }
  return { probes };
}
