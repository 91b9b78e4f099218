import {
  changedBalances,
  GroupBalances,
  inLockOrder,
  type KnownRow,
  limitedBalances,
  payerOf,
} from "./group-balances";
import {
  idOf,
  isOrphanEstimate,
  type LedgerOperation,
  type LedgerOutcome,
  placeholderOf,
} from "./operations";
import { dailyOf, RollUps } from "./roll-ups";
import { type Cell, numberIn, positionOf, textIn } from "./rows";
import * as statements from "./statements";

const OVERRUN = positionOf("overrun");

type Operation<Kind extends LedgerOperation["kind"]> = Extract<LedgerOperation, { kind: Kind }>;

/** Applies the operations of one group to what the store holds, and collects the rows to write. */
class GroupChanges {
  /** Stored entries of the group's operations, by ID; kept up to date as operations are applied. */
  readonly #known: Map<string, KnownRow>;
  /** Cells of settled entries that an operation may overwrite, by ID. */
  readonly #settled: Map<string, Cell[]>;
  readonly #balances: GroupBalances;
  readonly #rollUps = new RollUps();
  readonly #toOpen = new Map<string, Cell[]>();
  readonly #toInsert = new Map<string, Cell[]>();
  readonly #toSettle = new Map<string, Cell[]>();
  readonly #toReplace = new Map<string, Cell[]>();
  readonly #toDelete: string[] = [];
  readonly #prompts = new Map<string, Cell[]>();

  constructor(known: Map<string, KnownRow>, settled: Map<string, Cell[]>, balances: GroupBalances) {
    this.#known = known;
    this.#settled = settled;
    this.#balances = balances;
  }

  apply(operation: LedgerOperation): LedgerOutcome {
    switch (operation.kind) {
      case "reserve":
        return this.#reserve(operation);
      case "settle":
        return this.#settle(operation);
      case "correct":
        return this.#correct(operation);
      case "cancel":
        return this.#cancel(operation);
    }
  }

  /** The statements that write all changes, in the order in which they must run. */
  *statements(): Generator<statements.Statement> {
    yield* statements.deleteUsage(this.#toDelete);
    yield* statements.insertUsage([...this.#toOpen.values()]);
    yield* statements.insertUsage([...this.#toInsert.values()]);
    yield* statements.writeUsage([...this.#toSettle.values()]);
    yield* statements.replaceUsage([...this.#toReplace.values()]);
    yield* statements.addToBalances(this.#balances.rows());
    const hours = this.#rollUps.rows();
    yield* statements.addToRollUps("rollups", hours);
    yield* statements.addToRollUps("daily_rollups", dailyOf(hours));
    yield* statements.addToFailovers(this.#rollUps.failovers());
    yield* statements.keepPrompts([...this.#prompts.values()]);
  }

  #reserve(operation: Operation<"reserve">): LedgerOutcome {
    const full = this.#balances.findFull(operation);
    if (full !== null) return full;
    const { row } = operation;
    const id = textIn(row, "id");
    const reserved = numberIn(row, "reserved_nano");
    const payer = payerOf(row);
    this.#balances.add(payer, { reserved });
    this.#toOpen.set(id, row);
    this.#known.set(id, { isOpen: true, reserved, ...payer });
    return "done";
  }

  #settle({ row, onlyOpen, isNew, prompt }: Operation<"settle">): LedgerOutcome {
    const id = textIn(row, "id");
    const before = this.#known.get(id);
    if (before === undefined) {
      if (onlyOpen) return "void";
      this.#known.set(id, { isOpen: false, reserved: 0, ...payerOf(row) });
    } else {
      row[OVERRUN] = numberIn(row, "cost_nano") > before.reserved ? 1 : 0;
      if (!before.isOpen) return onlyOpen ? "void" : this.#replaceEstimate(id, row, prompt);
      this.#release(before);
    }
    // `insertUsage` fails on an ID that exists after all: the sums of that entry must not be added twice.
    (isNew === true ? this.#toInsert : this.#toSettle).set(id, row);
    this.#addToSums(id, row, prompt);
    return "done";
  }

  /** Replaces the estimate of an entry that was settled as an orphan, although its instance was still running. */
  #replaceEstimate(id: string, row: Cell[], prompt: string | undefined): LedgerOutcome {
    const estimate = this.#settled.get(id);
    if (estimate === undefined || !isOrphanEstimate(estimate)) return "void";
    this.#replace(id, row, prompt);
    return "done";
  }

  #correct({ row, prompt }: Operation<"correct">): LedgerOutcome {
    const id = textIn(row, "id");
    const before = this.#known.get(id);
    if (before?.isOpen) this.#release(before);
    this.#replace(id, row, prompt);
    return "done";
  }

  /** Overwrites an entry; subtracts a settled one from balances and roll-ups first. */
  #replace(id: string, row: Cell[], prompt: string | undefined): void {
    const wrong = this.#settled.get(id);
    if (wrong !== undefined) this.#subtract(id, wrong);
    this.#toReplace.set(id, row);
    this.#addToSums(id, row, prompt);
  }

  #cancel({ row }: Operation<"cancel">): LedgerOutcome {
    const id = textIn(row, "id");
    const before = this.#known.get(id);
    const estimate = this.#settled.get(id);
    if (before?.isOpen) this.#release(before);
    else if (estimate !== undefined && isOrphanEstimate(estimate)) this.#subtract(id, estimate);
    else return "void";
    this.#toOpen.delete(id);
    this.#toDelete.push(id);
    return "done";
  }

  /** Takes a settled entry out of balances and roll-ups, and out of what this group writes. */
  #subtract(id: string, wrong: readonly Cell[]): void {
    this.#balances.add(payerOf(wrong), { spent: -numberIn(wrong, "cost_nano") });
    this.#rollUps.add(wrong, -1);
    this.#settled.delete(id);
    this.#toInsert.delete(id);
    this.#toSettle.delete(id);
    this.#toReplace.delete(id);
  }

  /** Closes an open entry and gives its reserved amount back. */
  #release(before: KnownRow): void {
    this.#balances.add(before, { reserved: -before.reserved });
    before.isOpen = false;
  }

  /** Adds a settled entry to balances and roll-ups. */
  #addToSums(id: string, row: Cell[], prompt: string | undefined): void {
    this.#balances.add(payerOf(row), { spent: numberIn(row, "cost_nano") });
    this.#rollUps.add(row, 1);
    this.#toOpen.delete(id);
    this.#settled.set(id, row);
    if (prompt !== undefined) this.#prompts.set(id, [id, numberIn(row, "at"), prompt]);
  }
}

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
  // The first commit of these operations may still be running: the insert then waits for the end of its transaction.
  yield* statements.ensureUsage(unconfirmed.map(placeholderOf));
  const known = yield* readKnown(operations, lock);
  const ids = new Set(operations.filter(mayReplace).map(idOf));
  const settled = yield* readSettled([...ids].filter((id) => known.get(id)?.isOpen === false));
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

/** True for an operation that may overwrite or remove a settled entry, even if only an orphan's estimate. */
function mayReplace(operation: LedgerOperation): boolean {
  return operation.kind !== "reserve" && !(operation.kind === "settle" && operation.onlyOpen);
}

/** Reads whole settled entries. */
function* readSettled(ids: readonly string[]): Steps<Map<string, Cell[]>> {
  const settled = new Map<string, Cell[]>();
  for (const statement of statements.readUsage(ids)) {
    for (const row of yield statement) settled.set(textIn(row, "id"), row);
  }
  return settled;
}

/** Reads the balances that limit the group; with `locksRows`, also locks all balances that the group will change. */
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
