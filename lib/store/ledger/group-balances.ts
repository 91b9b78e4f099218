import type { Budget, BudgetPeriod, FullBudget } from "../../ports/store";
import { type SubjectKind, TOTAL } from "./balances";
import type { LedgerOperation } from "./operations";
import { type Cell, numberIn, textIn } from "./rows";

/** A stored entry as far as a group needs it. */
export interface KnownRow {
  isOpen: boolean;
  reserved: number;
  key: string;
  user: string;
  day: string;
  month: string;
}

/** The key, the user and the budget periods whose balances an entry changes. */
type Payer = Omit<KnownRow, "isOpen" | "reserved">;

export function payerOf(row: readonly Cell[]): Payer {
  return {
    key: textIn(row, "key_id"),
    user: textIn(row, "user_id"),
    day: textIn(row, "day"),
    month: textIn(row, "month"),
  };
}

type BalanceKey = [kind: SubjectKind, id: string, period: string];

function nameOf(key: readonly Cell[]): string {
  return key.join("\n");
}

function balancesOfPayer({ key, user, day, month }: Payer): BalanceKey[] {
  return [TOTAL, day, month].flatMap((period): BalanceKey[] => [
    ["key", key, period],
    ["user", user, period],
  ]);
}

interface Limit {
  key: BalanceKey;
  period: BudgetPeriod;
  limit: number;
}

/**
 * The limits of the budgets of a key and its user, each with its balance: the limit that resets last first, so that a
 * refusal names the time until which it lasts.
 */
function limitsOf(payer: Payer, keyBudget: Budget, userBudget: Budget): Limit[] {
  const budgets = [
    ["key", payer.key, keyBudget],
    ["user", payer.user, userBudget],
  ] as const;
  const periods = [
    ["total", TOTAL, "totalNano"],
    ["monthly", payer.month, "monthlyNano"],
    ["daily", payer.day, "dailyNano"],
  ] as const;
  return periods.flatMap(([period, name, field]) =>
    budgets.flatMap(([kind, id, { [field]: limit }]): Limit[] =>
      limit === null ? [] : [{ key: [kind, id, name], period, limit }],
    ),
  );
}

/** Balances as read, and what the group adds to them. */
export class GroupBalances {
  readonly #read = new Map<string, number>();
  readonly #changes = new Map<string, { key: BalanceKey; spent: number; reserved: number }>();

  /** Notes a row of `selectBalances`: kind, ID, period, spent plus reserved. */
  noteRead(row: readonly Cell[]): void {
    this.#read.set(nameOf(row.slice(0, 3)), Number(row[3]));
  }

  /** The first budget that has less left than the operation reserves; null when all have enough, as for a free call. */
  findFull({ row, keyBudget, userBudget }: Extract<LedgerOperation, { kind: "reserve" }>): FullBudget | null {
    const amount = numberIn(row, "reserved_nano");
    if (amount === 0) return null;
    const full = limitsOf(payerOf(row), keyBudget, userBudget).find(
      ({ key, limit }) => this.#used(key) + amount > limit,
    );
    return full ? { owner: full.key[0], period: full.period } : null;
  }

  /** Adds amounts to all balances of the payer. */
  add(payer: Payer, { spent = 0, reserved = 0 }: { spent?: number; reserved?: number }): void {
    if (spent === 0 && reserved === 0) return;
    for (const key of balancesOfPayer(payer)) {
      const change = this.#changes.get(nameOf(key));
      if (change) {
        change.spent += spent;
        change.reserved += reserved;
      } else {
        this.#changes.set(nameOf(key), { key, spent, reserved });
      }
    }
  }

  /** The rows of `addToBalances`. In a fixed order, so that two groups lock their rows in the same order. */
  rows(): Cell[][] {
    return [...this.#changes]
      .filter(([, change]) => change.spent !== 0 || change.reserved !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, change]) => [...change.key, change.spent, change.reserved]);
  }

  #used(key: BalanceKey): number {
    const change = this.#changes.get(nameOf(key));
    return (this.#read.get(nameOf(key)) ?? 0) + (change ? change.spent + change.reserved : 0);
  }
}

/** The balances whose limits reservations are checked against. */
export function limitedBalances(operations: readonly LedgerOperation[]): BalanceKey[] {
  return operations.flatMap((operation) =>
    operation.kind === "reserve"
      ? limitsOf(payerOf(operation.row), operation.keyBudget, operation.userBudget).map(({ key }) => key)
      : [],
  );
}

/** The balances that a group will change. */
export function changedBalances(
  operations: readonly LedgerOperation[],
  known: ReadonlyMap<string, KnownRow>,
  settled: ReadonlyMap<string, Cell[]>,
): BalanceKey[] {
  return operations.flatMap((operation) => {
    const { kind, row } = operation;
    if (kind === "reserve") return numberIn(row, "reserved_nano") === 0 ? [] : balancesOfPayer(payerOf(row));
    const id = textIn(row, "id");
    const before = known.get(id);
    const released = before?.isOpen && before.reserved !== 0 ? balancesOfPayer(before) : [];
    const wrong = settled.get(id);
    const counted = [...(kind === "cancel" ? [] : [row]), ...(wrong ? [wrong] : [])];
    const changed = counted.filter((one) => numberIn(one, "cost_nano") !== 0);
    return [...released, ...changed.flatMap((one) => balancesOfPayer(payerOf(one)))];
  });
}

/** Each balance once. In a fixed order, so that two groups lock their rows in the same order. */
export function inLockOrder(keys: readonly BalanceKey[]): BalanceKey[] {
  const byName = new Map(keys.map((key) => [nameOf(key), key]));
  return [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}
