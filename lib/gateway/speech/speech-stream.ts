import { DEFAULT_LIMITS } from "../../contracts/limits";
import { AppError } from "../../errors";
import type { SpeechEvent } from "../../ports/speech-model";
import type { CallOutcome, Meter } from "../call";
import type { GatewayContext } from "../context";
import { failedOutcome } from "../metering/outcome";
import { reconcileTokens } from "../metering/reconcile-usage";
import { stopReason } from "../stop-reason";
import type { OpenedSpeech } from "./opened-speech";
import { measureAudio } from "./speech-cost";

/** What a caller of `synthesizeSpeech` reads; the tokens of `end` are those in the books. */
export type SpokenEvent =
  | { type: "audio"; pcm: Uint8Array }
  | { type: "end"; inputTokens: number; outputTokens: number; audioMs: number; finishReason: string };

const NOTHING = new Uint8Array(0);

/**
 * Starts `speak` and reads up to the first audio. Throws what the provider throws; `upstream_invalid` for an answer
 * without audio, `upstream_truncated` for one that stops, `invalid` when an embedded engine found nothing to say.
 */
export async function openSpeech(
  speak: (signal: AbortSignal) => AsyncIterable<SpeechEvent>,
  isEmbedded: boolean,
  signal: AbortSignal,
): Promise<OpenedSpeech> {
  const halting = new AbortController();
  const source = speak(AbortSignal.any([signal, halting.signal]))[Symbol.asyncIterator]();
  const event = await source.next();
  // Nobody waits for an attempt whose time was over.
  if (signal.aborted) {
    await source.return?.();
    throw signal.reason;
  }
  if (!event.done && event.value.type === "audio") {
    return { first: event.value.pcm, source, isEmbedded, halt: () => halting.abort(stopReason(signal)) };
  }
  await source.return?.();
  if (event.done) throw cut();
  if (event.value.type === "end" && isEmbedded) {
    throw new AppError("invalid", "The text holds nothing that can be spoken.");
  }
  const reason = event.value.type === "end" ? event.value.finishReason : "unknown";
  throw new AppError("upstream_invalid", `The channel answered without audio (finish reason ${reason}).`);
}

/**
 * The rest of a call: audio as it comes, then one `end` once the row is on disk. Settles exactly once: at the end,
 * on an error (which is thrown on), or with status 499 by `return()`; `throw(error)` settles with that error.
 */
export function meteredSpeech(
  ctx: GatewayContext,
  meter: Meter,
  opened: OpenedSpeech,
  inputTokens: number,
): AsyncIterableIterator<SpokenEvent> {
  const { source, isEmbedded, isCached = false, halt } = opened;
  let pending: Uint8Array | null = opened.first;
  // Whoever waited for `opened` holds it for as long as the call lasts.
  opened.first = NOTHING;
  let bytes = 0;
  let isOver = false;
  const nextEvent = timedEvents(ctx, source);
  const made = (): Partial<CallOutcome> => ({
    inputTokens,
    cached: isCached,
    ...measureAudio(bytes),
  });
  const stop = async (error: unknown) => {
    if (isOver) return;
    isOver = true;
    // The engine first: it must not work on while the row is written. Its own end is nobody's news any more.
    halt();
    source.return?.().catch(() => {});
    await meter.settle(failedOutcome(error, made()));
  };

  async function pull(): Promise<IteratorResult<SpokenEvent>> {
    const next = pending ? audio(pending) : await nextEvent();
    pending = null;
    if (isOver) return { done: true, value: undefined };
    if (next.done) throw cut();
    if (next.value.type === "audio") {
      bytes += next.value.pcm.byteLength;
      return { done: false, value: next.value };
    }
    const { usage, finishReason } = next.value;
    const measured = measureAudio(bytes);
    const input = reconcileTokens(usage.inputTokens, inputTokens);
    const output = reconcileTokens(usage.outputTokens, measured.outputTokens);
    const counted = {
      inputTokens: input.tokens,
      outputTokens: output.tokens,
      audioMs: measured.audioMs,
    };
    isOver = true;
    // The engine waits behind its last event until it is let go.
    source.return?.().catch(() => {});
    await meter.settle({
      ...counted,
      status: 200,
      error: null,
      estimated: !isEmbedded && !(input.isTold && output.isTold),
      cached: isCached,
    });
    return { done: false, value: { type: "end", ...counted, finishReason } };
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      if (isOver) return { done: true, value: undefined };
      try {
        return await pull();
      } catch (error) {
        const seen = ctx.signal.aborted ? stopReason(ctx.signal) : error;
        await stop(seen);
        throw seen;
      }
    },
    async return() {
      await stop(stopReason(ctx.signal));
      return { done: true, value: undefined };
    },
    async throw(error) {
      await stop(error);
      throw error;
    },
  };
}

/**
 * Reads `source` within the call's limits: `upstream_timeout` after `idleMs` without an event, or when the whole call's
 * time is spent. The time the caller takes to read does not count.
 */
export function timedEvents(
  ctx: GatewayContext,
  source: AsyncIterator<SpeechEvent>,
): () => Promise<IteratorResult<SpeechEvent>> {
  const { idleMs, callMs } = ctx.services.instance.limits ?? DEFAULT_LIMITS;
  let leftMs = callMs - (ctx.services.clock.monotonic() - ctx.receivedAt);
  return async () => {
    const from = ctx.services.clock.monotonic();
    const event = await inTime(source.next(), Math.min(idleMs, leftMs));
    leftMs -= ctx.services.clock.monotonic() - from;
    return event;
  };
}

function audio(pcm: Uint8Array): IteratorResult<SpeechEvent> {
  return { done: false, value: { type: "audio", pcm } };
}

/** The value of `work`, or `upstream_timeout` when it is not there after so many milliseconds. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // Made when it is needed: this runs for every piece of every stream, and a stack trace costs more than the piece.
    timer = setTimeout(() => reject(stalled()), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function stalled(): AppError {
  return new AppError("upstream_timeout", "The channel stopped sending in the middle of the speech.");
}

/** The error of a stream that stopped without its end. */
export function cut(): AppError {
  return new AppError("upstream_truncated", "The channel broke the speech off before its end.");
}
