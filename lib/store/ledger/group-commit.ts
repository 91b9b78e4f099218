import { hasCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import { nextTurn } from "../../ports/run-in-slices";
import { isBusy, isLockTimeout, isUnsent, storageUnavailable } from "../errors";
import type { StoreLog } from "../options";
import { Corrections, HELD_ROUND_MS, KNOWN_LOCK_MS, MAX_GROUP_OPERATIONS, PART_LOCK_MS } from "./corrections";
import { type CommitGroup, correctionFor, type LedgerOperation, type LedgerOutcome } from "./operations";
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
/** How long the held operations of one user wait at a time: as long as other instances need for their turns. */
const HELD_LOCK_MS = 250;
const RETRY_MS = 10;
/** A group closes after this time, even while each turn of the event loop adds operations to it. */
const MAX_COLLECT_MS = 3;

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
  readonly #corrections: Corrections;
  #waiting: Waiting[] = [];
  /** Operations on locked rows. */
  #held: Waiting[] = [];
  /** Users whose rows were locked at their last operation. */
  readonly #lockedUsers = new Set<string>();
  #running: Promise<void> | null = null;
  #isClosed = false;
  #isFailing = false;

  constructor(commit: CommitGroup, clock: Clock, log: StoreLog) {
    this.#commit = async (operations, lockMs) => {
      const outcomes = await commit(operations, lockMs);
      this.#isFailing = false;
      return outcomes;
    };
    this.#clock = clock;
    this.#corrections = new Corrections({
      commit: this.#commit,
      clock,
      log,
      onDue: () => (this.#running ??= this.#run()),
    });
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
    this.#corrections.stop();
    await this.#running;
    await this.#corrections.writeAll();
  }

  async #run(): Promise<void> {
    for (;;) {
      if (this.#waiting.length > 0 || this.#held.length > 0) await this.#runRound();
      else if (!this.#corrections.areDue) break;
      if (this.#corrections.areDue) await this.#correct();
    }
    this.#running = null;
  }

  async #correct(): Promise<void> {
    try {
      await this.#corrections.writeGroup();
    } catch (error) {
      this.#failWith([], error);
    }
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
      await nextTurn();
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
      if (correction !== null) this.#corrections.keep(correction);
      reject(error);
    }
  }
}
