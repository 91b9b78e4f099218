import { Worker } from "node:worker_threads";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import { NO_OWNER, Turns } from "../engine-pool/turns";
import { freeBytes } from "./free-bytes";
import type { SpeakMessage, SpeechChunk, SpokenMessage } from "./protocol";

/** A thread or process that speaks one chunk at a time. */
export interface EngineWorker {
  /** `ended` is called when the worker failed, or ended without being terminated. */
  listen(listeners: { message(message: SpokenMessage): void; ended(cause: Error): void }): void;
  postMessage(message: SpeakMessage<unknown>): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

interface PoolOptions<Chunk = SpeechChunk> {
  start(): EngineWorker;
  /** Estimated work of a chunk, in milliseconds; absent: the recent average of all chunks. */
  workMs?(chunk: Chunk): number;
  /** Called after each chunk with the bytes of sound that it made. */
  onSpoken?(chunk: Chunk, took: ChunkTime, bytes: number): void;
  /** Called when a worker ended without being terminated. */
  onLost?(cause: Error): void;
  /** The engine's name at the start of messages. Default: "The embedded speech engine". */
  name?: string;
  maxWorkers: number;
  /** Idle time after which a worker is stopped and its memory freed. */
  idleMs: number;
  /** A chunk takes a fraction of a second; a worker that takes this long for one is stopped. */
  chunkTimeoutMs: number;
}

/** The time that a chunk took, in milliseconds. */
export interface ChunkTime {
  totalMs: number;
  /** Without loading the engine. */
  workMs: number;
  /** True for a worker's first chunk, which waits for the engine to be loaded. */
  isFirst: boolean;
}

export interface PoolStats {
  workers: number;
  busy: number;
  /** Chunks waiting for a worker. */
  waiting: number;
  chunks: number;
  crashes: number;
}

/** A queued chunk: `pcm` settles once; `cancel` rejects it at once and removes it from the queue. */
export interface QueuedChunk {
  pcm: Promise<Uint8Array>;
  cancel(): void;
}

interface Task<Chunk> {
  id: number;
  owner: string;
  chunk: Chunk;
  /** Throws when it is too late to start. */
  begin: () => void;
  resolve: (pcm: Uint8Array) => void;
  reject: (error: unknown) => void;
  cancelled: boolean;
}

interface Slot<Chunk> {
  worker: EngineWorker;
  task: Task<Chunk> | null;
  startedAt: number;
  hasSpoken: boolean;
  timer: NodeJS.Timeout | undefined;
}

const FIRST_GUESS_MS = 100;
const SMOOTHING = 0.1;

export function startThread(workerFile: URL): EngineWorker {
  const worker = new Worker(workerFile, { name: "speech" });
  return {
    listen({ message, ended }) {
      worker.on("message", message);
      worker.on("error", ended);
      worker.on("exit", (code) => ended(new Error(`speech worker exited with ${code}`)));
    },
    postMessage: (message) => worker.postMessage(message),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    terminate: () => worker.terminate(),
  };
}

/**
 * Worker threads that speak one chunk at a time. Owners take turns, so that the calls of one do not delay those of
 * another; the chunks of one owner are served in order. A call has at most one chunk in the queue, so that a long text
 * does not delay a short one.
 */
export class SpeechPool<Chunk = SpeechChunk> {
  readonly #options: PoolOptions<Chunk>;
  readonly #slots = new Set<Slot<Chunk>>();
  readonly #queue = new Turns<Task<Chunk>>();
  #nextId = 1;
  #chunks = 0;
  #crashes = 0;
  /** Recent average time of a chunk. */
  #chunkMs = FIRST_GUESS_MS;
  #closed = false;

  constructor(options: PoolOptions<Chunk>) {
    this.#options = options;
  }

  /** Queues a chunk. Calls `begin` when its turn comes; an error of `begin` rejects the chunk. */
  speak(chunk: Chunk, begin: () => void, owner = NO_OWNER): QueuedChunk {
    let task: Task<Chunk> | undefined;
    const pcm = new Promise<Uint8Array>((resolve, reject) => {
      task = { id: this.#nextId++, owner, chunk, begin, resolve, reject, cancelled: false };
    });
    const queued = task;
    if (queued && this.#closed) queued.reject(new AppError("overloaded", "The speech engine is stopping."));
    else if (queued) {
      this.#queue.add(owner, queued);
      this.#advance();
    }
    return { pcm, cancel: () => queued && this.#cancel(queued) };
  }

  /** The estimated wait of a chunk that this owner queues now. */
  queueMs(owner: string): number {
    const now = performance.now();
    let sum = 0;
    for (const task of this.#queue.before(owner)) sum += this.#workMs(task.chunk);
    for (const { task, startedAt } of this.#slots) {
      if (task === null) continue;
      const ms = this.#workMs(task.chunk);
      // Without an estimate for this chunk, its progress is unknown.
      sum += this.#options.workMs === undefined ? ms : Math.max(0, ms - (now - startedAt));
    }
    return sum / this.#options.maxWorkers;
  }

  stats(): PoolStats {
    let busy = 0;
    for (const slot of this.#slots) if (slot.task) busy++;
    return {
      workers: this.#slots.size,
      busy,
      waiting: this.#queue.size,
      chunks: this.#chunks,
      crashes: this.#crashes,
    };
  }

  get #name(): string {
    return this.#options.name ?? "The embedded speech engine";
  }

  #workMs(chunk: Chunk): number {
    return this.#options.workMs?.(chunk) ?? this.#chunkMs;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const error = new AppError("overloaded", "The speech engine is stopping.");
    for (let task = this.#queue.take(); task !== undefined; task = this.#queue.take()) task.reject(error);
    await Promise.all([...this.#slots].map((slot) => this.#stop(slot, error)));
  }

  #cancel(task: Task<Chunk>): void {
    task.cancelled = true;
    this.#queue.delete(task.owner, task);
    // A running chunk is finished, and its result dropped.
    task.reject(new AppError("caller_left", "The client disconnected."));
  }

  #advance(): void {
    while (this.#queue.size > 0) {
      const slot = this.#freeSlot();
      if (!slot) return;
      const task = this.#queue.take();
      if (task) this.#start(slot, task);
    }
  }

  #freeSlot(): Slot<Chunk> | null {
    for (const slot of this.#slots) if (!slot.task) return slot;
    return this.#slots.size < this.#options.maxWorkers ? this.#spawn() : null;
  }

  #start(slot: Slot<Chunk>, task: Task<Chunk>): void {
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
      void this.#stop(slot, new AppError("upstream_timeout", `${this.#name} took too long.`));
    }, this.#options.chunkTimeoutMs);
    slot.worker.postMessage({ id: task.id, chunk: task.chunk } satisfies SpeakMessage<Chunk>);
  }

  #spawn(): Slot<Chunk> {
    const worker = this.#options.start();
    const slot: Slot<Chunk> = { worker, task: null, startedAt: 0, hasSpoken: false, timer: undefined };
    this.#slots.add(slot);
    worker.listen({
      message: (message) => this.#answer(slot, message),
      ended: (cause) => this.#lost(slot, cause),
    });
    return slot;
  }

  #answer(slot: Slot<Chunk>, message: SpokenMessage): void {
    const task = slot.task;
    if (!task || task.id !== message.id) return;
    slot.task = null;
    this.#rest(slot);
    this.#chunks++;
    const ms = performance.now() - slot.startedAt;
    this.#chunkMs += (ms - this.#chunkMs) * SMOOTHING;
    if ("pcm" in message) {
      const took = { totalMs: ms, workMs: message.workMs ?? ms, isFirst: !slot.hasSpoken };
      slot.hasSpoken = true;
      this.#options.onSpoken?.(task.chunk, took, message.pcm.length);
    }
    if ("pcm" in message && task.cancelled) freeBytes(message.pcm);
    else if ("pcm" in message) task.resolve(message.pcm);
    else {
      const { code, message: words, cause } = message.error;
      task.reject(new AppError(code, words, {}, cause ? new Error(cause) : undefined));
    }
    this.#advance();
  }

  #rest(slot: Slot<Chunk>): void {
    clearTimeout(slot.timer);
    slot.worker.unref();
    slot.timer = setTimeout(() => void this.#stop(slot, null), this.#options.idleMs).unref();
  }

  /** A worker that ends fails its chunk; the next chunk gets a new worker. */
  #lost(slot: Slot<Chunk>, cause: Error): void {
    if (!this.#slots.has(slot)) return;
    this.#crashes++;
    this.#options.onLost?.(cause);
    const failed = new AppError("upstream_error", `${this.#name} failed.`, {}, cause);
    void this.#stop(slot, isOutOfFiles(cause) ? outOfFiles(cause) : failed);
  }

  async #stop(slot: Slot<Chunk>, error: AppError | null): Promise<void> {
    this.#slots.delete(slot);
    clearTimeout(slot.timer);
    const task = slot.task;
    slot.task = null;
    if (task) task.reject(error);
    if (!this.#closed) this.#advance();
    await slot.worker.terminate();
  }
}
