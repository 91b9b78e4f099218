import { type Kysely, sql } from "kysely";
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
