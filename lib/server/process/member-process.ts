import cluster, { type Worker } from "node:cluster";
import type { Log } from "../../ports/telemetry";
import type { ToMember, ToPrimary } from "./cluster-messages";
import { closeUnanswered } from "./unanswered-connection";
import { watchProcess } from "./watchdog";

/** After the drain time, a member has this long to close its store. */
const CLOSE_MS = 15_000;

/** How a process ended; both null when the system could not start it. */
export interface ProcessExit {
  code: number | null;
  signal: string | null;
}

interface MemberOptions {
  log: Log;
  /** A process that does not serve after this time is killed; null: no limit. */
  maxStartMs: number | null;
  onMessage(member: MemberProcess, message: ToPrimary): void;
  onExit(member: MemberProcess, exit: ProcessExit): void;
}

/** True when the system could not start the process, which has no `exit` event then. */
const hasNoProcess = (worker: Worker): boolean => worker.process.pid === undefined;

/** A gateway process of the server, as its primary sees it. Creating it starts the process. */
export class MemberProcess {
  readonly startedAt = performance.now();
  /** From 1 to the number of processes; a replacement has the index of its predecessor. */
  readonly index: number;
  isServing = false;
  isStopping = false;
  /** Rejects when the process exits before it serves. */
  readonly ready: Promise<void>;
  readonly exited: Promise<void>;
  readonly #worker = cluster.fork();
  readonly #log: Log;

  constructor(index: number, { log, maxStartMs, onMessage, onExit }: MemberOptions) {
    this.index = index;
    this.#log = log;
    const worker = this.#worker;
    if (!hasNoProcess(worker)) closeUnanswered(worker.process);
    this.ready = new Promise((resolve, reject) => {
      worker.on("message", (message: ToPrimary) => {
        if (message.kind === "ready") resolve();
        onMessage(this, message);
      });
      worker.once("exit", (code, signal) =>
        reject(new Error(`process ${index} exited before it was ready (${signal ?? code})`)),
      );
      worker.once("error", reject);
    });
    const startTimer = maxStartMs === null ? undefined : setTimeout(() => this.#killStuck(), maxStartMs);
    // The exit is handled by `onExit`; only the primary's `start` and `replaceAll` wait for `ready`.
    this.ready
      .then(
        () =>
          watchProcess(worker, {
            ask: () => this.send({ kind: "ask_alive" }),
            stuck: () => this.#killStuck(),
          }),
        () => undefined,
      )
      .finally(() => clearTimeout(startTimer));
    this.exited = new Promise((resolve) => {
      const end = (exit: ProcessExit): void => {
        resolve();
        onExit(this, exit);
      };
      worker.once("exit", (code, signal) => end({ code, signal }));
      worker.on("error", (error) => {
        log.warn("process_error", { cause: String(error) });
        if (hasNoProcess(worker)) end({ code: null, signal: null });
      });
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  send(message: ToMember): void {
    // The member may have exited just now; `onExit` handles it.
    if (this.#worker.isConnected()) this.#worker.send(message, undefined, undefined, () => undefined);
  }

  /** Asks the process to drain and to exit, and kills it when it does neither. */
  stop(isReplaced: boolean, drainMs: number): void {
    // The whole server began to stop while the replacement of this member started. In the opposite order, the member
    // gets a second message, with which it reports that it is no longer ready.
    if (this.isStopping && isReplaced) return;
    this.isStopping = true;
    this.send({ kind: "stop", isReplaced });
    const timer = setTimeout(() => this.kill(), drainMs + CLOSE_MS);
    void this.exited.then(() => clearTimeout(timer));
  }

  kill(): void {
    this.#worker.process.kill("SIGKILL");
  }

  /** Kills a process whose event loop does not run any more, or that does not begin to serve. */
  #killStuck(): void {
    this.#log.error("process_stuck", { pid: this.pid });
    this.kill();
  }
}
