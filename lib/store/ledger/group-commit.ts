import { hasCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import { isBusy, isLockTimeout, isUnsent, storageUnavailable } from "../errors";
import type { StoreLog } from "../options";
import { correctionFor, idOf, type LedgerOperation, type LedgerOutcome } from "./operations";
import { textIn } from "./rows";

/** How long a caller waits for another process's lock before it gets `storage_unavailable`. */
export const LOCK_WAIT_MS = 1_000;
/** How long a group of one user waits for a lock: calls of one user on many instances take turns. */
const USER_LOCK_MS = 800;
/**
 * How long a group of several users waits for a lock. In the rest of `LOCK_WAIT_MS`, the operations whose rows are not
 * locked are committed without the others.
 */
const GROUP_LOCK_MS = 400;
/** How long a group waits while operations are held: their lock may last for seconds, and other users must not wait. */
const KNOWN_LOCK_MS = 50;
/** How long each part of a group waits while the group is divided into what is locked and what is not. */
const PART_LOCK_MS = 2;
/** How long the held operations of one user wait at a time: as long as other instances need for their turns. */
const HELD_LOCK_MS = 250;
/** After this time, a round begins no commit of another user's held operations, because all other operations wait. */
const HELD_ROUND_MS = 100;
const RETRY_MS = 10;
const MAX_GROUP_OPERATIONS = 512;
/** A group closes after this time, even while each turn of the event loop adds operations to it. */
const MAX_COLLECT_MS = 3;
const CORRECTION_INTERVAL_MS = 1_000;
/** Corrections kept for a store that is down; further ones are dropped and logged. */
const MAX_CORRECTIONS = 100_000;
/** From this number of corrections on, further ones are kept without their input texts, of up to 16 KiB each. */
const MAX_CORRECTIONS_WITH_PROMPT = 1_000;

/**
 * Commits a group in one transaction. `lockMs`: how long PostgreSQL waits for a row that another transaction has
 * locked. Throws SQLite's own busy error unchanged, and PostgreSQL's lock timeout; after either, nothing was written.
 */
export type CommitGroup = (operations: LedgerOperation[], lockMs: number) => Promise<LedgerOutcome[]>;

interface Waiting {
  operation: LedgerOperation;
  since: number;
  resolve(outcome: LedgerOutcome): void;
  reject(error: unknown): void;
}

/**
 * Groups operations by user: a transaction that has locked a user's balance blocks the operations of that user only.
 */
function byUser(group: readonly Waiting[]): Waiting[][] {
  const users = new Map<string, Waiting[]>();
  for (const one of group) {
    const user = userOf(one);
    const known = users.get(user);
    if (known === undefined) users.set(user, [one]);
    else known.push(one);
  }
  return [...users.values()];
}

function userOf({ operation }: Waiting): string {
  return textIn(operation.row, "user_id");
}

/**
 * Collects operations while a commit runs, and as long as each turn of the event loop adds more, then commits them as
 * the next group. A single operation is not delayed, and a busy process commits many operations at once: a commit of
 * eight costs little more than a commit of one. An operation is in one of these states:
 *
 *     add ──> waiting ──> in a group ──> committed
 *                │             │
 *                │             ├──> held ──> in a group of its user
 *                │             │      │
 *                └─────────────┴──────┴──> failed ──> correction ──> written
 *
 * - held: another transaction keeps rows of its user locked. Other users are committed meanwhile.
 * - failed: its caller's time is over, or the store cannot be reached. Its correction (`correctionFor`) is written when
 *   the store is available again, whether or not the failed commit took place; between two groups, a part at a time.
 */
export class GroupCommit {
  readonly #commit: CommitGroup;
  readonly #clock: Clock;
  readonly #log: StoreLog;
  #waiting: Waiting[] = [];
  /** Operations on locked rows. */
  #held: Waiting[] = [];
  /** Users whose rows were locked at their last operation. */
  readonly #lockedUsers = new Set<string>();
  readonly #corrections = new Map<string, LedgerOperation>();
  /** IDs of the corrections whose rows were found locked in the current pass over all corrections. */
  readonly #lockedCorrections = new Set<string>();
  #running: Promise<void> | null = null;
  #correctionTimer: NodeJS.Timeout | null = null;
  #areCorrectionsDue = false;
  #isClosed = false;
  #isFailing = false;

  constructor(commit: CommitGroup, clock: Clock, log: StoreLog) {
    this.#commit = async (operations, lockMs) => {
      const outcomes = await commit(operations, lockMs);
      this.#isFailing = false;
      return outcomes;
    };
    this.#clock = clock;
    this.#log = log;
  }

  /** True when the store was unavailable for the last commit; locked rows do not count. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Resolves when the commit is on disk. Throws AppError `storage_unavailable`. */
  add(operation: LedgerOperation): Promise<LedgerOutcome> {
    if (this.#isClosed) return Promise.reject(storageUnavailable());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, since: this.#clock.monotonic(), resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Waits for the running commit and writes the corrections once more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#correctionTimer) clearTimeout(this.#correctionTimer);
    await this.#running;
    while (await this.#writeCorrections());
    if (this.#corrections.size > 0) this.#log.error("ledger_lost", { rows: this.#corrections.size });
  }

  async #run(): Promise<void> {
    for (;;) {
      if (this.#waiting.length > 0 || this.#held.length > 0) await this.#runRound();
      else if (!this.#areCorrectionsDue) break;
      if (this.#areCorrectionsDue) this.#areCorrectionsDue = await this.#writeCorrections();
    }
    this.#running = null;
  }

  async #runRound(): Promise<void> {
    await this.#collect();
    if (this.#lockedUsers.size > 0) this.#holdLocked();
    // Operations that this round's group adds to `#held` have just waited for their lock: the next round retries them.
    const hasHeld = this.#held.length > 0;
    const group = this.#waiting.splice(0, MAX_GROUP_OPERATIONS);
    if (group.length > 0) await this.#commitNow(group, this.#lockMsOf(group));
    if (hasHeld) await this.#tryHeld();
  }

  /** Moves the waiting operations of locked users to `#held`. */
  #holdLocked(): void {
    const free: Waiting[] = [];
    for (const one of this.#waiting) (this.#lockedUsers.has(userOf(one)) ? this.#held : free).push(one);
    this.#waiting = free;
  }

  /** How long a group waits for a lock. */
  #lockMsOf(group: readonly Waiting[]): number {
    if (this.#held.length > 0) return KNOWN_LOCK_MS;
    const [first] = group;
    const isOfOneUser = first !== undefined && group.every((one) => userOf(one) === userOf(first));
    return isOfOneUser ? USER_LOCK_MS : GROUP_LOCK_MS;
  }

  /** Resolves after the first turn of the event loop that brings no further operation. */
  async #collect(): Promise<void> {
    const latest = this.#clock.monotonic() + MAX_COLLECT_MS;
    let before: number;
    do {
      before = this.#waiting.length;
      await new Promise((resolve) => setImmediate(resolve));
    } while (
      this.#waiting.length > before &&
      this.#waiting.length < MAX_GROUP_OPERATIONS &&
      this.#clock.monotonic() < latest
    );
  }

  async #commitNow(group: Waiting[], lockMs: number): Promise<void> {
    try {
      const outcomes = await this.#commit(
        group.map((one) => one.operation),
        lockMs,
      );
      if (this.#lockedUsers.size > 0) for (const one of group) this.#lockedUsers.delete(userOf(one));
      for (const [index, one] of group.entries()) one.resolve(outcomes[index] ?? "void");
    } catch (error) {
      if (isBusy(error)) await this.#waitForLock(group, error);
      else if (isLockTimeout(error)) await this.#divide(group, error);
      else if (hasCode(error, "storage_unavailable")) this.#failWith(group, error);
      else if (group.length === 1) group[0]?.reject(error);
      // Commits each operation separately, so that an invalid row fails only its own operation.
      else for (const one of group) await this.#commitNow([one], PART_LOCK_MS);
    }
  }

  /**
   * Finds the locked users by halving the group: commits the operations of the others, and holds those of locked users.
   */
  async #divide(group: Waiting[], error: unknown): Promise<void> {
    const users = byUser(group);
    if (users.length === 1) {
      for (const one of group) this.#lockedUsers.add(userOf(one));
      this.#held.push(...group);
      return;
    }
    const middle = users.length >> 1;
    for (const half of [users.slice(0, middle), users.slice(middle)]) {
      const patient = this.#failLate(half.flat(), error);
      if (patient.length > 0) await this.#commitNow(patient, PART_LOCK_MS);
    }
  }

  /**
   * Commits the held operations, one user after the other. Users for whom no time is left come first in the next round.
   */
  async #tryHeld(): Promise<void> {
    const until = this.#clock.monotonic() + HELD_ROUND_MS;
    const left: Waiting[] = [];
    for (const ofUser of byUser(this.#held.splice(0))) {
      const patient = this.#failLate(ofUser, new Error("another transaction keeps these rows locked"));
      const now = this.#clock.monotonic() < until ? patient.splice(0, MAX_GROUP_OPERATIONS) : [];
      left.push(...patient);
      if (now.length > 0) await this.#commitNow(now, HELD_LOCK_MS);
    }
    this.#held.unshift(...left);
    if (this.#held.length > 0 && this.#waiting.length === 0)
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  /** Fails the operations whose callers have waited for `LOCK_WAIT_MS`, and returns the others. */
  #failLate(group: readonly Waiting[], error: unknown): Waiting[] {
    const latest = this.#clock.monotonic() - LOCK_WAIT_MS;
    this.#fail(
      group.filter((one) => one.since <= latest),
      storageUnavailable(error),
    );
    return group.filter((one) => one.since > latest);
  }

  async #waitForLock(group: Waiting[], error: unknown): Promise<void> {
    this.#waiting.unshift(...this.#failLate(group, error));
    if (this.#waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  /**
   * Fails the group, and with the same error every waiting and held operation: a further attempt at the unreachable
   * store could take as long as this one.
   */
  #failWith(group: readonly Waiting[], error: unknown): void {
    this.#isFailing = true;
    this.#fail(group, error, !isUnsent(error));
    this.#fail([...this.#held.splice(0), ...this.#waiting.splice(0)], error);
  }

  /** `mayBeWritten`: the group's commit was sent, and its outcome is unknown. */
  #fail(group: readonly Waiting[], error: unknown, mayBeWritten = false): void {
    for (const { operation, reject } of group) {
      const correction = correctionFor(operation, mayBeWritten);
      // Null for an orphan's settlement, which must not replace that of its call, and for an unsent reservation.
      if (correction !== null) this.#keep(correction);
      reject(error);
    }
    this.#plan();
  }

  #keep(correction: LedgerOperation): void {
    const id = idOf(correction);
    const isKnown = this.#corrections.has(id);
    if (this.#corrections.size >= MAX_CORRECTIONS && !isKnown) {
      this.#log.error("ledger_lost", { rows: 1 });
      return;
    }
    if (correction.kind === "correct" && this.#corrections.size >= MAX_CORRECTIONS_WITH_PROMPT)
      this.#corrections.set(id, { kind: "correct", row: correction.row });
    else this.#corrections.set(id, correction);
  }

  #plan(): void {
    if (this.#corrections.size === 0 || this.#correctionTimer || this.#isClosed) return;
    this.#correctionTimer = setTimeout(() => {
      this.#correctionTimer = null;
      this.#areCorrectionsDue = true;
      this.#running ??= this.#run();
    }, CORRECTION_INTERVAL_MS);
    this.#correctionTimer.unref();
  }

  /** Writes at most one group of corrections. Returns true when it must be called again at once for the others. */
  async #writeCorrections(): Promise<boolean> {
    const operations: LedgerOperation[] = [];
    for (const [id, operation] of this.#corrections) {
      if (operations.length === MAX_GROUP_OPERATIONS) break;
      if (!this.#lockedCorrections.has(id)) operations.push(operation);
    }
    const until = this.#clock.monotonic() + KNOWN_LOCK_MS + HELD_ROUND_MS;
    if (operations.length > 0 && (await this.#correct(operations, KNOWN_LOCK_MS, until))) return true;
    this.#lockedCorrections.clear();
    this.#plan();
    return false;
  }

  /**
   * Writes corrections. When the commit fails, retries each half separately, except for locked rows after `until`
   * (monotonic ms). Locked corrections wait for the next pass, since a transaction that lost its client may lock an
   * entry for some seconds; corrections that fail for another reason are logged and dropped. Returns false when the
   * store is busy or unavailable.
   */
  async #correct(operations: LedgerOperation[], lockMs: number, until: number): Promise<boolean> {
    try {
      await this.#commit(operations, lockMs);
    } catch (error) {
      if (isBusy(error)) return false;
      const isLocked = isLockTimeout(error);
      if (!isLocked && hasCode(error, "storage_unavailable")) {
        this.#failWith([], error);
        return false;
      }
      const isLate = isLocked && this.#clock.monotonic() >= until;
      if (operations.length > 1 && !isLate) {
        const middle = operations.length >> 1;
        const isFirstDone = await this.#correct(operations.slice(0, middle), PART_LOCK_MS, until);
        return isFirstDone && this.#correct(operations.slice(middle), PART_LOCK_MS, until);
      }
      for (const operation of operations) {
        const id = idOf(operation);
        if (isLocked) this.#lockedCorrections.add(id);
        else this.#log.error("ledger_lost", { rows: 1, usage: id, cause: String(error) });
      }
      if (isLocked) return true;
    }
    for (const operation of operations) this.#corrected(operation);
    return true;
  }

  #corrected(operation: LedgerOperation): void {
    const id = idOf(operation);
    if (this.#corrections.get(id) === operation) this.#corrections.delete(id);
  }
}
