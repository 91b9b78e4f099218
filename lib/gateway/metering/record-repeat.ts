import { billingPeriod } from "../../ports/billing-period";
import type { UsageRecord } from "../../ports/store";
import type { GatewayContext } from "../context";
import { newUsageId } from "../new-id";
import { failEntry, logFieldsOf, observeCall } from "./meter";

/** Records a request that was answered with a stored reply: it cost nothing and called no channel. */
export async function recordRepeat(ctx: GatewayContext, first: UsageRecord): Promise<void> {
  const at = ctx.services.clock.now();
  const tookMs = Math.round(ctx.services.clock.monotonic() - ctx.receivedAt);
  const row: UsageRecord = {
    ...first,
    id: newUsageId(ctx.services.random, at),
    requestId: ctx.requestId,
    at,
    keyId: ctx.caller.key.id,
    userId: ctx.caller.owner.id,
    channelId: null,
    attempts: 0,
    costNano: 0,
    reservedNano: 0,
    cached: true,
    overrun: false,
    tags: ctx.tags,
    latencyMs: tookMs,
    firstByteMs: tookMs,
    trace: { admittedMs: tookMs, settledMs: tookMs, attempts: [] },
  };
  ctx.onOpened?.({ headers: () => ({ "x-patchbay-attempts": "0" }), logFields: () => logFieldsOf(row) });
  const { store, state, metrics, instance } = ctx.services;
  try {
    await store.ledger.settle(row, billingPeriod(instance.timeZone, at), undefined, true);
    state.live.publish("usage", row.userId);
    metrics.count("idempotent_repeats");
    metrics.count("usage_rows");
  } catch (error) {
    failEntry(row, error);
    throw error;
  } finally {
    observeCall(ctx, row, null);
    ctx.trace?.settled(row, () => null);
  }
}
