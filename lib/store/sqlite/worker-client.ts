import { Worker } from "node:worker_threads";
import { storageUnavailable } from "../errors";
import type { StoreLog } from "../log";
import { type Replies, type Reply, type Request, WorkerFailure } from "./protocol";

/** Statements and rows are short-lived in a worker; V8's default young generation would grow to 48 MB. */
const HEAP = { maxYoungGenerationSizeMb: 8 };

interface Pending {
  resolve(value: Replies[keyof Replies]): void;
  reject(error: unknown): void;
}

/** One worker thread; a new one is started after it ends. */
interface Life {
  worker: Worker;
  pending: Map<number, Pending>;
  opened: Promise<unknown>;
}

/** Identifies a worker thread, so that a transaction does not continue on the next one. */
export type LifeToken = object;

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
  #life: Life | null = null;
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
    const life = this.#start("prepare");
    await life.opened;
  }

  /** The worker that a transaction starting now belongs to. */
  life(): LifeToken {
    return this.#alive();
  }

  /** Throws SQLite's error with its code, or AppError `storage_unavailable` when the thread is gone. */
  request<K extends Request["kind"]>(
    request: Request & { kind: K },
    life: LifeToken = this.#alive(),
  ): Promise<Replies[K]> {
    const current = this.#life;
    if (!current || life !== current) {
      return Promise.reject(storageUnavailable(new Error("the store's worker ended during a transaction")));
    }
    // The reply's type follows the request's kind, which the message channel does not carry.
    return this.#send(current, request) as Promise<Replies[K]>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  #alive(): Life {
    if (this.#isClosed) throw storageUnavailable(new Error("the store is closed"));
    return this.#life ?? this.#start(this.#mode);
  }

  #start(mode: "prepare" | "write" | "scan"): Life {
    const worker = new Worker(this.#url, { resourceLimits: HEAP });
    const life: Life = { worker, pending: new Map(), opened: Promise.resolve() };
    this.#life = life;
    worker.on("message", (reply: Reply) => this.#settle(life, reply));
    worker.on("error", (error) => this.#bury(life, error));
    worker.on("exit", () => this.#bury(life, new Error("the store's worker ended")));
    worker.unref();
    life.opened = this.#send(life, { kind: "open", file: this.#file, mode });
    life.opened.catch((error) => {
      // Without its file a worker is useless; the next request starts a new one.
      this.#bury(life, error);
      void worker.terminate();
    });
    return life;
  }

  #send(life: Life, request: Request): Promise<Replies[keyof Replies]> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      life.pending.set(id, { resolve, reject });
      if (life.pending.size === 1) life.worker.ref();
      life.worker.postMessage({ id, request });
    });
  }

  #settle(life: Life, reply: Reply): void {
    const pending = life.pending.get(reply.id);
    if (!pending) return;
    life.pending.delete(reply.id);
    if (life.pending.size === 0) this.#rest(life);
    if ("failure" in reply) pending.reject(new WorkerFailure(reply.failure));
    else pending.resolve(reply.value);
  }

  #rest(life: Life): void {
    life.worker.unref();
    if (this.#idleMs === null) return;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (life.pending.size === 0) void this.#stop();
    }, this.#idleMs);
    this.#idleTimer.unref();
  }

  #bury(life: Life, cause: unknown): void {
    if (this.#life === life) {
      this.#life = null;
      if (!this.#isClosed) this.#log.error("store_worker_ended", { cause: String(cause) });
    }
    for (const pending of life.pending.values()) pending.reject(storageUnavailable(cause));
    life.pending.clear();
  }

  async #stop(): Promise<void> {
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    const life = this.#life;
    this.#life = null;
    if (!life) return;
    try {
      await this.#send(life, { kind: "close" });
    } catch {
      // It is gone already, which is what was wanted.
    }
    await life.worker.terminate();
  }
}
