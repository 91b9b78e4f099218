import { sql } from "kysely";
import type { CopySource } from "./copy-store";
import {
  BATCH_ROWS,
  type CopiedTable,
  countRows,
  type Db,
  firstOf,
  keyOf,
  list,
  namesOf,
  type Row,
  readBatch,
  unnested,
} from "./copy-tables";
import type { Cell } from "./ledger/rows";
import type { Tables } from "./schema";

/** What differs between the two stores; sums are those of the source. */
export interface Comparison {
  differences: { table: string; text: string }[];
  sums: Record<string, Record<string, string>>;
}

/** Columns whose sums are compared in addition to the rows. */
const SUMMED = {
  usage: ["cost_nano", "input_tokens", "output_tokens", "characters", "audio_ms"],
  balances: ["spent", "reserved"],
} as const satisfies Partial<Record<keyof Tables, readonly string[]>>;

/** Describes how the target's rows with the keys of this batch differ; null: they are equal. */
async function differenceOf(target: Db, table: CopiedTable, batch: readonly Row[]): Promise<string | null> {
  const { rows } = await sql<Row>`select ${list(namesOf(table))} from ${sql.table(table.name)}
    where (${list(table.key)}) in (${unnested(table, table.key, batch)})`.execute(target);
  const idOf = (row: Row) => JSON.stringify(keyOf(table, row));
  const found = new Map(rows.map((row) => [idOf(row), row]));
  for (const row of batch) {
    const copy = found.get(idOf(row));
    if (copy === undefined) return "a row is missing";
    // Values may be secret, so only columns are named.
    const columns = namesOf(table).filter((name) => (row[name] ?? null) !== (copy[name] ?? null));
    if (columns.length > 0) return `a row differs in ${columns.join(", ")}`;
  }
  return null;
}

async function compareTable(source: Db, target: Db, table: CopiedTable): Promise<string | null> {
  const [rows, copied] = [await countRows(source, table), await countRows(target, table)];
  if (rows !== copied) return `${rows} rows in the source, ${copied} in the copy`;
  let after: Cell[] | null = null;
  for (;;) {
    const batch: Row[] = await readBatch(source, table, after, BATCH_ROWS);
    const last = batch.at(-1);
    if (last === undefined) return null;
    const difference = await differenceOf(target, table, batch);
    if (difference !== null) return difference;
    after = keyOf(table, last);
  }
}

/** Exact sums, as decimal texts. */
async function sumsOf(db: Db, table: string, columns: readonly string[]): Promise<Record<string, string>> {
  const sums = columns.map(
    (name) => sql`cast(coalesce(sum(${sql.ref(name)}), 0) as text) as ${sql.ref(name)}`,
  );
  return (
    (await firstOf(db, sql<Record<string, string>>`select ${sql.join(sums)} from ${sql.table(table)}`)) ?? {}
  );
}

/** Compares the number of rows, every row, and the sums of the ledger and of its balances. */
export async function compareCopy(source: CopySource, target: Db): Promise<Comparison> {
  const comparison: Comparison = { differences: [], sums: {} };
  for (const table of source.tables) {
    const text = await compareTable(source.db, target, table);
    if (text !== null) comparison.differences.push({ table: table.name, text });
  }
  for (const [table, columns] of Object.entries(SUMMED)) {
    const [sums, copied] = [await sumsOf(source.db, table, columns), await sumsOf(target, table, columns)];
    comparison.sums[table] = sums;
    for (const name of columns.filter((one) => sums[one] !== copied[one])) {
      const text = `the sum of ${name} is ${sums[name]} in the source, ${copied[name]} in the copy`;
      comparison.differences.push({ table, text });
    }
  }
  return comparison;
}
