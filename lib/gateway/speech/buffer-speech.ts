import { AppError } from "../../errors";
import type { SpeechEvent } from "../../ports/speech-model";
import { stopReason } from "../../ports/stop-signal";
import type { GatewayContext } from "../context";
import { type BufferedSpeech, MAX_REPLY_BYTES } from "./buffered-replies";
import type { OpenedSpeech, SoundEvent } from "./opened-speech";
import { endedEarly, TimedEvents, truncatedStream } from "./speech-stream";

/**
 * Reads a whole speech into `buffer` and returns it as a stream. Throws the channel's errors, `upstream_truncated` for
 * a stream without its end, or with the finish reason `OTHER` unless the caller accepts a part, `upstream_timeout` by
 * the call's limits, `upstream_invalid` above 64 MiB, and the errors of `BufferedSpeech.append`; the channel is stopped
 * then, and `buffer` keeps its reserved memory for the next attempt.
 */
export async function bufferSpeech(
  ctx: GatewayContext,
  opened: OpenedSpeech,
  buffer: BufferedSpeech,
  acceptsPart: boolean,
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
        // Google ends long streams with OTHER. Any other reason is passed on: it tells the caller what to change.
        if (event.value.finishReason === "OTHER" && !acceptsPart) throw endedEarly("OTHER");
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
 * The memory of a call for a reply that is sent only once it is complete. A buffered reply reserves it at the start; a
 * streamed reply reserves it when a channel is about to send its reply all at once.
 */
export class ReplyMemory {
  #buffer: BufferedSpeech | null = null;

  constructor(
    private readonly ctx: GatewayContext,
    private readonly maxSeconds: number,
  ) {}

  /** Bytes of audio of the running attempt. */
  get bytes(): number {
    return this.#buffer?.bytes ?? 0;
  }

  /**
   * Reserves the memory at the first call; later calls return the same buffer. Throws the errors of
   * `BufferedReplies.enter`.
   */
  reserve(): BufferedSpeech {
    const { services, caller } = this.ctx;
    this.#buffer ??= services.state.bufferedReplies.enter(caller.owner.id, this.maxSeconds);
    return this.#buffer;
  }

  release(): void {
    this.#buffer?.release();
    this.#buffer = null;
  }
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
    // `totalBytes` limits the count, because padding characters decode to no bytes.
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
