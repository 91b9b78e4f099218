import type { Budget } from "../ports/store";

/** 1: yes. */
export type Flag = 0 | 1;

type AnyColumn = string | { flag: string } | { json: string };
/** The column of a field: its name alone for an unchanged value, else also how the value is stored. */
type Column<Value> = [Value] extends [boolean]
  ? { flag: string }
  : [Value] extends [string | number | null]
    ? string
    : { json: string };
type Columns<Fields> = { readonly [Field in keyof Fields]: Column<Fields[Field]> };

type NameOf<C> = C extends string ? C : C extends { flag: infer N } | { json: infer N } ? N & string : never;
type CellOf<Value, C> = C extends string ? Value : C extends { flag: string } ? Flag : string;
type Row<Fields, C extends Columns<Fields>> = {
  [Field in keyof Fields as NameOf<C[Field]>]: CellOf<Fields[Field], C[Field]>;
};

/** Translates between records and rows. Leaves out fields and columns that the mapping does not name. */
interface Mapping<Fields, C extends Columns<Fields>> {
  toRow(record: Fields): Row<Fields, C>;
  /** Leaves out the columns of undefined fields. */
  toRow(patch: Partial<Fields>): Partial<Row<Fields, C>>;
  toRecord(row: Row<Fields, C>): Fields;
}

/** The row that a mapping reads. */
export type RowOf<M extends { toRecord(row: never): unknown }> = Parameters<M["toRecord"]>[0];

/**
 * Maps the fields of a record to columns:
 * `columnsOf<KeyRecord>()({ ownerId: "owner_id", enabled: { flag: "enabled" } })`.
 */
export function columnsOf<Fields extends object>() {
  return <const C extends Columns<Fields>>(columns: C): Mapping<Fields, C> => {
    // The types above describe each field; a loop over the fields knows none of them.
    const entries = Object.entries(columns as Readonly<Record<string, AnyColumn>>);
    return {
      toRow(record: object) {
        const values = record as Record<string, unknown>;
        const row: Record<string, unknown> = {};
        for (const [field, column] of entries) {
          const value = values[field];
          if (value === undefined) continue;
          if (typeof column === "string") row[column] = value;
          else if ("flag" in column) row[column.flag] = value ? 1 : 0;
          else row[column.json] = JSON.stringify(value);
        }
        return row as Row<Fields, C> & Partial<Row<Fields, C>>;
      },
      toRecord(row) {
        const cells = row as Record<string, unknown>;
        const record: Record<string, unknown> = {};
        for (const [field, column] of entries) {
          if (typeof column === "string") record[field] = cells[column];
          else if ("flag" in column) record[field] = cells[column.flag] === 1;
          else record[field] = fromJson(String(cells[column.json]));
        }
        return record as Fields;
      },
    };
  };
}

/**
 * Replaces NUL and unpaired surrogates with U+FFFD: PostgreSQL's text cannot hold NUL, some SQLite functions stop at
 * it, and a surrogate has no UTF-8. Applied to stored values and to search values alike.
 */
export function storable(text: string): string {
  // Nearly every text is valid, and V8 knows that of Latin-1 text without reading it.
  if (text.isWellFormed() && !text.includes("\0")) return text;
  return text.replace(/\0|\p{Surrogate}/gu, "\ufffd");
}

/** Parses the JSON of a column that is written from a value of this type only. */
export function fromJson<T>(text: string): T {
  return JSON.parse(text) as T;
}

/** Budgets in nano-dollars; null: none. */
export interface BudgetColumns {
  budget_total: number | null;
  budget_daily: number | null;
  budget_monthly: number | null;
}

export function budgetColumns(budget: Budget): BudgetColumns;
export function budgetColumns(budget: Budget | undefined): Partial<BudgetColumns>;
export function budgetColumns(budget: Budget | undefined): Partial<BudgetColumns> {
  if (budget === undefined) return {};
  return {
    budget_total: budget.totalNano,
    budget_daily: budget.dailyNano,
    budget_monthly: budget.monthlyNano,
  };
}

export function toBudget(row: BudgetColumns): Budget {
  return { totalNano: row.budget_total, dailyNano: row.budget_daily, monthlyNano: row.budget_monthly };
}
