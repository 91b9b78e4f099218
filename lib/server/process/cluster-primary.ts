import cluster from "node:cluster";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Clock } from "../../ports/clock";
import type { Log } from "../../ports/telemetry";
import { serveEngines } from "../../providers/engine-pool/host";
import type { ProvidersOfProcess } from "../../providers/registry";
import { ClusterMeasures } from "./cluster-measures";
import type { ToPrimary } from "./cluster-messages";
import { ClusterReplies } from "./cluster-replies";
import { makeInstanceId } from "./instance-id";
import { MemberProcess, type ProcessExit } from "./member-process";

/** Delay before an exited process is started again; doubles while processes exit soon after their start. */
const FIRST_RESTART_MS = 100;
const MAX_RESTART_MS = 10_000;
/** The longest delay while no other process runs: until the restart, no request is answered. */
const MAX_OUTAGE_MS = 1_000;
/** A process that lived this long is not in a crash loop. */
const STABLE_MS = 10_000;
/** A process that does not serve after this time hangs; the first one may migrate a large store, and has no limit. */
const MAX_START_MS = 5 * 60_000;

/**
 * The delay before the successor of an exited process is started. `earlier`: how many processes of the same index have
 * exited in a row, since the last one that lived for `STABLE_MS`; `failures`: that number with this process. `isLast`:
 * no other process accepts connections.
 */
export function nextRestart(
  earlier: number,
  livedMs: number,
  isLast: boolean,
): { failures: number; delayMs: number } {
  const before = livedMs > STABLE_MS ? 0 : earlier;
  const longest = isLast ? MAX_OUTAGE_MS : MAX_RESTART_MS;
  return { failures: before + 1, delayMs: Math.min(FIRST_RESTART_MS * 2 ** before, longest) };
}

/** The first process could not start; it has printed why. */
export class FirstProcessFailed extends Error {}

interface PrimaryOptions {
  /** The file that members run. */
  file: string;
  processes: number;
  drainMs: number;
  clock: Clock;
  log: Log;
  /** The built-in engines, which all members use. */
  engines: ProvidersOfProcess;
}

/** Starts, restarts, replaces and stops the gateway processes of one server, and runs their engines. */
export class ClusterPrimary {
  readonly #options: PrimaryOptions;
  readonly #server = makeInstanceId();
  readonly #folder = mkdtempSync(path.join(tmpdir(), "patchbay-"));
  /** The member of each index; the old one until its replacement serves. */
  readonly #members = new Map<number, MemberProcess>();
  /** Every process that has not exited. */
  readonly #running = new Set<MemberProcess>();
  readonly #failures = new Map<number, number>();
  readonly #measures = new ClusterMeasures();
  readonly #replies: ClusterReplies<MemberProcess>;
  #setupToken: string | null = null;
  /** Failed processes that have a successor and drain, by index. */
  readonly #failed = new Map<number, MemberProcess>();
  /** True once the first process serves. */
  #isStarted = false;
  /** True once each process serves or has failed its first start. */
  #isServing = false;
  #isAnnounced = false;
  /** The member that was asked to print the address. */
  #announcer: MemberProcess | undefined;
  #isReplacing = false;
  #mustReplaceAgain = false;
  #stopping: Promise<void> | null = null;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#replies = new ClusterReplies(options.clock);
    cluster.setupPrimary({ exec: options.file, args: [] });
  }

  get #socket(): string {
    return path.join(this.#folder, "engines.sock");
  }

  /**
   * Starts all members. Resolves when each serves or has failed its first start, or when a `stopAll` that was called
   * meanwhile has finished. Throws FirstProcessFailed.
   */
  async start(): Promise<void> {
    const { engines, clock, processes } = this.#options;
    process.once("exit", () => rmSync(this.#folder, { recursive: true, force: true }));
    const host = await serveEngines(engines, clock, this.#socket);
    process.once("exit", () => void host.close());
    if (this.#stopping !== null) return this.#stopping;
    // The first one creates or migrates the store, the secret and the setup token; the others find them.
    await this.#launch(1).ready.catch((cause: unknown) => {
      if (this.#stopping === null) throw new FirstProcessFailed("the first process cannot start", { cause });
    });
    if (this.#stopping !== null) return this.#stopping;
    this.#isStarted = true;
    const others = Array.from({ length: processes - 1 }, (_, at) => this.#launch(at + 2).ready);
    await Promise.allSettled(others);
    this.#isServing = true;
    this.#announce();
    if (this.#mustReplaceAgain) void this.replaceAll();
  }

  /**
   * Replaces each member by a new process, one after the other; each serves before its predecessor drains. A call
   * during the start or another replacement has all members replaced once more after it: the new processes may have
   * read a configuration that has changed since.
   */
  async replaceAll(): Promise<void> {
    const { log, processes } = this.#options;
    if (this.#stopping !== null) return;
    if (this.#isReplacing || !this.#isServing) {
      this.#mustReplaceAgain = true;
      return;
    }
    this.#isReplacing = true;
    this.#mustReplaceAgain = false;
    log.info("replacing_processes", { count: processes });
    try {
      for (let index = 1; index <= processes && this.#stopping === null; index++) {
        const fresh = this.#fork(index);
        await fresh.ready;
        const old = this.#members.get(index);
        this.#members.set(index, fresh);
        if (old === undefined) continue;
        old.stop(true, this.#options.drainMs);
        await old.exited;
      }
      log.info("replaced_processes", { count: processes });
    } catch (error) {
      if (this.#stopping !== null) return;
      log.error("replacing_failed", { cause: String(error), reason: "the other processes keep running" });
    } finally {
      this.#isReplacing = false;
    }
    if (this.#mustReplaceAgain) await this.replaceAll();
  }

  /** Drains all members at once; resolves when they have exited. */
  stopAll(): Promise<void> {
    this.#stopping ??= (async () => {
      const members = [...this.#running];
      for (const member of members) member.stop(false, this.#options.drainMs);
      await Promise.all(members.map((member) => member.exited));
      await this.#options.engines.close();
    })();
    return this.#stopping;
  }

  /** Ends all members at once. */
  killAll(): void {
    for (const member of this.#running) member.kill();
  }

  /** Once all members serve, has one of them print the address; has another print it if that one exits before. */
  #announce(): void {
    if (this.#isAnnounced || !this.#isServing || this.#announcer !== undefined) return;
    this.#announcer = [...this.#members.values()].find((one) => one.isServing && this.#running.has(one));
    this.#announcer?.send({ kind: "announce" });
  }

  /** Starts the member of an index, and again whenever it exits. */
  #launch(index: number): MemberProcess {
    const member = this.#fork(index);
    this.#members.set(index, member);
    return member;
  }

  #fork(index: number): MemberProcess {
    const member = new MemberProcess(index, {
      log: this.#options.log,
      maxStartMs: this.#isStarted ? MAX_START_MS : null,
      onMessage: (sender, message) => this.#receive(sender, message),
      onExit: (exited, exit) => this.#onExit(exited, exit),
    });
    this.#running.add(member);
    return member;
  }

  #onExit(member: MemberProcess, exit: ProcessExit): void {
    this.#replies.left(member);
    if (this.#failed.get(member.index) === member) this.#failed.delete(member.index);
    if (this.#running.delete(member)) this.#succeed(member, exit);
    if (this.#announcer === member) this.#announcer = undefined;
    this.#announce();
  }

  /** Starts the successor of a process that has exited, or has failed and drains (`exit` null). */
  #succeed(member: MemberProcess, exit: ProcessExit | null): void {
    // Not for a process that was replaced or has a successor, nor for a replacement that exited before it served.
    if (this.#members.get(member.index) !== member || member.isStopping) return;
    if (this.#stopping !== null || !this.#isStarted) return;
    this.#members.delete(member.index);
    const ms = this.#launchLater(member.index, performance.now() - member.startedAt);
    this.#options.log.warn(exit === null ? "process_failed" : "process_exited", {
      pid: member.pid,
      ...exit,
      ms,
    });
  }

  /** Starts a process after the delay that is returned. `livedMs`: how long the last one of this index lived. */
  #launchLater(index: number, livedMs: number): number {
    const isLast = this.#members.size === 0;
    const { failures, delayMs } = nextRestart(this.#failures.get(index) ?? 0, livedMs, isLast);
    this.#failures.set(index, failures);
    setTimeout(() => {
      if (this.#stopping !== null || this.#members.has(index)) return;
      try {
        this.#launch(index);
      } catch (error) {
        const ms = this.#launchLater(index, 0);
        this.#options.log.error("process_not_started", { cause: String(error), ms });
      }
    }, delayMs);
    return delayMs;
  }

  #receive(member: MemberProcess, message: ToPrimary): void {
    const { index } = member;
    switch (message.kind) {
      case "hello":
        // Sent again: Node drops messages to a starting process that does not listen yet.
        if (member.isStopping) {
          member.send({ kind: "stop", isReplaced: false });
          return;
        }
        member.send({
          kind: "join",
          membership: {
            server: this.#server,
            index,
            processes: this.#options.processes,
            engines: this.#socket,
            setupToken: this.#setupToken,
          },
        });
        return;
      case "ready":
        this.#setupToken ??= message.setupToken;
        member.isServing = true;
        this.#announce();
        return;
      case "broadcast":
        for (const other of this.#running) if (other !== member) other.send(message);
        return;
      case "failed":
        // The failed process drains, which may take long. A successor that fails meanwhile is replaced only when it
        // exits, so that draining processes do not pile up.
        if (this.#failed.has(index)) return;
        this.#failed.set(index, member);
        this.#succeed(member, null);
        return;
      case "announced":
        this.#isAnnounced = true;
        return;
      case "alive":
        // The watchdog counts every message as an answer.
        return;
      case "measured":
        this.#measures.receive(message);
        return;
      case "collect":
        void this.#measures
          .collect([...this.#running].map((other) => (question) => other.send(question)))
          .then((measures) => member.send({ kind: "collected", id: message.id, measures }));
        return;
      case "claim":
        void this.#replies.claim(member, message, (answer) => member.send(answer));
        return;
      case "ask":
        this.#replies.ask(message, (answer) => member.send(answer));
        return;
      case "finish":
        this.#replies.finish(member, message);
        return;
      default:
        message satisfies never;
    }
  }
}
