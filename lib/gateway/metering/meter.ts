import { type ErrorCode, isAppError } from "../../errors";
import { billingPeriod } from "../../ports/billing-period";
import type { Clock } from "../../ports/clock";
import type { AttemptTrace, CallTrace, SkippedChannel, UsageRecord } from "../../ports/store";
import type { CalledChannel } from "../../ports/telemetry";
import type { CallOutcome, CallPlan, Meter } from "../call";
import type { GatewayContext } from "../context";
import { attemptMessage, failedOutcome } from "./outcome";
import { costNano } from "./price";

/** Records the attempts of one call; created when the call is admitted. */
interface TraceRecorder {
  attempt(channelId: string, keyId: string | null): void;
  /** Records the upstream's first byte of the running attempt. */
  answered(): void;
  failed(error: unknown): void;
  skipped(channels: readonly SkippedChannel[]): void;
  /** Ends the trace; an attempt that is still running ends with it and gets its error and message. */
  end(error: ErrorCode | null, message: string | null): CallTrace;
}

/** Milliseconds rounded to tenths: calls of the built-in engines take about one tenth. */
function roundToTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function startTrace(clock: Clock, receivedAt: number): TraceRecorder {
  const since = (at: number): number => roundToTenths(at - receivedAt);
  const admittedMs = since(clock.monotonic());
  const attempts: AttemptTrace[] = [];
  let running: AttemptTrace | null = null;
  let skipped: SkippedChannel[] = [];
  return {
    attempt(channelId, keyId) {
      running = {
        channelId,
        keyId,
        startedMs: since(clock.monotonic()),
        firstByteMs: null,
        endedMs: null,
        error: null,
        upstreamStatus: null,
        message: null,
      };
      attempts.push(running);
    },

    answered() {
      if (running !== null) running.firstByteMs = since(clock.monotonic());
    },

    failed(error) {
      if (running === null) return;
      running.endedMs = since(clock.monotonic());
      running.error = isAppError(error) ? error.code : "internal";
      const { upstreamStatus, upstreamRefusal } = isAppError(error) ? error.details : {};
      running.upstreamStatus = upstreamStatus ?? null;
      if (upstreamRefusal !== undefined) running.upstreamRefusal = upstreamRefusal;
      running.message = attemptMessage(error);
      running = null;
    },

    skipped(channels) {
      skipped = channels.filter(({ channelId }) => attempts.every((one) => one.channelId !== channelId));
    },

    end(error, message) {
      const settledMs = since(clock.monotonic());
      if (running !== null) {
        running.endedMs = settledMs;
        running.error = error;
        running.message = message;
      }
      return { admittedMs, settledMs, attempts, ...(skipped.length > 0 ? { skipped } : {}) };
    },
  };
}

/** Most bytes stored of a call's prompt. */
export const MAX_PROMPT_BYTES = 16 * 1024;

/** Truncates a text to `MAX_PROMPT_BYTES` of UTF-8, between two characters. */
export function cutPrompt(text: string): string {
  // A code unit takes at most three bytes.
  if (text.length * 3 <= MAX_PROMPT_BYTES) return text;
  const bytes = new Uint8Array(MAX_PROMPT_BYTES);
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return text.slice(0, read);
}

/** Completes the row of a call with its outcome. A cached reply costs nothing. */
function settleRow(ctx: GatewayContext, plan: CallPlan, row: UsageRecord, outcome: CallOutcome): void {
  row.characters = outcome.characters ?? row.characters;
  const { free = { inputTokens: 0, characters: 0 } } = outcome;
  const cost = outcome.cached
    ? 0
    : costNano(plan.entry.model.prices, {
        inputTokens: outcome.inputTokens - free.inputTokens,
        characters: outcome.status < 400 || outcome.inputTokens > 0 ? row.characters - free.characters : 0,
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

/** What the log says of a failed call. */
export const logFieldsOf = (row: UsageRecord): ReturnType<Meter["logFields"]> => ({
  model: row.model,
  channel: row.channelId ?? undefined,
});

/**
 * Changes the entry of a call whose commit failed in the way in which the ledger will correct it (Ledger.settle), so
 * that reply, metrics and trace agree with the ledger. After an error other than `storage_unavailable`, an open entry
 * is later charged its reservation.
 */
export function failEntry(row: UsageRecord, thrown: unknown): void {
  const { status, error } = failedOutcome(thrown);
  row.status = status;
  row.error = error;
  if (error !== "storage_unavailable") return;
  row.costNano = 0;
  row.overrun = false;
}

/** Counts a call in the metrics. `channel`: of the last attempt; null where no channel was called. */
export function observeCall(ctx: GatewayContext, settled: UsageRecord, channel: CalledChannel | null): void {
  ctx.services.metrics.observeCall({
    operation: settled.operation,
    model: settled.model,
    channel,
    status: settled.status,
    error: settled.error,
    seconds: settled.latencyMs / 1_000,
    firstByteSeconds: settled.firstByteMs === null ? null : settled.firstByteMs / 1_000,
  });
}

export class CallMeter implements Meter {
  readonly #trace: TraceRecorder;
  readonly #onSettled: ((outcome: CallOutcome) => void)[] = [];
  #channel: CalledChannel | null = null;
  #upstreamFrom: number | null = null;
  #firstByteAt: number | null = null;
  #settling: Promise<void> | null = null;

  /** The meter of an admitted call. `hasOpenEntry`: its ledger entry is written already, as an open one. */
  constructor(
    private readonly ctx: GatewayContext,
    private readonly plan: CallPlan,
    private readonly row: UsageRecord,
    private readonly limitHeaders: Record<string, string>,
    private readonly hasOpenEntry: boolean,
  ) {
    this.#trace = startTrace(ctx.services.clock, ctx.receivedAt);
  }

  attemptStarted(channelId: string, attemptNumber: number, keyId: string | null): void {
    this.#trace.attempt(channelId, keyId);
    this.row.channelId = channelId;
    this.row.attempts = attemptNumber;
    this.#upstreamFrom ??= this.ctx.services.clock.monotonic();
    this.#channel = this.#channelOf(channelId);
  }

  answered(): void {
    this.#trace.answered();
  }

  failed(error: unknown): void {
    this.#trace.failed(error);
  }

  skipped(channels: readonly SkippedChannel[]): void {
    this.#trace.skipped(channels);
  }

  firstByte(): void {
    if (this.#firstByteAt !== null) return;
    this.#firstByteAt = this.ctx.services.clock.monotonic();
    this.row.firstByteMs = Math.round(this.#firstByteAt - this.ctx.receivedAt);
  }

  settle(outcome: CallOutcome): Promise<void> {
    this.#settling ??= this.#settleEntry(outcome);
    return this.#settling;
  }

  whenSettled(action: (outcome: CallOutcome) => void): void {
    this.#onSettled.push(action);
  }

  headers(): Record<string, string> {
    const { services, receivedAt } = this.ctx;
    const now = services.clock.monotonic();
    const upstreamMs = this.#upstreamFrom === null ? 0 : (this.#firstByteAt ?? now) - this.#upstreamFrom;
    return {
      "x-patchbay-attempts": String(this.row.attempts),
      "x-patchbay-overhead-ms": Math.max(0, now - receivedAt - upstreamMs).toFixed(1),
      ...this.limitHeaders,
      ...(this.#channel === null ? {} : { "x-patchbay-channel": headerText(this.#channel.name) }),
      ...(this.plan.cache === undefined ? {} : { "x-patchbay-cache": this.plan.cache }),
    };
  }

  logFields(): ReturnType<Meter["logFields"]> {
    return logFieldsOf(this.row);
  }

  #channelOf(channelId: string): CalledChannel | null {
    const route = this.plan.entry.routes.find(({ channel }) => channel.id === channelId);
    if (route === undefined) return null;
    const { name, provider } = route.channel;
    return { name, provider, upstreamModel: route.upstreamName };
  }

  async #settleEntry(outcome: CallOutcome): Promise<void> {
    const ctx = this.ctx;
    const plan = this.plan;
    const row = this.row;
    const { instance, store, metrics, state } = ctx.services;
    settleRow(ctx, plan, row, outcome);
    row.trace = this.#trace.end(outcome.error, outcome.message ?? null);
    if (plan.parameters !== undefined) row.trace.parameters = plan.parameters;
    const prompt = instance.keepsPrompts && plan.promptText ? cutPrompt(plan.promptText()) : undefined;
    try {
      await store.ledger.settle(row, billingPeriod(instance.timeZone, row.at), prompt, !this.hasOpenEntry);
      metrics.count("usage_rows");
      ctx.onRecorded?.(row);
      state.live.publish("usage", row.userId);
    } catch (error) {
      if (outcome.error !== "caller_left") failEntry(row, error);
      throw error;
    } finally {
      for (const action of this.#onSettled) action(outcome);
      observeCall(ctx, row, this.#channel);
      ctx.trace?.settled(row, (id) => this.#channelOf(id));
    }
  }
}

/** A channel's name as a header value: visible ASCII, all other bytes and `%` percent-encoded. */
function headerText(name: string): string {
  return name.replace(/[^\x20-\x24\x26-\x7e]/gu, (other) =>
    [...Buffer.from(other, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}
