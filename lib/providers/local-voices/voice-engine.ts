import { fork } from "node:child_process";
import { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { AppError, busyRetryMs } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { VoiceFolder, VoiceStatus } from "../../ports/local-voices";
import {
  type CallOptions,
  SPEECH_BYTES_PER_SECOND,
  type SpeechEvent,
  type SpeechRequest,
} from "../../ports/speech-model";
import { CallSlots } from "../embedded-speech/call-slots";
import { AudioBuffers } from "../embedded-speech/held-audio";
import { type ChunkTime, type EngineWorker, type PoolStats, SpeechPool } from "../embedded-speech/pool";
import type { SpokenMessage } from "../embedded-speech/protocol";
import { type Engine, speakRequest } from "../embedded-speech/speak-request";
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

/**
 * Real-time factor until the first chunk is measured: Kokoro on a slow core needs about twice the duration, Piper a
 * tenth.
 */
const FIRST_FACTOR = 1;
/** All earlier chunks together count at most as much as this many seconds of audio. */
const MEMORY_SECONDS = 30;
const REPORT_MS = 10_000;
const FIRST_LOAD_MS = 2_000;
/** Enough for a chunk of eight seconds at a real-time factor of 10, and for loading the model. */
const CHUNK_TIMEOUT_MS = 120_000;
const MAX_WAITING = 32;
const MAX_OPEN = 128;

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
export class VoiceEngine {
  readonly #factor = new RealTimeFactor();
  readonly #pool: SpeechPool<VoiceChunk>;
  readonly #slots = new CallSlots(MAX_OPEN, MAX_WAITING);
  readonly #buffers = new AudioBuffers();
  /** The work left of each open call, in milliseconds. */
  readonly #openWork = new Map<object, number>();
  #failure: string | null = null;
  #loadMs = FIRST_LOAD_MS;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly settings: VoiceEngineSettings) {
    const { workerFile, files, threads, folder, idleMs } = settings;
    this.#pool = new SpeechPool<VoiceChunk>({
      name: `The local voice ${folder.name}`,
      start: () => startEngineProcess(workerFile, [JSON.stringify(files), String(threads)]),
      workMs: (chunk) => this.#chunkMs(chunk),
      onSpoken: (chunk, took, bytes) => this.#measure(chunk, took, bytes),
      onLost: (cause) => {
        this.#failure = cause.message;
      },
      maxWorkers: 1,
      idleMs,
      chunkTimeoutMs: CHUNK_TIMEOUT_MS,
    });
  }

  /** Throws `overloaded` at once, with a time to retry after, when the machine cannot speak this text in time. */
  async *speak(
    request: SpeechRequest,
    options: CallOptions,
    voices: ModelVoices,
  ): AsyncGenerator<SpeechEvent> {
    let left = request.segments.reduce((sum, { text }) => sum + secondsOf(text, request.speed), 0);
    this.#requireTime(this.#workMs(left));
    const call = {};
    this.#openWork.set(call, this.#workMs(left));
    try {
      for await (const event of speakRequest(this.#engineFor(voices), request, options)) {
        if (event.type === "audio") left = Math.max(0, left - event.pcm.length / SPEECH_BYTES_PER_SECOND);
        this.#openWork.set(call, this.#workMs(left));
        yield event;
      }
    } finally {
      this.#openWork.delete(call);
    }
  }

  status(): VoiceStatus {
    return { isLoaded: this.#isLoaded, realTimeFactor: this.#factor.value, failure: this.#failure };
  }

  /** Only tests read it, to see leaks. */
  stats(): PoolStats & { open: number } {
    return { ...this.#pool.stats(), open: this.#slots.open };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  get #isLoaded(): boolean {
    return this.#pool.stats().workers > 0;
  }

  #engineFor({ speakerOf }: ModelVoices): Engine<VoiceChunk> {
    const { folder, clock } = this.settings;
    const model = { name: folder.name, languages: folder.languages, speakerOf };
    return {
      plan: (asked) => planVoices(model, asked),
      firstSoundMs: (chunk) => this.#chunkMs(chunk) + (this.#isLoaded ? 0 : this.#loadMs),
      aheadBytes: Number.POSITIVE_INFINITY,
      pool: this.#pool,
      slots: this.#slots,
      buffers: this.#buffers,
      clock,
    };
  }

  /** Time to generate this many seconds of audio. */
  #workMs(seconds: number): number {
    return seconds * (this.#factor.value ?? this.settings.speed ?? FIRST_FACTOR) * 1_000;
  }

  #chunkMs({ text, speed }: VoiceChunk): number {
    return this.#workMs(secondsOf(text, speed));
  }

  #measure({ pauseMs, speed }: VoiceChunk, took: ChunkTime, bytes: number): void {
    const { clock, onMeasured } = this.settings;
    this.#failure = null;
    this.#factor.add(took.workMs, Math.max(0, bytes / SPEECH_BYTES_PER_SECOND - pauseMs / speed / 1_000));
    if (took.isFirst) this.#loadMs = took.totalMs - took.workMs;
    if (this.#factor.value !== null && clock.monotonic() - this.#reportedAt > REPORT_MS) {
      this.#reportedAt = clock.monotonic();
      onMeasured(this.#factor.value);
    }
  }

  /** Refuses a text that would take longer than a call may, given the calls that share the machine. */
  #requireTime(ownMs: number): void {
    const limit = this.settings.callMs();
    let sum = ownMs;
    for (const ms of this.#openWork.values()) sum += ms;
    if (sum <= limit) return;
    const retryAfterMs = busyRetryMs(sum - limit);
    throw new AppError(
      "overloaded",
      `This machine cannot speak a text of this length in time with ${this.settings.folder.name}.`,
      ownMs > limit ? { retryAfterMs, shouldRetry: false } : { retryAfterMs },
    );
  }
}

const MAX_OUTPUT_LENGTH = 4_000;

/**
 * Starts a bundled worker as a process of low priority, so that speech never slows the gateway. It gets none of our
 * environment variables (no secrets); the last line that it prints is reported as the reason when it ends unexpectedly.
 */
function startEngineProcess(workerFile: URL, args: readonly string[]): EngineWorker {
  const child = fork(/* turbopackIgnore: true */ fileURLToPath(workerFile), [...args], {
    serialization: "advanced",
    execArgv: [],
    env: { NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_LENGTH);
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  const stderr = child.stderr instanceof Socket ? child.stderr : null;
  return {
    listen({ message, ended }) {
      // Only our own worker sends these messages.
      child.on("message", (sent) => message(sent as SpokenMessage));
      child.on("error", ended);
      child.on("close", (code) => {
        ended(new Error(output.trim().split("\n").at(-1) || `the process ended with ${code ?? "a signal"}`));
      });
    },
    postMessage: (message) => {
      // When sending fails, the process has ended, which `ended` reports.
      child.send({ ...message }, () => {});
    },
    ref: () => {
      child.ref();
      child.channel?.ref();
      stderr?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
      stderr?.unref();
    },
    terminate: async () => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // Referenced until it has ended: an idle engine does not keep this process alive, which could then end first.
      child.ref();
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, or the system does not allow it: it runs at normal priority.
  }
}
