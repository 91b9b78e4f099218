import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CopiedTable } from "./copy-tables";
import type { Cell } from "./ledger/rows";
import type { Tables } from "./schema";

/** Reads and names the rows of a table that is copied, in batches; the same for the copy and for its comparison. */

/** Rows read and written at once. The largest have 16 KiB of text (prompts). */
export const ROWS_AT_ONCE = 1_000;

export type Db = Kysely<Tables>;
export type Row = Record<string, Cell>;

export const list = (names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql.ref(name)));
export const namesOf = ({ columns }: CopiedTable): string[] => columns.map(({ name }) => name);

export async function firstOf<T>(db: Db, query: RawBuilder<T>): Promise<T | undefined> {
  return (await query.execute(db)).rows[0];
}

/** The rows after a primary key, in its order. */
export async function readBatch(
  db: Db,
  table: CopiedTable,
  after: Cell[] | null,
  limit: number,
): Promise<Row[]> {
  const where = after === null ? sql`` : sql`where (${list(table.key)}) > (${sql.join(after)})`;
  const { rows } = await sql<Row>`select ${list(namesOf(table))} from ${sql.table(table.name)} ${where}
    order by ${list(table.key)} limit ${limit}`.execute(db);
  return rows;
}

export const keyOf = (table: CopiedTable, row: Row): Cell[] => table.key.map((name) => row[name] ?? null);

/** One array parameter for each of these columns, as a row set. */
export function unnested(
  table: CopiedTable,
  names: readonly string[],
  rows: readonly Row[],
): RawBuilder<unknown> {
  const arrays = table.columns
    .filter(({ name }) => names.includes(name))
    .sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
    .map(({ name, type }) => {
      const cells = rows.map((row) => row[name] ?? null);
      return sql`cast(${cells} as ${sql.raw(`${type}[]`)})`;
    });
  return sql`select * from unnest(${sql.join(arrays)})`;
}

export async function countRows(db: Db, table: CopiedTable): Promise<number> {
  return (
    (await firstOf(db, sql<{ rows: number }>`select count(*) as rows from ${sql.table(table.name)}`))?.rows ??
    0
  );
}
