import { availableParallelism } from "node:os";
import { AppError, isAppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { CallOptions, SpeechEvent, SpeechModel, SpeechRequest } from "../../ports/speech-model";
import { SPEECH_SAMPLE_RATE } from "../../ports/speech-model";
import { planSpeech } from "./plan";
import { type PoolStats, SpeechPool, type Spoken } from "./pool";
import type { SpeechChunk } from "./protocol";
import { EMBEDDED_VOICES } from "./voices";

export interface EmbeddedSpeechOptions {
  /** The bundled speech.worker.ts. */
  workerFile: URL;
  clock: Clock;
  /** Default: one less than the cores, 1 or 2. */
  maxWorkers?: number;
  /** Default: 50 s. */
  idleMs?: number;
}

export interface EmbeddedSpeechStats extends PoolStats {
  /** Calls being spoken, waiting ones included. */
  open: number;
}

export interface EmbeddedSpeech extends SpeechModel {
  /** Stops the workers; what is being spoken fails. */
  close(): Promise<void>;
  stats(): EmbeddedSpeechStats;
}

/** Calls waiting for their first sound; one more is refused. */
const MOST_WAITING = 64;
/** Calls open at once: each may hold a chunk for a slow reader. */
const MOST_OPEN = 128;
const RETRY_AFTER_MS = 1000;
const CHUNK_TIMEOUT_MS = 20_000;
const BYTES_PER_SECOND = SPEECH_SAMPLE_RATE * 2;
/** Sound goes out in pieces of 200 ms. */
const PIECE_BYTES = BYTES_PER_SECOND / 5;
/** The next chunk is made when less than this is left of the last. */
const LOW_WATER_BYTES = BYTES_PER_SECOND * 1.5;

/** The embedded model `patchbay-speech`: flite for English, espeak-ng for the other languages, in worker threads. */
export function createEmbeddedSpeech(options: EmbeddedSpeechOptions): EmbeddedSpeech {
  const pool = new SpeechPool({
    workerFile: options.workerFile,
    maxWorkers: options.maxWorkers ?? Math.max(1, Math.min(2, availableParallelism() - 1)),
    idleMs: options.idleMs ?? 50_000,
    chunkTimeoutMs: CHUNK_TIMEOUT_MS,
  });
  const gate = { open: 0, waiting: 0 };
  return {
    synthesize: (request, call) => speak(pool, gate, options.clock, request, call),
    voices: async () => EMBEDDED_VOICES,
    stats: () => ({ ...pool.stats(), open: gate.open }),
    close: () => pool.close(),
  };
}

async function* speak(
  pool: SpeechPool,
  gate: { open: number; waiting: number },
  clock: Clock,
  request: SpeechRequest,
  { signal, firstByteBy }: CallOptions,
): AsyncGenerator<SpeechEvent> {
  throwIfAborted(signal);
  const chunks = planSpeech(request);
  if (gate.waiting >= MOST_WAITING || gate.open >= MOST_OPEN) {
    throw new AppError(
      "overloaded",
      "The speech engine has more work than it can take. Try again in a moment.",
      {
        retryAfterMs: RETRY_AFTER_MS,
      },
    );
  }
  const inTime = () => {
    if (clock.monotonic() < firstByteBy) return;
    throw new AppError("upstream_timeout", "The speech engine was too busy to begin in time.");
  };
  let ahead: Spoken | null = null;
  const order = (begin: () => void): Spoken | null => {
    const next: IteratorResult<SpeechChunk, unknown> = chunks.next();
    return next.done ? null : pool.speak(next.value, begin);
  };
  const onAbort = () => ahead?.cancel();
  signal.addEventListener("abort", onAbort);
  gate.open++;
  gate.waiting++;
  let waiting = true;
  let sounded = false;
  const stopWaiting = () => {
    if (waiting) gate.waiting--;
    waiting = false;
  };
  try {
    ahead = order(inTime);
    while (ahead) {
      const pcm: Uint8Array = await ahead.pcm;
      throwIfAborted(signal);
      stopWaiting();
      ahead = null;
      for (let at = 0; at < pcm.length; at += PIECE_BYTES) {
        if (!ahead && pcm.length - at <= LOW_WATER_BYTES) ahead = orderAhead(order);
        sounded = true;
        yield { type: "audio", pcm: pcm.subarray(at, Math.min(pcm.length, at + PIECE_BYTES)) };
        throwIfAborted(signal);
      }
      ahead ??= orderAhead(order);
    }
    if (!sounded)
      throw new AppError("upstream_invalid", "The embedded speech engine made no sound of this text.");
    yield { type: "end", usage: { inputTokens: null, outputTokens: null }, finishReason: "STOP" };
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    stopWaiting();
    gate.open--;
    signal.removeEventListener("abort", onAbort);
    ahead?.cancel();
  }
}

/** Its failure waits until the reader comes to it. */
function orderAhead(order: (begin: () => void) => Spoken | null): Spoken | null {
  const spoken = order(() => {});
  spoken?.pcm.catch(() => {});
  return spoken;
}

function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw isAppError(signal.reason) ? signal.reason : new AppError("caller_left", "The caller left.");
}
