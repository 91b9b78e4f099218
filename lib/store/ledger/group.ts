import { HTTP_STATUS } from "../../errors";
import type { Budget } from "../../ports/store";
import { type SubjectKind, TOTAL } from "./balances";
import { dailyOf, RollUps } from "./roll-ups";
import { type Cell, positionOf } from "./rows";
import * as statements from "./statements";

/** One ledger operation as it is sent to the writer; cells are in the order of `USAGE_COLUMNS`. */
export type LedgerOperation =
  | { kind: "reserve"; row: Cell[]; keyBudget: Budget; userBudget: Budget }
  /** `onlyOpen`: a row that is not there any more stays away (orphans). */
  | { kind: "settle"; row: Cell[]; onlyOpen: boolean; prompt?: string }
  /** Replaces whatever the ledger says of this call, also a settled row: its sums are taken back first. */
  | { kind: "correct"; row: Cell[]; prompt?: string }
  /** Removes the open row of a reservation whose commit was not confirmed, and releases what it holds. */
  | { kind: "cancel"; row: Cell[] };

/** `void`: there was nothing to do. */
export type LedgerOutcome = "done" | "void" | SubjectKind;

const ID = positionOf("id");
const AT = positionOf("at");
const KEY = positionOf("key_id");
const USER = positionOf("user_id");
const COST = positionOf("cost_nano");
const RESERVED = positionOf("reserved_nano");
const OVERRUN = positionOf("overrun");
const STATUS = positionOf("status");
const ERROR = positionOf("error");
const STATE = positionOf("state");
const DAY = positionOf("day");
const MONTH = positionOf("month");

const text = (row: readonly Cell[], position: number): string => String(row[position]);
const number = (row: readonly Cell[], position: number): number => Number(row[position]);

/** The row with some of its cells replaced. */
function withCells(
  row: readonly Cell[],
  cells: readonly (readonly [position: number, cell: Cell])[],
): Cell[] {
  const copy = [...row];
  for (const [position, cell] of cells) copy[position] = cell;
  return copy;
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
      const { row, onlyOpen: _, ...rest } = operation;
      if (row[ERROR] === "caller_left") return { ...rest, kind: "correct", row };
      const told = withCells(row, [
        [STATUS, HTTP_STATUS.storage_unavailable],
        [ERROR, "storage_unavailable"],
        [COST, 0],
        [OVERRUN, 0],
      ]);
      return { ...rest, kind: "correct", row: told };
    }
    case "correct":
    case "cancel":
      return operation;
  }
}

interface KnownRow {
  isOpen: boolean;
  reserved: number;
  key: string;
  user: string;
  day: string;
  month: string;
}

type Subject = readonly [kind: SubjectKind, id: string];

/** Balances as read, and what the group adds to them. */
class Balances {
  readonly #read = new Map<string, number>();
  readonly #changes = new Map<string, { key: Cell[]; spent: number; reserved: number }>();

  noteRead(row: readonly Cell[]): void {
    this.#read.set(row.slice(0, 3).join("\n"), number(row, 3));
  }

  used(kind: SubjectKind, id: string, period: string): number {
    const name = `${kind}\n${id}\n${period}`;
    const change = this.#changes.get(name);
    return (this.#read.get(name) ?? 0) + (change ? change.spent + change.reserved : 0);
  }

  add(
    key: string,
    user: string,
    periods: readonly string[],
    amount: { spent?: number; reserved?: number },
  ): void {
    const { spent = 0, reserved = 0 } = amount;
    if (spent === 0 && reserved === 0) return;
    const subjects: Subject[] = [
      ["key", key],
      ["user", user],
    ];
    for (const [kind, id] of subjects) {
      for (const period of periods) {
        const name = `${kind}\n${id}\n${period}`;
        const change = this.#changes.get(name);
        if (change) {
          change.spent += spent;
          change.reserved += reserved;
        } else {
          this.#changes.set(name, { key: [kind, id, period], spent, reserved });
        }
      }
    }
  }

  rows(): Cell[][] {
    return [...this.#changes]
      .filter(([, change]) => change.spent !== 0 || change.reserved !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => [...change.key, change.spent, change.reserved]);
  }
}

function limitsOf(budget: Budget, row: readonly Cell[]): (readonly [period: string, limit: number])[] {
  const all = [
    [TOTAL, budget.totalNano],
    [text(row, DAY), budget.dailyNano],
    [text(row, MONTH), budget.monthlyNano],
  ] as const;
  return all.flatMap(([period, limit]) => (limit === null ? [] : [[period, limit] as const]));
}

function periodsOf(row: readonly Cell[]): string[] {
  return [TOTAL, text(row, DAY), text(row, MONTH)];
}

/** The balances that a group reads; where rows are locked one by one, all that it will change. */
function balancesOf(
  operations: readonly LedgerOperation[],
  known: ReadonlyMap<string, KnownRow>,
  standing: ReadonlyMap<string, Cell[]>,
  locksRows: boolean,
): Cell[][] {
  const keys = new Map<string, Cell[]>();
  const want = (kind: SubjectKind, id: string, period: string): void => {
    keys.set(`${kind}\n${id}\n${period}`, [kind, id, period]);
  };
  const wantAll = (key: string, user: string, periods: readonly string[]): void => {
    for (const period of periods) {
      want("key", key, period);
      want("user", user, period);
    }
  };
  for (const operation of operations) {
    if (operation.kind === "reserve") {
      const { row, keyBudget, userBudget } = operation;
      for (const [period] of limitsOf(keyBudget, row)) want("key", text(row, KEY), period);
      for (const [period] of limitsOf(userBudget, row)) want("user", text(row, USER), period);
      if (locksRows && number(row, RESERVED) !== 0) wantAll(text(row, KEY), text(row, USER), periodsOf(row));
    } else if (locksRows) {
      const id = text(operation.row, ID);
      const before = known.get(id);
      if (before?.isOpen && before.reserved !== 0) {
        wantAll(before.key, before.user, [TOTAL, before.day, before.month]);
      }
      const changed = operation.kind === "cancel" ? [] : [operation.row, standing.get(id) ?? []];
      for (const row of changed) {
        if (number(row, COST) !== 0 && row.length > 0) {
          wantAll(text(row, KEY), text(row, USER), periodsOf(row));
        }
      }
    }
  }
  return [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

/**
 * Runs a group of ledger operations in order, inside one write transaction that the caller opens and commits. Yields
 * statements and receives their rows; the same on both databases. `locksRows` is false where the transaction already
 * has exclusive access to the store.
 */
export function* commitGroup(
  operations: readonly LedgerOperation[],
  locksRows: boolean,
): Generator<statements.Statement, LedgerOutcome[], Cell[][]> {
  const lock = locksRows ? "for update" : "";
  const known = new Map<string, KnownRow>();
  const ids = new Set<string>();
  const unconfirmed = new Map<string, Cell[]>();
  for (const { kind, row } of operations) {
    if (kind === "reserve") continue;
    ids.add(text(row, ID));
    if (kind !== "settle") unconfirmed.set(text(row, ID), row);
  }
  // The first commit of these may still arrive: inserting the row waits for the end of that transaction.
  const placeholders = [...unconfirmed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => placeholder(row));
  yield* run(statements.ensureUsage(placeholders));
  for (const statement of statements.selectUsage([...ids].sort(), lock)) {
    for (const row of yield statement) {
      known.set(text(row, 0), {
        isOpen: row[1] === "open",
        reserved: number(row, 2),
        key: text(row, 3),
        user: text(row, 4),
        day: text(row, 5),
        month: text(row, 6),
      });
    }
  }

  const standing = new Map<string, Cell[]>();
  const settledIds = [...unconfirmed.keys()].filter((id) => known.get(id)?.isOpen === false);
  for (const statement of statements.readUsage(settledIds.sort())) {
    for (const row of yield statement) standing.set(text(row, ID), row);
  }

  const balances = new Balances();
  const balanceKeys = balancesOf(operations, known, standing, locksRows);
  if (locksRows) for (const statement of statements.ensureBalances(balanceKeys)) yield statement;
  for (const statement of statements.selectBalances(balanceKeys, lock)) {
    for (const row of yield statement) balances.noteRead(row);
  }

  const rollUps = new RollUps();
  const opened = new Map<string, Cell[]>();
  const settled = new Map<string, Cell[]>();
  const corrected = new Map<string, Cell[]>();
  const cancelled: string[] = [];
  const prompts = new Map<string, Cell[]>();

  const release = (id: string, before: KnownRow): void => {
    balances.add(before.key, before.user, [TOTAL, before.day, before.month], { reserved: -before.reserved });
    known.set(id, { ...before, isOpen: false });
  };

  const reserve = (operation: LedgerOperation & { kind: "reserve" }): LedgerOutcome => {
    const { row } = operation;
    const amount = number(row, RESERVED);
    const asked = [
      ["key", text(row, KEY), operation.keyBudget],
      ["user", text(row, USER), operation.userBudget],
    ] as const;
    for (const [kind, id, budget] of asked) {
      const isFull = limitsOf(budget, row).some(
        ([period, limit]) => balances.used(kind, id, period) + amount > limit,
      );
      if (isFull) return kind;
    }
    balances.add(text(row, KEY), text(row, USER), periodsOf(row), { reserved: amount });
    opened.set(text(row, ID), row);
    known.set(text(row, ID), {
      isOpen: true,
      reserved: amount,
      key: text(row, KEY),
      user: text(row, USER),
      day: text(row, DAY),
      month: text(row, MONTH),
    });
    return "done";
  };

  /** Adds the row to the sums and to the rows to write. */
  const book = (id: string, row: Cell[], prompt: string | undefined, into: Map<string, Cell[]>): void => {
    balances.add(text(row, KEY), text(row, USER), periodsOf(row), { spent: number(row, COST) });
    rollUps.add(row, 1);
    opened.delete(id);
    standing.set(id, row);
    into.set(id, row);
    if (prompt !== undefined) prompts.set(id, [id, row[AT] ?? 0, prompt]);
  };

  const settle = (operation: LedgerOperation & { kind: "settle" }): LedgerOutcome => {
    const { row } = operation;
    const id = text(row, ID);
    const before = known.get(id);
    if (before ? !before.isOpen : operation.onlyOpen) return "void";
    if (before) {
      release(id, before);
      row[OVERRUN] = number(row, COST) > before.reserved ? 1 : 0;
    } else {
      known.set(id, { isOpen: false, reserved: 0, key: "", user: "", day: "", month: "" });
    }
    book(id, row, operation.prompt, settled);
    return "done";
  };

  const correct = ({ row, prompt }: LedgerOperation & { kind: "correct" }): LedgerOutcome => {
    const id = text(row, ID);
    const before = known.get(id);
    if (before?.isOpen) release(id, before);
    const wrong = standing.get(id);
    if (wrong !== undefined) {
      balances.add(text(wrong, KEY), text(wrong, USER), periodsOf(wrong), { spent: -number(wrong, COST) });
      rollUps.add(wrong, -1);
    }
    settled.delete(id);
    book(id, row, prompt, corrected);
    return "done";
  };

  const cancel = ({ row }: LedgerOperation & { kind: "cancel" }): LedgerOutcome => {
    const id = text(row, ID);
    const before = known.get(id);
    if (!before?.isOpen) return "void";
    release(id, before);
    opened.delete(id);
    cancelled.push(id);
    return "done";
  };

  const apply = (operation: (typeof operations)[number]): LedgerOutcome => {
    switch (operation.kind) {
      case "reserve":
        return reserve(operation);
      case "settle":
        return settle(operation);
      case "correct":
        return correct(operation);
      case "cancel":
        return cancel(operation);
    }
  };
  const outcomes = operations.map(apply);

  if (cancelled.length > 0) yield* run(statements.deleteUsage(cancelled));
  yield* run(statements.openUsage([...opened.values()]));
  yield* run(statements.writeUsage([...settled.values()]));
  yield* run(statements.replaceUsage([...corrected.values()]));
  yield* run(statements.addToBalances(balances.rows()));
  const hours = rollUps.rows();
  yield* run(statements.addToRollUps("rollups", hours));
  yield* run(statements.addToRollUps("daily_rollups", dailyOf(hours)));
  yield* run(statements.keepPrompts([...prompts.values()]));
  return outcomes;
}

/** An open row without a reservation, for an ID that has no row. */
function placeholder(row: readonly Cell[]): Cell[] {
  return withCells(row, [
    [STATE, "open"],
    [COST, 0],
    [RESERVED, 0],
  ]);
}

/** Yields statements whose rows are not needed. */
function* run(all: Iterable<statements.Statement>): Generator<statements.Statement, void, Cell[][]> {
  for (const statement of all) yield statement;
}
