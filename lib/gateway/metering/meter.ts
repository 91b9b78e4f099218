import type { UsageRecord } from "../../ports/store";
import type { CallOutcome, CallPlan, Meter } from "../call";
import type { GatewayContext } from "../context";
import { billingPeriod } from "./billing-period";
import { cutPrompt } from "./cut-prompt";
import { failedOutcome } from "./outcome";
import { costNano } from "./price";
import { startTrace } from "./trace";

/** Completes the row of a call with its outcome. A cached reply costs nothing. */
function settleRow(ctx: GatewayContext, plan: CallPlan, row: UsageRecord, outcome: CallOutcome): void {
  const cost = outcome.cached
    ? 0
    : costNano(plan.entry.model.prices, {
        inputTokens: outcome.inputTokens,
        characters: outcome.status < 400 || outcome.inputTokens > 0 ? row.characters : 0,
        outputTokens: outcome.outputTokens,
        audioMs: outcome.audioMs,
      });
  row.inputTokens = outcome.inputTokens;
  row.outputTokens = outcome.outputTokens;
  row.audioMs = outcome.audioMs;
  row.costNano = cost;
  row.status = outcome.status;
  row.error = outcome.error;
  row.state = "settled";
  row.cached = outcome.cached;
  row.estimated = outcome.estimated;
  row.overrun = cost > row.reservedNano;
  row.latencyMs = Math.round(ctx.services.clock.monotonic() - ctx.receivedAt);
}

function observe(ctx: GatewayContext, settled: UsageRecord, channel: string, status: number): void {
  ctx.services.metrics.observeCall({
    operation: settled.operation,
    model: settled.model,
    channel,
    status,
    seconds: settled.latencyMs / 1_000,
    firstByteSeconds: settled.firstByteMs === null ? null : settled.firstByteMs / 1_000,
  });
}

/** Creates the meter of an admitted call. `hasOpenEntry`: its ledger entry is written already, as an open one. */
export function createMeter(
  ctx: GatewayContext,
  plan: CallPlan,
  row: UsageRecord,
  limitHeaders: Record<string, string>,
  hasOpenEntry: boolean,
): Meter {
  let channelName: string | null = null;
  let upstreamFrom: number | null = null;
  let firstByteAt: number | null = null;
  let settling: Promise<void> | null = null;
  const trace = startTrace(ctx.services.clock, ctx.receivedAt);
  const onSettled: ((outcome: CallOutcome) => void)[] = [];

  function nameOfChannel(id: string): string {
    return plan.entry.routes.find((route) => route.channel.id === id)?.channel.name ?? id;
  }

  async function settleEntry(outcome: CallOutcome): Promise<void> {
    settleRow(ctx, plan, row, outcome);
    row.trace = trace.end(outcome.error, outcome.message ?? null);
    if (plan.parameters !== undefined) row.trace.parameters = plan.parameters;
    const prompt =
      ctx.services.instance.keepsPrompts && plan.promptText ? cutPrompt(plan.promptText()) : undefined;
    let replyStatus = outcome.status;
    try {
      await ctx.services.store.ledger.settle(
        row,
        billingPeriod(ctx.services.instance.timeZone, row.at),
        prompt,
        !hasOpenEntry,
      );
      ctx.services.metrics.count("usage_rows");
      ctx.onRecorded?.(row);
      ctx.services.state.live.publish("usage", row.userId);
    } catch (error) {
      // The ledger corrects the entry (Ledger.settle); reply and metrics must agree with it.
      if (outcome.error !== "caller_left") replyStatus = failedOutcome(error).status;
      throw error;
    } finally {
      for (const action of onSettled) action(outcome);
      observe(ctx, row, channelName ?? "", replyStatus);
      ctx.trace?.settled(row, replyStatus, nameOfChannel);
    }
  }

  return {
    attemptStarted(channelId, attempts, keyId) {
      trace.attempt(channelId, keyId);
      row.channelId = channelId;
      row.attempts = attempts;
      upstreamFrom ??= ctx.services.clock.monotonic();
      channelName = nameOfChannel(channelId);
    },

    failed: trace.failed,

    skipped: trace.skipped,

    answered: trace.answered,

    firstByte() {
      if (firstByteAt !== null) return;
      firstByteAt = ctx.services.clock.monotonic();
      row.firstByteMs = Math.round(firstByteAt - ctx.receivedAt);
    },

    settle(outcome) {
      settling ??= settleEntry(outcome);
      return settling;
    },

    whenSettled(action) {
      onSettled.push(action);
    },

    headers() {
      const now = ctx.services.clock.monotonic();
      const upstreamMs = upstreamFrom === null ? 0 : (firstByteAt ?? now) - upstreamFrom;
      return {
        ...limitHeaders,
        ...(channelName === null ? {} : { "x-patchbay-channel": headerText(channelName) }),
        ...(plan.cache === undefined ? {} : { "x-patchbay-cache": plan.cache }),
        "x-patchbay-attempts": String(row.attempts),
        "x-patchbay-overhead-ms": Math.max(0, now - ctx.receivedAt - upstreamMs).toFixed(1),
      };
    },
  };
}

/** A channel's name as a header value: visible ASCII, all other bytes percent-encoded. */
function headerText(name: string): string {
  return name.replace(/[^\x20-\x7e]/gu, (other) =>
    [...Buffer.from(other, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}
