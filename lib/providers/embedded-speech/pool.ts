import { Worker } from "node:worker_threads";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import { freeBytes } from "./free-bytes";
import type { SpeakMessage, SpeechChunk, SpokenMessage } from "./protocol";

export interface PoolOptions {
  workerFile: URL;
  maxWorkers: number;
  /** Idle time after which a worker is stopped and its memory freed. */
  idleMs: number;
  /** A chunk takes a fraction of a second; a worker that takes this long for one is stopped. */
  chunkTimeoutMs: number;
}

export interface PoolStats {
  workers: number;
  busy: number;
  /** Chunks waiting for a worker. */
  waiting: number;
  chunks: number;
  crashes: number;
}

/** A queued chunk: `pcm` settles once, `cancel` frees its place at once. */
export interface Spoken {
  pcm: Promise<Uint8Array>;
  cancel(): void;
}

interface Task {
  id: number;
  chunk: SpeechChunk;
  /** Throws when it is too late to start. */
  begin: () => void;
  resolve: (pcm: Uint8Array) => void;
  reject: (error: unknown) => void;
  cancelled: boolean;
}

interface Slot {
  worker: Worker;
  task: Task | null;
  startedAt: number;
  timer: NodeJS.Timeout | undefined;
}

const FIRST_GUESS_MS = 100;
const SMOOTHING = 0.1;

/**
 * Worker threads that speak one chunk at a time, first come, first served. A speaker has at most one chunk in the
 * queue, so that speakers take turns and a long text does not delay a short one.
 */
export class SpeechPool {
  readonly #options: PoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #queue: Task[] = [];
  #nextId = 1;
  #chunks = 0;
  #crashes = 0;
  /** Recent average time of a chunk. */
  #chunkMs = FIRST_GUESS_MS;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Queues a chunk. Calls `begin` when its turn comes; an error of `begin` rejects the chunk. */
  speak(chunk: SpeechChunk, begin: () => void): Spoken {
    let task: Task | undefined;
    const pcm = new Promise<Uint8Array>((resolve, reject) => {
      task = { id: this.#nextId++, chunk, begin, resolve, reject, cancelled: false };
    });
    const queued = task;
    if (queued && this.#closed) queued.reject(new AppError("overloaded", "The speech engine is stopping."));
    else if (queued) {
      this.#queue.push(queued);
      this.#advance();
    }
    return { pcm, cancel: () => queued && this.#cancel(queued) };
  }

  /** The estimated wait of a chunk queued now. */
  queueMs(): number {
    const { busy } = this.stats();
    return ((this.#queue.length + busy) * this.#chunkMs) / this.#options.maxWorkers;
  }

  stats(): PoolStats {
    let busy = 0;
    for (const slot of this.#slots) if (slot.task) busy++;
    return {
      workers: this.#slots.size,
      busy,
      waiting: this.#queue.length,
      chunks: this.#chunks,
      crashes: this.#crashes,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const error = new AppError("overloaded", "The speech engine is stopping.");
    for (const task of this.#queue.splice(0)) task.reject(error);
    await Promise.all([...this.#slots].map((slot) => this.#stop(slot, error)));
  }

  #cancel(task: Task): void {
    task.cancelled = true;
    const at = this.#queue.indexOf(task);
    if (at >= 0) this.#queue.splice(at, 1);
    // A running chunk is finished, and its result dropped.
    task.reject(new AppError("caller_left", "The caller left."));
  }

  #advance(): void {
    while (this.#queue.length > 0) {
      const slot = this.#freeSlot();
      if (!slot) return;
      const task = this.#queue.shift();
      if (task) this.#start(slot, task);
    }
  }

  #freeSlot(): Slot | null {
    for (const slot of this.#slots) if (!slot.task) return slot;
    return this.#slots.size < this.#options.maxWorkers ? this.#spawn() : null;
  }

  #start(slot: Slot, task: Task): void {
    try {
      task.begin();
    } catch (error) {
      task.reject(error);
      if (!slot.timer) this.#rest(slot);
      return;
    }
    clearTimeout(slot.timer);
    slot.task = task;
    slot.startedAt = performance.now();
    slot.worker.ref();
    slot.timer = setTimeout(() => {
      this.#crashes++;
      void this.#stop(slot, new AppError("upstream_timeout", "The embedded speech engine took too long."));
    }, this.#options.chunkTimeoutMs);
    slot.worker.postMessage({ id: task.id, chunk: task.chunk } satisfies SpeakMessage);
  }

  #spawn(): Slot {
    const worker = new Worker(this.#options.workerFile, { name: "speech" });
    const slot: Slot = { worker, task: null, startedAt: 0, timer: undefined };
    this.#slots.add(slot);
    worker.on("message", (message: SpokenMessage) => this.#answer(slot, message));
    worker.on("error", (error) => this.#lost(slot, error));
    worker.on("exit", (code) => this.#lost(slot, new Error(`speech worker exited with ${code}`)));
    return slot;
  }

  #answer(slot: Slot, message: SpokenMessage): void {
    const task = slot.task;
    if (!task || task.id !== message.id) return;
    slot.task = null;
    this.#rest(slot);
    this.#chunks++;
    this.#chunkMs += (performance.now() - slot.startedAt - this.#chunkMs) * SMOOTHING;
    if ("pcm" in message && task.cancelled) freeBytes(message.pcm);
    else if ("pcm" in message) task.resolve(message.pcm);
    else {
      const { code, message: words, cause } = message.error;
      task.reject(new AppError(code, words, {}, cause ? new Error(cause) : undefined));
    }
    this.#advance();
  }

  #rest(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.worker.unref();
    slot.timer = setTimeout(() => void this.#stop(slot, null), this.#options.idleMs).unref();
  }

  /** A worker that ends fails its chunk; the next chunk gets a new worker. */
  #lost(slot: Slot, cause: Error): void {
    if (!this.#slots.has(slot)) return;
    this.#crashes++;
    const failed = new AppError("upstream_error", "The embedded speech engine failed.", {}, cause);
    void this.#stop(slot, isOutOfFiles(cause) ? outOfFiles(cause) : failed);
  }

  async #stop(slot: Slot, error: AppError | null): Promise<void> {
    this.#slots.delete(slot);
    clearTimeout(slot.timer);
    const task = slot.task;
    slot.task = null;
    if (task) task.reject(error);
    if (!this.#closed) this.#advance();
    await slot.worker.terminate();
  }
}
