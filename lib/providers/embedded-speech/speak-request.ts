import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { runInTurns } from "../../ports/run-in-turns";
import type { CallOptions, SpeechEvent, SpeechRequest } from "../../ports/speech-model";
import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { type StopSignal, stopReason } from "../../ports/stop-signal";
import type { CallSlots } from "./call-slots";
import { type AudioBuffers, HeldAudio } from "./held-audio";
import { nextChunk, type Pace, type PlannedChunks } from "./plan";
import type { SpeechPool } from "./pool";

export interface Engine<Chunk> {
  /** Checks a request, in steps, and returns its chunks. Throws AppError `invalid`. */
  plan(request: SpeechRequest, pace: Pace): Generator<void, PlannedChunks<Chunk>, void>;
  /** Time from the start of this chunk to its sound, in milliseconds; absent: little. */
  firstSoundMs?(chunk: Chunk): number;
  /** The next chunk is generated when less than this is left of the last. Default: 1.5 s. */
  aheadBytes?: number;
  pool: SpeechPool<Chunk>;
  slots: CallSlots;
  buffers: AudioBuffers;
  clock: Clock;
}

const BYTES_PER_SECOND = SPEECH_SAMPLE_RATE * 2;
/** Audio is sent in pieces of 200 ms. */
const PIECE_BYTES = BYTES_PER_SECOND / 5;
/** And of 50 ms with many streams: every buffer on the way to a stalled reader holds one piece. */
const SMALL_PIECE_BYTES = BYTES_PER_SECOND / 20;
const MANY = 50;
const LOW_WATER_BYTES = BYTES_PER_SECOND * 1.5;

/** A chunk that is queued, or generated and waiting to be read. */
interface Making<Chunk> {
  chunk: Chunk;
  held: Promise<HeldAudio>;
  /** Cancels the work, and frees the audio if it was generated already. */
  drop(): void;
}

/** Speaks one request chunk by chunk, at most one chunk ahead of the reader. */
export async function* speakRequest<Chunk>(
  engine: Engine<Chunk>,
  request: SpeechRequest,
  { signal, firstByteBy }: CallOptions,
): AsyncGenerator<SpeechEvent> {
  throwIfAborted(signal);
  const { pool, slots, buffers, clock, aheadBytes = LOW_WATER_BYTES } = engine;
  const chunks = await runInTurns(engine.plan(request, buffers), signal);
  const findNext = () => runInTurns(nextChunk(chunks), signal);
  const first = await findNext();
  // No await between the check of the queue and the entry into it.
  const ownMs = first === null ? 0 : (engine.firstSoundMs?.(first) ?? 0);
  const slot = slots.take(pool.queueMs(), firstByteBy - clock.monotonic() - ownMs);
  const beginInTime = () => {
    if (clock.monotonic() < firstByteBy) return;
    throw new AppError("upstream_timeout", "The speech engine was too busy to begin in time.");
  };
  const makeNext = async (): Promise<Making<Chunk> | null> => {
    const chunk = await findNext();
    return chunk === null ? null : make(engine, chunk, 0, () => {});
  };
  const makeAhead = (): Promise<Making<Chunk> | null> => {
    const making = makeNext();
    // A failure of the chunk ahead is thrown when the reader reaches it.
    making.catch(() => {});
    return making;
  };
  let current: Making<Chunk> | null = null;
  let next: Promise<Making<Chunk> | null> | null = null;
  const drop = () => {
    current?.drop();
    next?.then(
      (making) => making?.drop(),
      () => {},
    );
  };
  signal.addEventListener("abort", drop);
  let hasSounded = false;
  try {
    current = first === null ? null : make(engine, first, 0, beginInTime);
    while (current) {
      const held: HeldAudio = await current.held;
      throwIfAborted(signal);
      slots.sounded(slot);
      held.isBeingRead = true;
      while (held.bytes > 0) {
        const length = slots.open > MANY ? SMALL_PIECE_BYTES : PIECE_BYTES;
        if (held.left <= aheadBytes + length && !buffers.isTight()) next ??= makeAhead();
        hasSounded = true;
        // Not in a variable, which would keep the memory of a stalled reader alive.
        yield { type: "audio", pcm: held.take(length, clock.monotonic()) };
        throwIfAborted(signal);
      }
      current.drop();
      if (held.resumeAt !== null) {
        current = make(engine, current.chunk, held.resumeAt, () => {});
        continue;
      }
      current = await (next ?? makeNext());
      next = null;
    }
    if (!hasSounded) {
      throw new AppError("upstream_invalid", "The embedded speech engine made no sound of this text.");
    }
    yield { type: "end", usage: { inputTokens: null, outputTokens: null }, finishReason: "STOP" };
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    slots.release(slot);
    signal.removeEventListener("abort", drop);
    drop();
  }
}

/** Generates a chunk, or generates it again from byte `from` on. */
function make<Chunk>(
  { pool, buffers, clock }: Engine<Chunk>,
  chunk: Chunk,
  from: number,
  begin: () => void,
): Making<Chunk> {
  const spoken = pool.speak(chunk, begin);
  // Only until the audio was generated: the task to cancel references all of it, however little is still held.
  let cancel: (() => void) | null = spoken.cancel;
  let isDropped = false;
  const held = spoken.pcm.then((pcm) => {
    cancel = null;
    const audio = new HeldAudio(pcm, from, clock.monotonic());
    if (!isDropped) buffers.add(audio, clock.monotonic());
    return audio;
  });
  // A failure of the chunk ahead is thrown when the reader reaches it.
  held.catch(() => {});
  const drop = () => {
    isDropped = true;
    cancel?.();
    held.then(
      (audio) => buffers.remove(audio),
      () => {},
    );
  };
  return { chunk, held, drop };
}

function throwIfAborted(signal: StopSignal): void {
  if (signal.aborted) throw stopReason(signal);
}
