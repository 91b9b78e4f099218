import { hasCode } from "../../errors";
import type { Clock } from "../../ports/clock";
import { isBusy, isLockTimeout } from "../errors";
import type { StoreLog } from "../options";
import { type CommitGroup, idOf, type LedgerOperation } from "./operations";

export const MAX_GROUP_OPERATIONS = 512;
/** How long a group waits while operations are held: their lock may last for seconds, and other users must not wait. */
export const KNOWN_LOCK_MS = 50;
/** How long each part of a group waits while the group is divided into what is locked and what is not. */
export const PART_LOCK_MS = 2;
/** After this time, a round begins no commit of another user's held operations, because all other operations wait. */
export const HELD_ROUND_MS = 100;
const INTERVAL_MS = 1_000;
/** Corrections kept for a store that is down; further ones are dropped and logged. */
const MAX_CORRECTIONS = 100_000;
/** From this number of corrections on, further ones are kept without their input texts, of up to 16 KiB each. */
const MAX_WITH_PROMPT = 1_000;

/** What the ledger must still learn about failed operations, kept until it is written. */
export class Corrections {
  readonly #commit: CommitGroup;
  readonly #clock: Clock;
  readonly #log: StoreLog;
  readonly #onDue: () => void;
  readonly #kept = new Map<string, LedgerOperation>();
  /** IDs of the corrections whose rows were found locked in the current pass over all corrections. */
  readonly #locked = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #areDue = false;
  #isStopped = false;

  /** `onDue` is called when `writeGroup` should be called, at most once a second. */
  constructor(options: { commit: CommitGroup; clock: Clock; log: StoreLog; onDue: () => void }) {
    this.#commit = options.commit;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#onDue = options.onDue;
  }

  /** True when `writeGroup` should be called. */
  get areDue(): boolean {
    return this.#areDue;
  }

  /** Keeps a correction, in place of an earlier one of the same entry. */
  keep(correction: LedgerOperation): void {
    const id = idOf(correction);
    if (this.#kept.size >= MAX_CORRECTIONS && !this.#kept.has(id)) {
      this.#log.error("ledger_lost", { rows: 1 });
      return;
    }
    if (correction.kind === "correct" && this.#kept.size >= MAX_WITH_PROMPT)
      this.#kept.set(id, { kind: "correct", row: correction.row });
    else this.#kept.set(id, correction);
    this.#plan();
  }

  /**
   * Writes at most one group; `areDue` stays true while others must follow at once. Throws AppError
   * `storage_unavailable`; the corrections are then due again after the interval.
   */
  async writeGroup(): Promise<void> {
    const operations: LedgerOperation[] = [];
    for (const [id, operation] of this.#kept) {
      if (operations.length === MAX_GROUP_OPERATIONS) break;
      if (!this.#locked.has(id)) operations.push(operation);
    }
    const until = this.#clock.monotonic() + KNOWN_LOCK_MS + HELD_ROUND_MS;
    let hasWritten = false;
    try {
      hasWritten = operations.length > 0 && (await this.#write(operations, KNOWN_LOCK_MS, until));
    } finally {
      this.#areDue = hasWritten;
      if (!hasWritten) {
        this.#locked.clear();
        this.#plan();
      }
    }
  }

  /** From now on `onDue` is not called. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  /** Writes all corrections once more, and logs how many cannot be written. */
  async writeAll(): Promise<void> {
    try {
      do await this.writeGroup();
      while (this.#areDue);
    } catch {
      // The store is unavailable.
    }
    if (this.#kept.size > 0) this.#log.error("ledger_lost", { rows: this.#kept.size });
  }

  #plan(): void {
    if (this.#kept.size === 0 || this.#timer || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#areDue = true;
      this.#onDue();
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  /**
   * Writes corrections. When the commit fails, retries each half separately, except for locked rows after `until`
   * (monotonic ms). Locked corrections wait for the next pass, since a transaction that lost its client may lock an
   * entry for some seconds; corrections that fail for another reason are logged and dropped. Returns false when the
   * store is busy. Throws AppError `storage_unavailable`.
   */
  async #write(operations: LedgerOperation[], lockMs: number, until: number): Promise<boolean> {
    try {
      await this.#commit(operations, lockMs);
    } catch (error) {
      if (isBusy(error)) return false;
      const isLocked = isLockTimeout(error);
      if (!isLocked && hasCode(error, "storage_unavailable")) throw error;
      const isLate = isLocked && this.#clock.monotonic() >= until;
      if (operations.length > 1 && !isLate) {
        const middle = operations.length >> 1;
        const isFirstDone = await this.#write(operations.slice(0, middle), PART_LOCK_MS, until);
        return isFirstDone && this.#write(operations.slice(middle), PART_LOCK_MS, until);
      }
      for (const operation of operations) {
        const id = idOf(operation);
        if (isLocked) this.#locked.add(id);
        else this.#log.error("ledger_lost", { rows: 1, usage: id, cause: String(error) });
      }
      if (isLocked) return true;
    }
    for (const operation of operations) this.#forget(operation);
    return true;
  }

  /** Unless a newer correction of the same entry was kept meanwhile. */
  #forget(operation: LedgerOperation): void {
    const id = idOf(operation);
    if (this.#kept.get(id) === operation) this.#kept.delete(id);
  }
}
