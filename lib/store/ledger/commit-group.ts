import {
  changedBalances,
  GroupBalances,
  inLockOrder,
  type KnownRow,
  limitedBalances,
} from "./group-balances";
import { GroupChanges } from "./group-changes";
import { idOf, type LedgerOperation, type LedgerOutcome, placeholderOf } from "./operations";
import { type Cell, textIn } from "./rows";
import * as statements from "./statements";

/** Yields statements and receives their rows. */
type Steps<Result> = Generator<statements.Statement, Result, Cell[][]>;

/**
 * Runs a group of ledger operations in order, inside one write transaction that the caller opens and commits. Yields
 * statements and receives their rows; the same on both databases. `locksRows` is false where the transaction already
 * has exclusive access to the store.
 */
export function* commitGroup(
  operations: readonly LedgerOperation[],
  locksRows: boolean,
): Steps<LedgerOutcome[]> {
  const lock = locksRows ? "for update" : "";
  const unconfirmed = unconfirmedRows(operations);
  // The first commit of these may still arrive: inserting the row waits for the end of that transaction.
  yield* statements.ensureUsage(unconfirmed.map(placeholderOf));
  const known = yield* readKnown(operations, lock);
  const ids = unconfirmed.map((row) => textIn(row, "id"));
  const settled = yield* readSettled(ids.filter((id) => known.get(id)?.isOpen === false));
  const balances = yield* readBalances(operations, known, settled, locksRows);
  const changes = new GroupChanges(known, settled, balances);
  const outcomes = operations.map((operation) => changes.apply(operation));
  yield* changes.statements();
  return outcomes;
}

/** Rows of operations whose first commit was not confirmed, one per ID, ordered by ID. */
function unconfirmedRows(operations: readonly LedgerOperation[]): Cell[][] {
  const rows = new Map<string, Cell[]>();
  for (const operation of operations) {
    if (operation.kind === "correct" || operation.kind === "cancel") rows.set(idOf(operation), operation.row);
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Reads, and locks, the entries that the operations settle, correct or cancel. */
function* readKnown(operations: readonly LedgerOperation[], lock: string): Steps<Map<string, KnownRow>> {
  const ids = new Set(operations.filter((one) => !isOfNewEntry(one)).map(idOf));
  const known = new Map<string, KnownRow>();
  for (const statement of statements.selectUsage([...ids].sort(), lock)) {
    for (const [id, state, reserved, key, user, day, month] of yield statement) {
      known.set(String(id), {
        isOpen: state === "open",
        reserved: Number(reserved),
        key: String(key),
        user: String(user),
        day: String(day),
        month: String(month),
      });
    }
  }
  return known;
}

function isOfNewEntry(operation: LedgerOperation): boolean {
  return operation.kind === "reserve" || (operation.kind === "settle" && operation.isNew === true);
}

/** Reads whole settled entries. */
function* readSettled(ids: readonly string[]): Steps<Map<string, Cell[]>> {
  const settled = new Map<string, Cell[]>();
  for (const statement of statements.readUsage(ids)) {
    for (const row of yield statement) settled.set(textIn(row, "id"), row);
  }
  return settled;
}

/** Reads the balances that limit the group; where rows are locked one by one, locks all that it will change. */
function* readBalances(
  operations: readonly LedgerOperation[],
  known: ReadonlyMap<string, KnownRow>,
  settled: ReadonlyMap<string, Cell[]>,
  locksRows: boolean,
): Steps<GroupBalances> {
  const changed = locksRows ? changedBalances(operations, known, settled) : [];
  const keys = inLockOrder([...limitedBalances(operations), ...changed]);
  if (locksRows) yield* statements.ensureBalances(keys);
  const balances = new GroupBalances();
  for (const statement of statements.selectBalances(keys, locksRows ? "for update" : "")) {
    for (const row of yield statement) balances.noteRead(row);
  }
  return balances;
}
