import { Worker } from "node:worker_threads";
import { AppError, isOutOfFiles, outOfFiles } from "../../errors";
import type { EncodedFormat, EncodeReply, EncodeRequest, EncoderSession } from "./session";

interface PendingRequest {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/** The worker thread of all encoders: started with the first encoder, ended after `idleMs` without one. */
export class EncoderThread {
  private worker: Worker | null = null;
  private readonly pendingRequests = new Map<number, PendingRequest>();
  private readonly running = new Set<number>();
  private nextId = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly file: URL,
    private readonly idleMs: number,
  ) {}

  /** Opens an encoder; its methods run in the thread. */
  async open(format: EncodedFormat): Promise<EncoderSession> {
    const id = this.nextId++;
    const worker = this.acquire(id);
    const send = (request: EncodeRequest, transfer: ArrayBuffer[] = []) =>
      new Promise<Uint8Array>((resolve, reject) => {
        if (!this.running.has(id)) return reject(new AppError("internal", "The audio encoder stopped."));
        this.pendingRequests.set(id, { resolve, reject });
        worker.postMessage(request, transfer);
      });
    const close = async () => {
      if (!this.running.delete(id)) return;
      worker.postMessage({ id, type: "close" } satisfies EncodeRequest);
      this.endWhenIdle();
    };
    try {
      await send({ id, type: "open", format });
    } catch (error) {
      await close();
      throw error;
    }
    return {
      push: (samples) => {
        const copy = samples.slice();
        return send({ id, type: "push", samples: copy }, [copy.buffer]);
      },
      finish: () => send({ id, type: "finish" }),
      close,
    };
  }

  async end(): Promise<void> {
    clearTimeout(this.idleTimer);
    const worker = this.worker;
    this.fail(worker, new AppError("internal", "The audio encoder was shut down."));
    await worker?.terminate();
  }

  private acquire(id: number): Worker {
    clearTimeout(this.idleTimer);
    this.worker ??= this.start();
    this.worker.ref();
    this.running.add(id);
    return this.worker;
  }

  private endWhenIdle(): void {
    if (this.running.size > 0) return;
    this.worker?.unref();
    this.idleTimer = setTimeout(() => void this.end(), this.idleMs).unref();
  }

  private start(): Worker {
    const worker = new Worker(this.file);
    worker.on("message", (reply: EncodeReply) => {
      const pendingRequest = this.pendingRequests.get(reply.id);
      this.pendingRequests.delete(reply.id);
      if ("bytes" in reply) pendingRequest?.resolve(reply.bytes);
      else if (reply.isOutOfFiles) pendingRequest?.reject(outOfFiles(reply.error));
      else
        pendingRequest?.reject(new AppError("internal", "The audio could not be encoded.", {}, reply.error));
    });
    worker.on("error", (error) => this.fail(worker, error));
    worker.on("exit", () => this.fail(worker, new Error("the encoder thread ended")));
    return worker;
  }

  /** Fails all encoders in `worker`; the next encoder starts a new thread. */
  private fail(worker: Worker | null, cause: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.running.clear();
    const failed = [...this.pendingRequests.values()];
    this.pendingRequests.clear();
    for (const pendingRequest of failed) {
      const stopped = new AppError("internal", "The audio encoder stopped.", {}, cause);
      pendingRequest.reject(isOutOfFiles(cause) ? outOfFiles(cause) : stopped);
    }
  }
}
