import { AppError, causedByRequest, hasCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import { MovingDeadline } from "../../ports/moving-deadline";
import type { CallOptions, SpeechEvent, SpeechUsage } from "../../ports/speech-model";
import { StopSource, stopReason } from "../../ports/stop-signal";
import type { CallOutcome, Meter } from "../call";
import type { GatewayContext } from "../context";
import { failedOutcome, reconcileTokens } from "../metering/outcome";
import type { OpenedSpeech, SoundEvent } from "./opened-speech";
import { measureAudio } from "./speech-cost";

/** Events of `synthesizeSpeech`; the tokens of `end` are those of the ledger entry. */
export type SpokenEvent =
  | SoundEvent
  | { type: "end"; inputTokens: number; outputTokens: number; audioMs: number; finishReason: string };

const EMPTY_AUDIO: SoundEvent = { type: "audio", pcm: new Uint8Array(0) };

/**
 * Starts `speak` and reads up to the first audio. Throws the provider's errors, `upstream_invalid` for a reply without
 * audio, `upstream_truncated` for one without its end, `invalid` when a built-in engine finds nothing to speak.
 */
export async function openSpeech(
  speak: (options: CallOptions) => AsyncIterable<SpeechEvent>,
  isEmbedded: boolean,
  options: CallOptions,
): Promise<OpenedSpeech> {
  const signal = new StopSource();
  const stop = (): void => signal.abort(stopReason(options.signal));
  if (options.signal.aborted) stop();
  else options.signal.addEventListener("abort", stop, { once: true });
  const source = speak(Object.assign({}, options, { signal }))[Symbol.asyncIterator]();
  const event = await source.next();
  // The attempt has timed out, or the caller has left.
  if (signal.aborted) {
    await source.return?.();
    throw stopReason(signal);
  }
  const first = event.done ? null : event.value;
  if (first !== null && first.type !== "end") {
    const halt = () => signal.abort(new AppError("caller_left", "The client disconnected."));
    return { first, source, isEmbedded, halt };
  }
  await source.return?.();
  if (first === null) throw truncatedStream();
  if (isEmbedded) {
    throw new AppError("invalid", "The text contains nothing that can be spoken.", { param: "text" });
  }
  const { finishReason } = first;
  throw new AppError("upstream_invalid", `The channel returned no audio (finish reason ${finishReason}).`);
}

/** Usage of a finished speech: the upstream's counts where plausible, else our own. */
function countUsage(usage: SpeechUsage, inputTokens: number, bytes: number) {
  const { audioMs, outputTokens } = measureAudio(bytes);
  const input = reconcileTokens(usage.inputTokens, inputTokens);
  const output = reconcileTokens(usage.outputTokens, outputTokens);
  return {
    inputTokens: input.tokens,
    outputTokens: output.tokens,
    audioMs,
    isReported: input.isReported && output.isReported,
  };
}

/**
 * The events of a call: audio as it arrives, then one `end` once the ledger entry is on disk. Settles exactly once: at
 * the end, on an error (which is rethrown), or with status 499 by `return()`; `throw(error)` settles with that error.
 */
export class MeteredSpeech implements AsyncIterableIterator<SpokenEvent> {
  readonly #ctx: GatewayContext;
  readonly #meter: Meter;
  readonly #opened: OpenedSpeech;
  readonly #inputTokens: number;
  readonly #showsFinishReason: boolean;
  readonly #events: TimedEvents;
  #pending: SoundEvent | null;
  #bytes = 0;
  #isOver = false;

  /** `showsFinishReason`: the caller learns why the speech ended; otherwise a speech that ended early is an error. */
  constructor(
    ctx: GatewayContext,
    meter: Meter,
    opened: OpenedSpeech,
    { inputTokens, showsFinishReason }: { inputTokens: number; showsFinishReason: boolean },
  ) {
    this.#ctx = ctx;
    this.#meter = meter;
    this.#opened = opened;
    this.#inputTokens = inputTokens;
    this.#showsFinishReason = showsFinishReason;
    this.#events = new TimedEvents(ctx, opened);
    this.#pending = opened.first;
    // `opened` stays referenced for as long as the call lasts; its first chunk must not.
    opened.first = EMPTY_AUDIO;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<SpokenEvent>> {
    if (this.#isOver) return { done: true, value: undefined };
    try {
      return await this.#pull();
    } catch (error) {
      const seen = this.#ctx.signal.aborted ? stopReason(this.#ctx.signal) : error;
      await this.#stop(seen);
      throw seen;
    }
  }

  async return(): Promise<IteratorResult<SpokenEvent>> {
    // No error is made for a reply that has ended: its stack trace would cost more than the end itself.
    if (!this.#isOver) await this.#stop(stopReason(this.#ctx.signal));
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    await this.#stop(error);
    throw error;
  }

  async #pull(): Promise<IteratorResult<SpokenEvent>> {
    const next: IteratorResult<SpeechEvent> = this.#pending
      ? { done: false, value: this.#pending }
      : await this.#events.next();
    this.#pending = null;
    if (this.#isOver) return { done: true, value: undefined };
    if (next.done) throw truncatedStream();
    if (next.value.type === "end") {
      const { finishReason } = next.value;
      if (finishReason !== "STOP" && !this.#showsFinishReason) throw endedEarly(finishReason);
      return { done: false, value: await this.#finish(next.value) };
    }
    this.#bytes += next.value.type === "audio" ? next.value.pcm.byteLength : next.value.bytes;
    return { done: false, value: next.value };
  }

  /** Settles a speech that is complete. */
  async #finish({ usage, finishReason }: Extract<SpeechEvent, { type: "end" }>): Promise<SpokenEvent> {
    const { source, isEmbedded, isCached = false } = this.#opened;
    const { isReported, ...counted } = countUsage(usage, this.#inputTokens, this.#bytes);
    this.#isOver = true;
    this.#events.end();
    // Without this the provider's generator stays suspended after its last event.
    source.return?.().catch(() => {});
    await this.#meter.settle({
      status: 200,
      error: null,
      estimated: !isEmbedded && !isReported,
      cached: isCached,
      ...counted,
    });
    return { type: "end", ...counted, finishReason };
  }

  /** The usage of a speech that failed or whose caller left. */
  #usageAt(error: unknown): Partial<CallOutcome> {
    const { isEmbedded, isCached = false, completeUsage, totalBytes = 0 } = this.#opened;
    const isLeft = hasCode(error, "caller_left");
    // No audio has been read, for example because no encoder is free. The call costs nothing, like one that fails
    // before its first audio.
    if (this.#bytes === 0 && !isLeft) return { cached: isCached };
    if (completeUsage !== undefined && isLeft) {
      const { isReported, ...counted } = countUsage(completeUsage, this.#inputTokens, totalBytes);
      return { ...counted, estimated: !isReported };
    }
    return {
      inputTokens: this.#inputTokens,
      ...measureAudio(this.#bytes),
      // An upstream reports its counts with the end of the stream, which was not reached.
      estimated: !isEmbedded && !isCached,
      cached: isCached,
    };
  }

  /**
   * Settles a speech that failed or whose caller left. If the reply was complete when its caller left, all of it is
   * charged, else the audio so far.
   */
  async #stop(error: unknown): Promise<void> {
    if (this.#isOver) return;
    const { source, halt } = this.#opened;
    this.#isOver = true;
    this.#events.end();
    // Stops the engine before the entry is written; the engine's own end or error no longer matters.
    halt();
    source.return?.().catch(() => {});
    await this.#meter.settle(failedOutcome(error, this.#usageAt(error)));
  }
}

/**
 * Reads a stream within the call's limits: `upstream_timeout` after `idleMs` (of the settings, or the channel's if
 * longer) without an event, or when the call's total time is over. The time that the caller takes to read does not
 * count. If the connection breaks after the caller has read slowly, the error counts as caused by the request.
 */
export class TimedEvents {
  readonly #source: AsyncIterator<SpeechEvent>;
  readonly #clock: Clock;
  readonly #idleMs: number;
  #leftMs: number;
  /** Total time that the caller has taken to read the pieces so far. */
  #readingMs = 0;
  #returnedAt: number;
  readonly #deadline: MovingDeadline;
  #onLate: (error: AppError) => void = () => undefined;

  constructor(ctx: GatewayContext, opened: Pick<OpenedSpeech, "source" | "idleMs">) {
    const { idleMs, callMs } = ctx.services.instance.limits;
    this.#source = opened.source;
    this.#clock = ctx.services.clock;
    // A channel's shorter limit is applied by its provider, within each upstream call but not between two of them.
    this.#idleMs = Math.max(idleMs, opened.idleMs ?? 0);
    this.#returnedAt = this.#clock.monotonic();
    this.#leftMs = callMs - (this.#returnedAt - ctx.receivedAt);
    this.#deadline = new MovingDeadline(this.#clock, () => {
      // The call's time ran out well before the idle limit, so the channel did not stall.
      const isOver = this.#leftMs < this.#idleMs / 2;
      this.#onLate(isOver ? callIsOver(callMs) : stalled());
    });
  }

  next(): Promise<IteratorResult<SpeechEvent>> {
    const from = this.#clock.monotonic();
    this.#readingMs += from - this.#returnedAt;
    this.#deadline.set(from + Math.min(this.#idleMs, this.#leftMs), from);
    return new Promise((resolve, reject) => {
      this.#onLate = reject;
      const over = (): void => {
        this.#deadline.pause();
        this.#returnedAt = this.#clock.monotonic();
        this.#leftMs -= this.#returnedAt - from;
      };
      this.#source.next().then(
        (event) => {
          over();
          resolve(event);
        },
        (error: unknown) => {
          over();
          reject(this.#readingMs < SLOW_READING_MS ? error : ofSlowReading(error));
        },
      );
    });
  }

  /** Stops the timer, which may be running. To be called when no more events are read. */
  end(): void {
    this.#deadline.end();
  }
}

/** An upstream may close a connection that is read this slowly. */
const SLOW_READING_MS = 5_000;

/** A connection that broke while the caller read slowly: not the channel's failure. */
function ofSlowReading(error: unknown): unknown {
  const isBroken = hasCode(error, "upstream_truncated") || hasCode(error, "upstream_error");
  return isBroken ? causedByRequest(error) : error;
}

/** The request is the cause, because how long a speech takes depends on its text. */
function callIsOver(callMs: number): AppError {
  const message = `The speech took longer than the ${callMs / 1_000} s that a call may take.`;
  return new AppError("upstream_timeout", message, { isCausedByRequest: true, shouldRetry: false });
}

function stalled(): AppError {
  return new AppError("upstream_timeout", "The channel stopped sending in the middle of the speech.");
}

/**
 * The error of a speech that ended early, where the caller would take the reply for the whole speech. The attempt is
 * not repeated on the same channel, which may end the speech early again.
 */
export function endedEarly(finishReason: string): AppError {
  const advice = finishReason === "OTHER" ? " Less text in one request may help." : "";
  const message = `The channel ended the speech early (finish reason ${finishReason}).${advice}`;
  return new AppError("upstream_truncated", message, { isCausedByRequest: true });
}

/** The error of a stream that ended without its `end` event. */
export function truncatedStream(): AppError {
  return new AppError("upstream_truncated", "The channel ended the speech early.");
}
