import { availableParallelism } from "node:os";
import type { Clock } from "../../ports/clock";
import type { SpeechModel } from "../../ports/speech-model";
import { CallSlots } from "./call-slots";
import { AudioBuffers } from "./held-audio";
import { planSpeech } from "./plan";
import { type PoolStats, SpeechPool, startThread } from "./pool";
import { speakRequest } from "./speak-request";
import { EMBEDDED_VOICES } from "./voices";

export interface EmbeddedSpeechOptions {
  /** The bundled speech.worker.ts. */
  workerFile: URL;
  clock: Clock;
  /** Default: one less than the number of cores, but at least 1 and at most 2. */
  maxWorkers?: number;
  /** Default: 50 s. */
  idleMs?: number;
  /** Defaults: 1,000, 684, and 16 MiB. */
  maxOpen?: number;
  maxWaiting?: number;
  bufferBytes?: number;
}

interface EmbeddedSpeechStats extends PoolStats {
  /** Calls in progress, including waiting ones. */
  open: number;
  /** Audio that was generated and not read yet. */
  bufferBytes: number;
}

export interface EmbeddedSpeech extends SpeechModel {
  /** Stops the workers; running calls fail. */
  close(): Promise<void>;
  /** Only tests read it, to see leaks. */
  stats(): EmbeddedSpeechStats;
}

const CHUNK_TIMEOUT_MS = 20_000;

/**
 * The built-in model `patchbay-speech`: flite for English, espeak-ng for the other languages, in worker threads.
 *
 * Limits: 1,000 open calls, 684 of them waiting for their first sound, and three quarters of both for one user
 * (call-slots.ts). Each call holds the chunk that is being read and one generated ahead, each at most ten seconds of
 * speech. When all calls hold over 16 MiB, readers that have stalled for a second keep half a second of audio each (24
 * KB); the rest is generated again when they continue (held-audio.ts).
 */
export function createEmbeddedSpeech(options: EmbeddedSpeechOptions): EmbeddedSpeech {
  const pool = new SpeechPool({
    start: () => startThread(options.workerFile),
    maxWorkers: options.maxWorkers ?? Math.max(1, Math.min(2, availableParallelism() - 1)),
    idleMs: options.idleMs ?? 50_000,
    chunkTimeoutMs: CHUNK_TIMEOUT_MS,
  });
  const slots = new CallSlots(options.maxOpen, options.maxWaiting);
  const buffers = new AudioBuffers(options.bufferBytes);
  const engine = { pool, slots, buffers, clock: options.clock, plan: planSpeech };
  return {
    synthesize: (request, call) => speakRequest(engine, request, call),
    voices: async () => EMBEDDED_VOICES,
    supportedFields: () => ["languageCode"],
    stats: () => ({ ...pool.stats(), open: slots.open, bufferBytes: buffers.bytes }),
    close: () => pool.close(),
  };
}
