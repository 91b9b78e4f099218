import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Cell } from "./ledger/rows";
import type { Tables } from "./schema";

/** Tables that a copy of a store leaves out, and why. */
export const NOT_COPIED: Readonly<Partial<Record<keyof Tables, string>>> = {
  instances: "heartbeats of the processes that run on the old store",
  revisions: "the change feed between running processes; it starts again with the first one",
};

/** A table as a copy needs it. */
export interface CopiedTable {
  name: string;
  columns: readonly { name: string; type: "text" | "bigint" }[];
  /** The columns of the primary key, in its order. */
  key: readonly string[];
}

interface Described extends CopiedTable {
  /** Tables that its foreign keys refer to. */
  references: readonly string[];
}

/** Names of all tables of a SQLite store. */
export async function tableNames(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master
    where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`.execute(db);
  return rows.map(({ name }) => name);
}

async function describe(db: Kysely<Tables>, name: string): Promise<Described> {
  const columns = await sql<{
    name: string;
    type: string;
    pk: number;
  }>`pragma table_info(${sql.table(name)})`.execute(db);
  const references = await sql<{ table: string }>`pragma foreign_key_list(${sql.table(name)})`.execute(db);
  const key = columns.rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key, so it cannot be copied.`);
  return {
    name,
    columns: columns.rows.map((column) => ({ name: column.name, type: typeOf(name, column) })),
    key: key.map((column) => column.name),
    references: references.rows.map(({ table }) => table).filter((table) => table !== name),
  };
}

function typeOf(table: string, column: { name: string; type: string }): "text" | "bigint" {
  const type = column.type.toLowerCase();
  if (type === "text" || type === "bigint") return type;
  throw new Error(`${table}.${column.name} has the type ${column.type}; a store has text and bigint only.`);
}

/** The tables of a SQLite store that a copy contains, each after the tables that it refers to. Read from its schema. */
export async function copiedTables(db: Kysely<Tables>): Promise<CopiedTable[]> {
  let waiting: Described[] = [];
  for (const name of await tableNames(db)) if (!(name in NOT_COPIED)) waiting.push(await describe(db, name));
  const ordered: Described[] = [];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const free = waiting.filter(({ references }) => !references.some((one) => names.has(one)));
    if (free.length === 0) throw new Error(`Tables refer to each other: ${[...names].join(", ")}.`);
    ordered.push(...free);
    waiting = waiting.filter((table) => !free.includes(table));
  }
  return ordered.map(({ references: _, ...table }) => table);
}

// The rows of a copied table, in batches; the copy and its comparison read them in the same way.

/** Rows read and written at once. The largest have 16 KiB of text (prompts). */
export const BATCH_ROWS = 1_000;

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
