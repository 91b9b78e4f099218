import { Worker } from "node:worker_threads";
import { storageUnavailable } from "../errors";
import type { StoreLog } from "../options";
import { type Replies, type Reply, type Request, WorkerFailure } from "./protocol";

/** Statements and rows are short-lived in a worker; V8's default young generation would grow to 48 MB. */
const HEAP = { maxYoungGenerationSizeMb: 8 };

interface Pending {
  resolve(value: Replies[keyof Replies]): void;
  reject(error: unknown): void;
}

/** One worker thread; a new one is started after it ends. */
interface RunningWorker {
  worker: Worker;
  pending: Map<number, Pending>;
  opened: Promise<unknown>;
  /** True while `prepare` runs, which throws the worker's error; it is not logged too. */
  isPreparing: boolean;
}

/** Identifies a worker thread, so that a transaction does not continue on the next one. */
export type WorkerRun = object;

/**
 * A store worker seen from this thread. Requests are processed in order. When the thread ends, pending requests are
 * rejected with `storage_unavailable` and the next request starts a new one.
 */
export class WorkerClient {
  readonly #url: URL;
  readonly #file: string;
  readonly #log: StoreLog;
  readonly #mode: "write" | "scan";
  /** Idle time after which a reader is closed; null keeps the thread. */
  readonly #idleMs: number | null;
  #current: RunningWorker | null = null;
  #nextId = 1;
  #idleTimer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: {
    url: URL;
    file: string;
    log: StoreLog;
    mode: "write" | "scan";
    idleMs: number | null;
  }) {
    this.#url = options.url;
    this.#file = options.file;
    this.#log = options.log;
    this.#mode = options.mode;
    this.#idleMs = options.idleMs;
  }

  /** Checks, migrates and opens the file. Throws with code `STORE_START` and a message for the operator. */
  async prepare(): Promise<void> {
    const run = this.#start("prepare");
    await run.opened;
    run.isPreparing = false;
  }

  /** The worker that a transaction starting now belongs to. */
  run(): WorkerRun {
    return this.#alive();
  }

  /** Throws SQLite's error with its code, or AppError `storage_unavailable` when the thread is gone. */
  request<K extends Request["kind"]>(
    request: Request & { kind: K },
    run: WorkerRun = this.#alive(),
  ): Promise<Replies[K]> {
    const current = this.#current;
    if (!current || run !== current) {
      return Promise.reject(storageUnavailable(new Error("the store's worker ended during a transaction")));
    }
    // The reply's type follows the request's kind, which the message channel does not carry.
    return this.#send(current, request) as Promise<Replies[K]>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  #alive(): RunningWorker {
    if (this.#isClosed) throw storageUnavailable(new Error("the store is closed"));
    return this.#current ?? this.#start(this.#mode);
  }

  #start(mode: "prepare" | "write" | "scan"): RunningWorker {
    const worker = new Worker(this.#url, { resourceLimits: HEAP });
    const run: RunningWorker = {
      worker,
      pending: new Map(),
      opened: Promise.resolve(),
      isPreparing: mode === "prepare",
    };
    this.#current = run;
    worker.on("message", (reply: Reply) => this.#settle(run, reply));
    worker.on("error", (error) => this.#fail(run, error));
    worker.on("exit", () => this.#fail(run, new Error("the store's worker ended")));
    worker.unref();
    run.opened = this.#send(run, { kind: "open", file: this.#file, mode });
    run.opened.catch((error) => {
      // Without its file a worker is useless; the next request starts a new one.
      this.#fail(run, error);
      void worker.terminate();
    });
    return run;
  }

  #send(run: RunningWorker, request: Request): Promise<Replies[keyof Replies]> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      run.pending.set(id, { resolve, reject });
      if (run.pending.size === 1) run.worker.ref();
      run.worker.postMessage({ id, request });
    });
  }

  #settle(run: RunningWorker, reply: Reply): void {
    const pending = run.pending.get(reply.id);
    if (!pending) return;
    run.pending.delete(reply.id);
    if (run.pending.size === 0) this.#startIdleTimer(run);
    if ("failure" in reply) pending.reject(new WorkerFailure(reply.failure));
    else pending.resolve(reply.value);
  }

  #startIdleTimer(run: RunningWorker): void {
    run.worker.unref();
    if (this.#idleMs === null) return;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (run.pending.size === 0) void this.#stop();
    }, this.#idleMs);
    this.#idleTimer.unref();
  }

  #fail(run: RunningWorker, cause: unknown): void {
    if (this.#current === run) {
      this.#current = null;
      if (!this.#isClosed && !run.isPreparing)
        this.#log.error("store_worker_ended", { cause: String(cause) });
    }
    for (const pending of run.pending.values()) pending.reject(storageUnavailable(cause));
    run.pending.clear();
  }

  async #stop(): Promise<void> {
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    const run = this.#current;
    this.#current = null;
    if (!run) return;
    try {
      await this.#send(run, { kind: "close" });
    } catch {
      // The worker has already ended.
    }
    await run.worker.terminate();
  }
}
