import { type GroupBalances, type KnownRow, payerOf } from "./group-balances";
import type { LedgerOperation, LedgerOutcome } from "./operations";
import { dailyOf, RollUps } from "./roll-ups";
import { type Cell, numberIn, positionOf, textIn } from "./rows";
import * as statements from "./statements";

const OVERRUN = positionOf("overrun");

type Operation<Kind extends LedgerOperation["kind"]> = Extract<LedgerOperation, { kind: Kind }>;

/** Applies the operations of one group to what the store holds, and collects the rows to write. */
export class GroupChanges {
  /** Stored entries of the group's operations, by ID; changed with every operation. */
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
    if (before ? !before.isOpen : onlyOpen) return "void";
    if (before) {
      this.#release(before);
      row[OVERRUN] = numberIn(row, "cost_nano") > before.reserved ? 1 : 0;
    } else {
      this.#known.set(id, { isOpen: false, reserved: 0, ...payerOf(row) });
    }
    // An ID that exists after all is an error there: its sums must not be added twice.
    (isNew === true ? this.#toInsert : this.#toSettle).set(id, row);
    this.#addToSums(id, row, prompt);
    return "done";
  }

  #correct({ row, prompt }: Operation<"correct">): LedgerOutcome {
    const id = textIn(row, "id");
    const before = this.#known.get(id);
    if (before?.isOpen) this.#release(before);
    const wrong = this.#settled.get(id);
    if (wrong !== undefined) {
      this.#balances.add(payerOf(wrong), { spent: -numberIn(wrong, "cost_nano") });
      this.#rollUps.add(wrong, -1);
    }
    this.#toInsert.delete(id);
    this.#toSettle.delete(id);
    this.#toReplace.set(id, row);
    this.#addToSums(id, row, prompt);
    return "done";
  }

  #cancel({ row }: Operation<"cancel">): LedgerOutcome {
    const id = textIn(row, "id");
    const before = this.#known.get(id);
    if (!before?.isOpen) return "void";
    this.#release(before);
    this.#toOpen.delete(id);
    this.#toDelete.push(id);
    return "done";
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
