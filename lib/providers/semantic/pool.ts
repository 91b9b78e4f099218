import { Worker } from "node:worker_threads";
import { AppError, busyRetryMs, isOutOfFiles, outOfFiles } from "../../errors";
import { type StopSignal, stopReason } from "../../ports/stop-signal";
import { UpstreamProgress } from "../../ports/upstream-progress";
import { callsOfOwner, NO_OWNER } from "../engine-pool/turns";
import {
  BatchQueue,
  type EmbeddedSegments,
  type Job,
  type Part,
  TOKENS_OF_BATCH,
  tokensOf,
} from "./batch-queue";
import {
  DIMENSIONS,
  type EmbeddedMessage,
  type EmbedMessage,
  type Segment,
  type SemanticWorkerData,
} from "./protocol";

export interface SemanticPoolOptions {
  workerFile: URL;
  modelFolder: string;
  maxWorkers: number;
  /** Idle time after which a worker is stopped and its memory freed. */
  idleMs: number;
  /** A worker that takes this long for a batch is stopped. */
  batchTimeoutMs: number;
  /** Most calls at once, of which one owner may have three quarters. */
  maxOpen: number;
  now(): number;
}

export interface SemanticPoolStats {
  workers: number;
  busy: number;
  /** Calls in progress. */
  open: number;
  /** Tokens waiting for a worker. */
  waiting: number;
  batches: number;
  crashes: number;
}

export interface CallLimits {
  signal: StopSignal;
  /** Monotonic milliseconds. */
  firstByteBy: number;
  ownerId?: string;
  progress?: UpstreamProgress;
}

interface Slot {
  worker: Worker;
  id: number;
  /** Empty when the worker is idle. */
  batch: Part[];
  startedAt: number;
  timer: NodeJS.Timeout | undefined;
}

/** Milliseconds per token until the first measurement. */
const FIRST_GUESS_MS = 0.7;
const SMOOTHING = 0.1;

const segmentsOf = (batch: readonly Part[]): Segment[] =>
  batch.flatMap(({ job, position }) => job.segments[position] ?? []);
const stopping = (): AppError => new AppError("overloaded", "The embedding engine is stopping.");

/**
 * Worker threads that embed one batch of segments at a time. Each batch takes waiting segments of all owners, and of
 * all calls of an owner, in turn, so that no owner delays the others and no large call a small one. A second worker,
 * which costs another copy of the model, is started only when a whole batch waits.
 */
export class SemanticPool {
  readonly #options: SemanticPoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #queue = new BatchQueue();
  #open = 0;
  /** Calls in progress by owner. */
  readonly #openOf = new Map<string, number>();
  #nextId = 1;
  #batches = 0;
  #crashes = 0;
  #tokenMs = FIRST_GUESS_MS;
  #isScheduled = false;
  #closed = false;

  constructor(options: SemanticPoolOptions) {
    this.#options = options;
  }

  /** The vectors in the order of the segments. Throws `overloaded`, `upstream_*`, the signal's reason. */
  async embed(segments: readonly Segment[], limits: CallLimits): Promise<EmbeddedSegments> {
    if (this.#closed) throw stopping();
    const owner = limits.ownerId ?? NO_OWNER;
    this.#admit(owner, tokensOf(segments), limits.firstByteBy);
    let job: Job | undefined;
    const done = new Promise<EmbeddedSegments>((resolve, reject) => {
      const result = { vectors: segments.map(() => new Float32Array(0)), notEnglish: [] };
      const { progress } = limits;
      job = { owner, segments, next: 0, left: segments.length, result, resolve, reject, progress };
      this.#queue.add(job);
    });
    this.#countOpen(owner, 1);
    this.#schedule();
    const leave = (): void => {
      if (job) this.#queue.drop(job, stopReason(limits.signal));
    };
    limits.signal.addEventListener("abort", leave, { once: true });
    if (limits.signal.aborted) leave();
    try {
      return await done;
    } finally {
      this.#countOpen(owner, -1);
      limits.signal.removeEventListener("abort", leave);
    }
  }

  /** Only tests read it, to see leaks. */
  stats(): SemanticPoolStats {
    let busy = 0;
    for (const slot of this.#slots) if (slot.batch.length > 0) busy++;
    return {
      workers: this.#slots.size,
      busy,
      open: this.#open,
      waiting: this.#queue.tokens,
      batches: this.#batches,
      crashes: this.#crashes,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.dropAll(stopping());
    await Promise.all([...this.#slots].map((slot) => this.#stop(slot, stopping())));
  }

  /** Throws `overloaded` unless the call can finish by its deadline. */
  #admit(owner: string, tokens: number, firstByteBy: number): void {
    const { maxOpen } = this.#options;
    const perToken = this.#tokenMs / this.#options.maxWorkers;
    const leftMs = firstByteBy - this.#options.now();
    const ownMs = tokens * perToken;
    const queueMs = this.#queue.tokensBefore(owner, tokens) * perToken;
    if (ownMs > leftMs && tokens > TOKENS_OF_BATCH) {
      throw new AppError(
        "overloaded",
        `The inputs have ${tokens} tokens, about ${Math.ceil(ownMs / 1_000)} s of work for the built-in model, which is longer than a request may take. Send fewer inputs in one request.`,
        { shouldRetry: false },
      );
    }
    const isFull = this.#open >= maxOpen || (this.#openOf.get(owner) ?? 0) >= callsOfOwner(maxOpen);
    if (isFull || queueMs + ownMs > leftMs) {
      throw new AppError("overloaded", "The embedding engine's queue is full. Try again in a moment.", {
        retryAfterMs: busyRetryMs(queueMs),
      });
    }
  }

  #countOpen(owner: string, change: 1 | -1): void {
    const open = (this.#openOf.get(owner) ?? 0) + change;
    this.#open += change;
    if (open > 0) this.#openOf.set(owner, open);
    else this.#openOf.delete(owner);
  }

  /** Batches are made at the end of this turn of the event loop, with all calls that arrived in it. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#advance();
    });
  }

  #advance(): void {
    while (!this.#queue.isEmpty) {
      const slot = this.#freeSlot();
      if (!slot) return;
      this.#send(slot, this.#queue.nextBatch());
    }
  }

  #freeSlot(): Slot | null {
    for (const slot of this.#slots) if (slot.batch.length === 0) return slot;
    const isWorthWorker = this.#slots.size === 0 || this.#queue.tokens >= TOKENS_OF_BATCH;
    return isWorthWorker && this.#slots.size < this.#options.maxWorkers ? this.#spawn() : null;
  }

  #send(slot: Slot, batch: Part[]): void {
    clearTimeout(slot.timer);
    slot.batch = batch;
    // Shared, so that a crash of the worker counts as one failure, not as one of each call.
    const shared = new UpstreamProgress();
    shared.hasHead = true;
    for (const { job } of batch) if (job.progress !== undefined) job.progress.batch = shared;
    slot.id = this.#nextId++;
    slot.startedAt = performance.now();
    slot.worker.ref();
    slot.timer = setTimeout(() => {
      this.#crashes++;
      void this.#stop(slot, new AppError("upstream_timeout", "The built-in embedding engine took too long."));
    }, this.#options.batchTimeoutMs);
    slot.worker.postMessage({ id: slot.id, segments: segmentsOf(batch) } satisfies EmbedMessage);
  }

  #spawn(): Slot {
    const { workerFile, modelFolder } = this.#options;
    const workerData: SemanticWorkerData = { modelFolder };
    const worker = new Worker(workerFile, { name: "semantic", workerData });
    const slot: Slot = { worker, id: 0, batch: [], startedAt: 0, timer: undefined };
    this.#slots.add(slot);
    worker.on("message", (message: EmbeddedMessage) => this.#answer(slot, message));
    worker.on("error", (error) => this.#lost(slot, error));
    worker.on("exit", (code) => this.#lost(slot, new Error(`semantic worker exited with ${code}`)));
    return slot;
  }

  #answer(slot: Slot, message: EmbeddedMessage): void {
    if (slot.batch.length === 0 || slot.id !== message.id) return;
    if ("error" in message) {
      const { code, message: words, cause } = message.error;
      void this.#stop(slot, new AppError(code, words, {}, new Error(cause)));
      return;
    }
    const batch = slot.batch;
    slot.batch = [];
    this.#rest(slot);
    this.#batches++;
    this.#measure(batch, performance.now() - slot.startedAt);
    const notEnglish = new Set(message.notEnglish);
    for (const [row, { job, position }] of batch.entries()) {
      job.result.vectors[position] = message.vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
      if (notEnglish.has(row)) job.result.notEnglish.push(position);
      job.left--;
      if (job.left === 0) job.resolve(job.result);
    }
    this.#advance();
  }

  /**
   * Measures only batches that are at least half full: a batch of a single text, and the first one, which loads the
   * model, cost far more per token.
   */
  #measure(batch: readonly Part[], tookMs: number): void {
    const tokens = tokensOf(segmentsOf(batch));
    if (tokens * 2 < TOKENS_OF_BATCH || this.#batches <= this.#slots.size) return;
    this.#tokenMs += (tookMs / tokens - this.#tokenMs) * SMOOTHING;
  }

  #rest(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.worker.unref();
    slot.timer = setTimeout(() => void this.#stop(slot, null), this.#options.idleMs).unref();
  }

  /** A worker that ends fails the calls of its batch; the next batch gets a new worker. */
  #lost(slot: Slot, cause: Error): void {
    if (!this.#slots.has(slot)) return;
    const failed = new AppError("upstream_error", "The built-in embedding engine failed.", {}, cause);
    this.#crashes++;
    void this.#stop(slot, isOutOfFiles(cause) ? outOfFiles(cause) : failed);
  }

  async #stop(slot: Slot, error: AppError | null): Promise<void> {
    this.#slots.delete(slot);
    clearTimeout(slot.timer);
    const batch = slot.batch;
    slot.batch = [];
    for (const job of new Set(batch.map((part) => part.job))) this.#queue.drop(job, error);
    if (!this.#closed) this.#advance();
    await slot.worker.terminate();
  }
}
