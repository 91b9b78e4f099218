import { AppError } from "../../errors";
import type { CallOptions, SpeechEvent } from "../../ports/speech-model";
import { stopReason } from "../../ports/stop-signal";
import type { Meter } from "../call";
import type { GatewayContext } from "../context";
import { type BufferedSpeech, MAX_REPLY_BYTES } from "./buffered-replies";
import type { OpenedSpeech, SoundEvent } from "./opened-speech";
import { endedEarly, TimedEvents, truncatedStream } from "./speech-stream";

/**
 * Reads a whole speech into `buffer` and returns it as a stream. Throws the channel's errors, `upstream_truncated` for a
 * stream without its end or with the finish reason `OTHER`, `upstream_timeout` by the call's limits, `upstream_invalid`
 * above 64 MiB, and the errors of `BufferedSpeech.append`; the channel is stopped then, and `buffer` keeps its reserved
 * memory for the next attempt.
 */
export async function bufferSpeech(
  ctx: GatewayContext,
  opened: OpenedSpeech,
  buffer: BufferedSpeech,
): Promise<OpenedSpeech> {
  const { source } = opened;
  const events = new TimedEvents(ctx, opened);
  buffer.clear();
  try {
    append(buffer, opened.first);
    for (;;) {
      const event = await events.next();
      if (ctx.signal.aborted) throw stopReason(ctx.signal);
      if (event.done) throw truncatedStream();
      if (event.value.type === "end") {
        // Google ends long streams so; any other reason tells the caller what to change.
        if (event.value.finishReason === "OTHER") throw endedEarly("OTHER");
        source.return?.().catch(() => {});
        return bufferedStream(buffer, event.value, opened);
      }
      append(buffer, event.value);
      if (buffer.bytes > MAX_REPLY_BYTES) throw tooLong();
    }
  } catch (error) {
    opened.halt();
    source.return?.().catch(() => {});
    // The next attempt starts with an empty buffer; a caller who left is charged for the audio so far.
    if (!ctx.signal.aborted) buffer.clear();
    throw error;
  } finally {
    events.end();
  }
}

/**
 * The options of an attempt for a caller whose reply is streamed: an upstream's reply that comes all at once reserves
 * memory for speech of `maxSeconds` until the call has ended. Its `extendFirstByte` throws the errors of
 * `BufferedReplies.enter`.
 */
export function reservingWhole(
  { caller, services }: GatewayContext,
  meter: Meter,
  maxSeconds: number,
  options: CallOptions,
): CallOptions {
  const { extendFirstByte } = options;
  if (extendFirstByte === undefined) return options;
  return {
    ...options,
    extendFirstByte(ms) {
      const memory = services.state.bufferedReplies.enter(services, caller.owner.id, maxSeconds);
      meter.whenSettled(() => memory.release());
      return extendFirstByte(ms);
    },
  };
}

function append(buffer: BufferedSpeech, event: SoundEvent): void {
  if (event.type === "audio") buffer.append(event.pcm);
  else buffer.append(event.text, event.bytes);
}

function tooLong(): AppError {
  const megabytes = MAX_REPLY_BYTES / 1024 ** 2;
  const message = `The channel sent more than ${megabytes} MiB of audio.`;
  return new AppError("upstream_invalid", message, { isCausedByRequest: true, shouldRetry: false });
}

/** Buffered speech as a channel's stream; its memory is released as it is read, or when it is stopped. */
function bufferedStream(
  buffer: BufferedSpeech,
  end: Extract<SpeechEvent, { type: "end" }>,
  { first, isEmbedded }: OpenedSpeech,
): OpenedSpeech {
  const totalBytes = buffer.bytes;
  let isOver = false;
  let characters = 0;
  let decoded = 0;
  const sound = (piece: Uint8Array): SoundEvent => {
    if (first.type === "audio") return { type: "audio", pcm: piece };
    characters += piece.length;
    const before = decoded;
    // Without the padding.
    decoded = Math.min(totalBytes, Math.floor((characters * 3) / 4));
    return { type: "base64", text: piece, bytes: decoded - before };
  };
  const release = (): void => {
    isOver = true;
    buffer.release();
  };
  return {
    first: sound(buffer.take() ?? new Uint8Array(0)),
    isEmbedded,
    totalBytes,
    completeUsage: end.usage,
    halt: release,
    source: {
      async next() {
        if (isOver) return { done: true, value: undefined };
        const piece = buffer.take();
        isOver = piece === null;
        return { done: false, value: piece === null ? end : sound(piece) };
      },
      async return() {
        release();
        return { done: true, value: undefined };
      },
    },
  };
}
