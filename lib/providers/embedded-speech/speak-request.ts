import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import { runInSlices } from "../../ports/run-in-slices";
import type { CallOptions, SpeechEvent, SpeechRequest } from "../../ports/speech-model";
import { SPEECH_BYTES_PER_SECOND } from "../../ports/speech-model";
import { type StopSignal, stopReason } from "../../ports/stop-signal";
import { NO_OWNER } from "../engine-pool/turns";
import type { CallSlots } from "./call-slots";
import { type AudioBuffers, HeldAudio } from "./held-audio";
import { nextChunk, type Pace, type PlannedChunks } from "./plan";
import type { SpeechPool } from "./pool";

export interface Engine<Chunk> {
  /** Checks a request, in steps, and returns its chunks. Throws AppError `invalid`. */
  plan(request: SpeechRequest, pace: Pace): Generator<void, PlannedChunks<Chunk>, void>;
  /** Milliseconds from the start of this chunk to its sound; absent: counted as 0. */
  firstSoundMs?(chunk: Chunk): number;
  /** The next chunk is generated when less than this is left of the current one. Default: 1.5 s of audio. */
  aheadBytes?: number;
  pool: SpeechPool<Chunk>;
  slots: CallSlots;
  buffers: AudioBuffers;
  clock: Clock;
}

/** Audio is sent in pieces of 200 ms. */
const PIECE_BYTES = SPEECH_BYTES_PER_SECOND / 5;
/** With many open calls, in pieces of 50 ms: every buffer on the way to a stalled reader holds one piece. */
const SMALL_PIECE_BYTES = SPEECH_BYTES_PER_SECOND / 20;
const MANY = 50;
const LOW_WATER_BYTES = SPEECH_BYTES_PER_SECOND * 1.5;

/** The engine with the owner of the call. */
interface EngineOfCall<Chunk> extends Engine<Chunk> {
  ownerId: string;
}

/** A chunk that is queued, or generated and waiting to be read. */
interface PendingChunk<Chunk> {
  chunk: Chunk;
  held: Promise<HeldAudio>;
  /** Cancels the work, and frees the audio if it was generated already. */
  drop(): void;
}

/** Speaks one request chunk by chunk, at most one chunk ahead of the reader. */
export async function* speakRequest<Chunk>(
  engine: Engine<Chunk>,
  request: SpeechRequest,
  { signal, ownerId = NO_OWNER, firstByteBy }: CallOptions,
): AsyncGenerator<SpeechEvent> {
  throwIfAborted(signal);
  const { pool, slots, buffers, clock, aheadBytes = LOW_WATER_BYTES } = engine;
  const chunks = await runInSlices(engine.plan(request, buffers), signal);
  const first = await runInSlices(nextChunk(chunks), signal);
  // No `await` may come between this check of the queue and adding to it.
  const ownMs = first === null ? 0 : (engine.firstSoundMs?.(first) ?? 0);
  const slot = slots.take(ownerId, pool.queueMs(ownerId), firstByteBy - clock.monotonic() - ownMs);
  const queue = new ChunkQueue({ ...engine, ownerId }, chunks, signal);
  const drop = () => queue.drop();
  signal.addEventListener("abort", drop);
  try {
    queue.begin(first, firstByteBy);
    while (queue.held !== null) {
      const held: HeldAudio = await queue.held;
      throwIfAborted(signal);
      slots.sounded(slot);
      held.isBeingRead = true;
      while (held.bytes > 0) {
        const length = slots.open > MANY ? SMALL_PIECE_BYTES : PIECE_BYTES;
        if (held.left <= aheadBytes + length && !buffers.isTight()) queue.prefetch();
        // Not assigned to a variable, which would keep the piece of a stalled reader in memory.
        yield { type: "audio", pcm: held.take(length, clock.monotonic()) };
        throwIfAborted(signal);
      }
      await queue.advance(held.resumeAt);
    }
    yield { type: "end", usage: { inputTokens: null, outputTokens: null }, finishReason: "STOP" };
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    slots.release(slot);
    signal.removeEventListener("abort", drop);
    queue.drop();
  }
}

/** The chunk that is being read, and at most one ahead of it. */
class ChunkQueue<Chunk> {
  #current: PendingChunk<Chunk> | null = null;
  #next: Promise<PendingChunk<Chunk> | null> | null = null;

  constructor(
    private readonly engine: EngineOfCall<Chunk>,
    private readonly chunks: PlannedChunks<Chunk>,
    private readonly signal: StopSignal,
  ) {}

  /** Queues the first chunk, whose turn must come by `firstByteBy`. */
  begin(first: Chunk | null, firstByteBy: number): void {
    if (first === null) return;
    this.#current = generate(this.engine, first, 0, () => {
      if (this.engine.clock.monotonic() < firstByteBy) return;
      throw new AppError("upstream_timeout", "The speech engine was too busy to begin in time.");
    });
  }

  /** The audio of the current chunk; null after the last. */
  get held(): Promise<HeldAudio> | null {
    return this.#current === null ? null : this.#current.held;
  }

  /** Generates the next chunk while the current one is read. */
  prefetch(): void {
    if (this.#next !== null) return;
    this.#next = this.#generateNext();
    // A failure of the chunk ahead is thrown when the reader reaches it.
    this.#next.catch(() => {});
  }

  /** Moves to the next chunk, or generates the rest of this one again from byte `resumeAt`. */
  async advance(resumeAt: number | null): Promise<void> {
    const read = this.#current;
    read?.drop();
    if (read !== null && resumeAt !== null) {
      this.#current = generate(this.engine, read.chunk, resumeAt, () => {});
      return;
    }
    this.#current = await (this.#next ?? this.#generateNext());
    this.#next = null;
  }

  drop(): void {
    this.#current?.drop();
    this.#next?.then(
      (pending) => pending?.drop(),
      () => {},
    );
  }

  async #generateNext(): Promise<PendingChunk<Chunk> | null> {
    const chunk = await runInSlices(nextChunk(this.chunks), this.signal);
    return chunk === null ? null : generate(this.engine, chunk, 0, () => {});
  }
}

/** Generates a chunk, or generates it again from byte `from` on. */
function generate<Chunk>(
  { pool, buffers, clock, ownerId }: EngineOfCall<Chunk>,
  chunk: Chunk,
  from: number,
  begin: () => void,
): PendingChunk<Chunk> {
  const queued = pool.speak(chunk, begin, ownerId);
  // Kept only until the audio is generated: the queued task references all of the audio, however little is still held.
  let cancel: (() => void) | null = queued.cancel;
  const held = queued.pcm.then((pcm) => {
    cancel = null;
    const audio = new HeldAudio(pcm, from, clock.monotonic());
    buffers.add(audio, clock.monotonic());
    return audio;
  });
  // A failure of the chunk ahead is thrown when the reader reaches it.
  held.catch(() => {});
  const drop = () => {
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
