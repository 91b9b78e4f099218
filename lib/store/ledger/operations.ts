import { HTTP_STATUS } from "../../errors";
import type { Budget, FullBudget } from "../../ports/store";
import { type Cell, textIn, USAGE_COLUMNS, type UsageColumn } from "./rows";

/** One ledger operation as it is sent to the writer; cells are in the order of `USAGE_COLUMNS`. */
export type LedgerOperation =
  | { kind: "reserve"; row: Cell[]; keyBudget: Budget; userBudget: Budget }
  /**
   * `onlyOpen`: an entry that was deleted meanwhile is not written again (orphans). `isNew`: no entry has this ID, so none
   * is looked up.
   */
  | { kind: "settle"; row: Cell[]; onlyOpen: boolean; isNew?: boolean; prompt?: string }
  /** Overwrites the entry of this call, also a settled one: its sums are subtracted first. */
  | { kind: "correct"; row: Cell[]; prompt?: string }
  /** Removes the open entry of a reservation whose commit was not confirmed, and releases its amount. */
  | { kind: "cancel"; row: Cell[] };

/** `void`: there was nothing to do. A budget: it has too little left for the reservation. */
export type LedgerOutcome = "done" | "void" | FullBudget;

/** The ID of the entry that an operation changes. */
export function idOf({ row }: LedgerOperation): string {
  return textIn(row, "id");
}

/** The row with some of its cells replaced. */
function withCells(row: readonly Cell[], cells: Partial<Record<UsageColumn, string | number>>): Cell[] {
  return USAGE_COLUMNS.map((column, index) => cells[column] ?? row[index] ?? null);
}

/** An open entry without a reservation, to be inserted where the ID has no entry. */
export function placeholderOf(row: readonly Cell[]): Cell[] {
  return withCells(row, { state: "open", cost_nano: 0, reserved_nano: 0 });
}

/**
 * The correction for an operation whose commit failed or was not confirmed. Its caller got `storage_unavailable` and no
 * complete reply, so the entry says so and costs nothing; its usage figures stay. An entry of a caller who had left is
 * not changed. Works whether or not the first commit took place.
 */
export function correctionFor(operation: LedgerOperation): LedgerOperation {
  switch (operation.kind) {
    case "reserve":
      return { kind: "cancel", row: operation.row };
    case "settle": {
      if (operation.onlyOpen) return operation;
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
