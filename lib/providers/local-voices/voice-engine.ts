import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { VoiceFolder, VoiceLoad } from "../../ports/local-voices";
import {
  type CallOptions,
  SPEECH_SAMPLE_RATE,
  type SpeechEvent,
  type SpeechRequest,
} from "../../ports/speech-model";
import { CallSlots } from "../embedded-speech/call-slots";
import { AudioBuffers } from "../embedded-speech/held-audio";
import { type PoolStats, SpeechPool } from "../embedded-speech/pool";
import { type Engine, speakRequest } from "../embedded-speech/speak-request";
import { startEngineProcess } from "./engine-process";
import { planVoices, secondsOf, type VoiceChunk } from "./plan";
import type { EngineFiles } from "./read-folder";
import type { ModelVoices } from "./voices";

export interface VoiceEngineSettings {
  folder: VoiceFolder;
  files: EngineFiles;
  workerFile: URL;
  clock: Clock;
  /** The real-time factor measured earlier; null: unknown. */
  speed: number | null;
  /** Called with the newest real-time factor, at most once in 10 s. */
  onMeasured(factor: number): void;
  /** The longest call, in milliseconds; read at every call. */
  callMs(): number;
  idleMs: number;
  /** Threads of one chunk's work. */
  threads: number;
}

export interface VoiceEngine {
  /** Throws `overloaded` with the time after which the machine can speak this text, at once. */
  speak(request: SpeechRequest, options: CallOptions, voices: ModelVoices): AsyncGenerator<SpeechEvent>;
  load(): VoiceLoad;
  stats(): PoolStats & { open: number };
  close(): Promise<void>;
}

/** Assumed until the first chunk is measured: Kokoro on a slow core needs about twice the duration, Piper a tenth. */
const FIRST_FACTOR = 1;
/** A new measurement counts as much as this many seconds of audio before it. */
const MEMORY_SECONDS = 30;
const REPORT_MS = 10_000;
const FIRST_LOAD_MS = 2_000;
/** A chunk of eight seconds at ten times its duration, and the loading. */
const CHUNK_TIMEOUT_MS = 120_000;
const MOST_WAITING = 32;
const MOST_OPEN = 128;
const BYTES_PER_SECOND = SPEECH_SAMPLE_RATE * 2;
const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** Measures how long a model needs for a second of audio, recent chunks first. */
class RealTimeFactor {
  #ms = 0;
  #seconds = 0;

  /** Null before the first measurement. */
  get value(): number | null {
    return this.#seconds === 0 ? null : this.#ms / 1_000 / this.#seconds;
  }

  add(ms: number, seconds: number): void {
    const kept = Math.min(1, MEMORY_SECONDS / Math.max(MEMORY_SECONDS, this.#seconds + seconds));
    this.#ms = this.#ms * kept + ms;
    this.#seconds = this.#seconds * kept + seconds;
  }
}

/** One model: a process that is started by the first call and ended when idle, and its queue. */
export function createVoiceEngine(settings: VoiceEngineSettings): VoiceEngine {
  const { folder, files, clock } = settings;
  const factor = new RealTimeFactor();
  let failure: string | null = null;
  let loadMs = FIRST_LOAD_MS;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const known = () => factor.value ?? settings.speed;
  const workMs = (seconds: number) => seconds * (known() ?? FIRST_FACTOR) * 1_000;
  const pool = new SpeechPool<VoiceChunk>({
    name: `The local voice ${folder.name}`,
    start: () => startEngineProcess(settings.workerFile, [JSON.stringify(files), String(settings.threads)]),
    workMs: ({ text, speed }) => workMs(secondsOf(text, speed)),
    onSpoken: ({ pauseMs, speed }, took, bytes) => {
      failure = null;
      factor.add(took.workMs, Math.max(0, bytes / BYTES_PER_SECOND - pauseMs / speed / 1_000));
      if (took.isFirst) loadMs = took.totalMs - took.workMs;
      if (factor.value !== null && clock.monotonic() - reportedAt > REPORT_MS) {
        reportedAt = clock.monotonic();
        settings.onMeasured(factor.value);
      }
    },
    onLost: (cause) => {
      failure = cause.message;
    },
    maxWorkers: 1,
    idleMs: settings.idleMs,
    chunkTimeoutMs: CHUNK_TIMEOUT_MS,
  });
  const slots = new CallSlots(MOST_OPEN, MOST_WAITING);
  const buffers = new AudioBuffers();
  /** The work left of each open call, in milliseconds. */
  const openWork = new Map<object, number>();

  /** Refuses a text that would take longer than a call may, given the calls that share the machine. */
  function requireTime(ownMs: number): void {
    const limit = settings.callMs();
    let sum = ownMs;
    for (const ms of openWork.values()) sum += ms;
    if (sum <= limit) return;
    const retryAfterMs = Math.min(LONGEST_RETRY_MS, Math.max(SHORTEST_RETRY_MS, Math.round(sum - limit)));
    throw new AppError(
      "overloaded",
      `This machine cannot speak a text of this length in time with ${folder.name}.`,
      ownMs > limit ? { retryAfterMs, shouldRetry: false } : { retryAfterMs },
    );
  }

  return {
    async *speak(request, options, { speakerOf }) {
      const model = { name: folder.name, languages: folder.languages, speakerOf };
      const engine: Engine<VoiceChunk> = {
        plan: (asked, pace) => planVoices(model, asked, pace),
        firstSoundMs: ({ text, speed }) =>
          workMs(secondsOf(text, speed)) + (pool.stats().workers > 0 ? 0 : loadMs),
        aheadBytes: Number.POSITIVE_INFINITY,
        pool,
        slots,
        buffers,
        clock,
      };
      const seconds = request.segments.reduce((sum, { text }) => sum + secondsOf(text, request.speed), 0);
      requireTime(workMs(seconds));
      const call = {};
      let left = seconds;
      openWork.set(call, workMs(left));
      try {
        for await (const event of speakRequest(engine, request, options)) {
          if (event.type === "audio") left = Math.max(0, left - event.pcm.length / BYTES_PER_SECOND);
          openWork.set(call, workMs(left));
          yield event;
        }
      } finally {
        openWork.delete(call);
      }
    },
    load: () => ({ isLoaded: pool.stats().workers > 0, realTimeFactor: factor.value, failure }),
    stats: () => ({ ...pool.stats(), open: slots.open }),
    close: () => pool.close(),
  };
}
