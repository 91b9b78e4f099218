import { HTTP_STATUS } from "../../errors";
import type { Budget, FullBudget, UsageRecord } from "../../ports/store";
import { type Cell, numberIn, textIn, USAGE_COLUMNS, type UsageColumn } from "./rows";

/** One ledger operation as it is sent to the writer; cells are in the order of `USAGE_COLUMNS`. */
export type LedgerOperation =
  | { kind: "reserve"; row: Cell[]; keyBudget: Budget; userBudget: Budget }
  /**
   * Settles an open entry, or replaces the estimate of an entry that was settled as an orphan. `onlyOpen`: the row is
   * such an estimate, and is written only if the entry is still open. `isNew`: no entry has this ID, so none is looked
   * up.
   */
  | { kind: "settle"; row: Cell[]; onlyOpen: boolean; isNew?: boolean; prompt?: string }
  /** Overwrites the entry of this call, also a settled one: its sums are subtracted first. */
  | { kind: "correct"; row: Cell[]; prompt?: string }
  /**
   * Removes the entry of a reservation whose commit was not confirmed, and gives its amount back. The entry is open, or
   * another instance has settled it as an orphan.
   */
  | { kind: "cancel"; row: Cell[] };

/** `void`: there was nothing to do. A budget: it has too little left for the reservation. */
export type LedgerOutcome = "done" | "void" | FullBudget;

/**
 * Commits a group in one transaction. `lockMs`: how long PostgreSQL waits for a row that another transaction has
 * locked. Throws SQLite's own busy error unchanged, and PostgreSQL's lock timeout; after either, nothing was written.
 */
export type CommitGroup = (operations: LedgerOperation[], lockMs: number) => Promise<LedgerOutcome[]>;

/** The ID of the entry that an operation changes. */
export function idOf({ row }: LedgerOperation): string {
  return textIn(row, "id");
}

/** The row with some of its cells replaced. */
function withCells(row: readonly Cell[], cells: Partial<Record<UsageColumn, string | number>>): Cell[] {
  return USAGE_COLUMNS.map((column, index) => cells[column] ?? row[index] ?? null);
}

/** What an orphan's entry is settled with: its true cost and its end are unknown. */
export function orphanEstimate(reservedNano: number): Pick<UsageRecord, "costNano" | "error" | "estimated"> {
  return { costNano: reservedNano, error: "internal", estimated: true };
}

/** True for a settled row with the values of `orphanEstimate`: its owner has not settled the entry. */
export function isOrphanEstimate(row: readonly Cell[]): boolean {
  const { costNano, error } = orphanEstimate(numberIn(row, "reserved_nano"));
  return (
    textIn(row, "error") === error &&
    numberIn(row, "estimated") === 1 &&
    numberIn(row, "cost_nano") === costNano
  );
}

/** An open entry without a reservation, to be inserted where the ID has no entry. */
export function placeholderOf(row: readonly Cell[]): Cell[] {
  return withCells(row, { state: "open", cost_nano: 0, reserved_nano: 0 });
}

/**
 * The correction for an operation whose commit failed or was not confirmed. Its caller got `storage_unavailable` and no
 * complete reply, so the corrected entry has that error and no cost; its usage figures stay. The entry of a caller who
 * had left is written unchanged. Works whether or not the first commit took place. Null for a reservation that was
 * certainly not written (`mayBeWritten` is false), and for an orphan's settlement, which is repeated until the entry is
 * settled.
 */
export function correctionFor(operation: LedgerOperation, mayBeWritten: boolean): LedgerOperation | null {
  switch (operation.kind) {
    case "reserve":
      return mayBeWritten ? { kind: "cancel", row: operation.row } : null;
    case "settle": {
      if (operation.onlyOpen) return null;
      const { row, onlyOpen: _, isNew: __, ...rest } = operation;
      if (textIn(row, "error") === "caller_left") return { ...rest, kind: "correct", row };
      const corrected = withCells(row, {
        status: HTTP_STATUS.storage_unavailable,
        error: "storage_unavailable",
        cost_nano: 0,
        overrun: 0,
      });
      return { ...rest, kind: "correct", row: corrected };
    }
    case "correct":
    case "cancel":
      return operation;
  }
}
