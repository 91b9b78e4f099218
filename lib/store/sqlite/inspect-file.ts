import { closeSync, existsSync, openSync, readSync } from "node:fs";
import Database from "libsql";
import type { BillingPeriod } from "../../ports/billing-period";
import { type AccountRows, accountQueries, toAccountRows } from "../account-rows";
import { MIGRATIONS, newerSchemaMessage } from "../migrations";
import type { InstanceTable } from "../schema";

/** Reads SQLite files that may be damaged or foreign, before the store opens them. */

const HEADER = "SQLite format 3\0";
/** Most differences named in an error; a file of another program has many. */
const MAX_NAMED = 3;

/** One entry of `sqlite_master`; `sql` is null for an index that a constraint makes. */
interface SchemaEntry {
  type: string;
  name: string;
  tbl_name: string;
  sql: string | null;
}

/** Opens the file read-only for `work`. Unsafe functions and virtual tables in its schema are not run. */
function inspect<T>(file: string, work: (database: Database.Database) => T): T {
  const database = new Database(file, { readonly: true });
  try {
    for (const pragma of ["trusted_schema = off", "cell_size_check = on", "query_only = on"]) {
      database.exec(`pragma ${pragma}`);
    }
    return work(database);
  } finally {
    database.close();
  }
}

/** Runs a query; the caller names the type of its rows. */
function rowsOf<T>(database: Database.Database, sql: string): T[] {
  return database.prepare(sql).all() as T[];
}

function versionOf(database: Database.Database): number {
  const [row] = rowsOf<{ user_version: number }>(database, "pragma user_version");
  return row?.user_version ?? 0;
}

function schemaIn(database: Database.Database): Map<string, SchemaEntry> {
  const entries = rowsOf<SchemaEntry>(database, "select type, name, tbl_name, sql from sqlite_master");
  const byName = new Map(entries.map((entry) => [`${entry.type} '${entry.name}'`, entry]));
  // SQLite runs the statement of every row, so a second row of a name could hide a trigger.
  if (byName.size !== entries.length) throw new Error("Two entries of the schema have the same name.");
  return byName;
}

/** The schema that the migrations up to `version` make. */
function schemaOfVersion(version: number): Map<string, SchemaEntry> {
  const database = new Database(":memory:");
  try {
    for (const migration of MIGRATIONS.slice(0, version)) {
      for (const statement of migration("sqlite")) database.exec(statement);
    }
    return schemaIn(database);
  } finally {
    database.close();
  }
}

function isSame(found: SchemaEntry, expected: SchemaEntry): boolean {
  const plain = (sql: string | null) => sql?.replace(/\s+/g, " ").trim() ?? null;
  return found.tbl_name === expected.tbl_name && plain(found.sql) === plain(expected.sql);
}

/** Describes what is added, missing or different in the file's schema. */
function differencesOf(found: Map<string, SchemaEntry>, expected: Map<string, SchemaEntry>): string[] {
  const differences: string[] = [];
  for (const [name, entry] of found) {
    const own = expected.get(name);
    if (own === undefined) differences.push(`${name} is not Patchbay's`);
    else if (!isSame(entry, own)) differences.push(`${name} is defined differently`);
  }
  for (const name of expected.keys()) if (!found.has(name)) differences.push(`${name} is missing`);
  return differences;
}

/** True when the file has SQLite's header. */
function hasHeader(file: string): boolean {
  const bytes = Buffer.alloc(HEADER.length);
  const handle = openSync(file, "r");
  try {
    return (
      readSync(handle, bytes, 0, bytes.length, 0) === bytes.length && bytes.toString("latin1") === HEADER
    );
  } finally {
    closeSync(handle);
  }
}

/** Throws an Error with a message for the operator when there is no SQLite database at `file`. Does not open it. */
export function requireDatabaseFile(file: string): void {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`);
  let isDatabase: boolean;
  try {
    isDatabase = hasHeader(file);
  } catch (cause) {
    throw new Error(`${file} cannot be read (${cause instanceof Error ? cause.message : cause}).`, { cause });
  }
  if (!isDatabase) throw new Error(`${file} is not a SQLite database, or is damaged.`);
}

/**
 * Throws an Error with a message for the operator unless the file's schema is exactly what the migrations of its
 * version make. Reads nothing else. `name` is used in the message.
 */
export function requireOwnSchema(file: string, name: string): void {
  let version: number;
  let found: Map<string, SchemaEntry>;
  try {
    [version, found] = inspect(file, (database) => [versionOf(database), schemaIn(database)]);
  } catch (cause) {
    throw new Error(`${name} is not a SQLite database, or is damaged.`, { cause });
  }
  if (version > MIGRATIONS.length) throw new Error(newerSchemaMessage(version));
  if (version < 1) throw new Error(`${name} is a SQLite database, but not a Patchbay store.`);
  const differences = differencesOf(found, schemaOfVersion(version));
  if (differences.length === 0) return;
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : "";
  throw new Error(
    `${name} is not a Patchbay store: it has schema version ${version}, but ${differences.slice(0, MAX_NAMED).join("; ")}${more}. Nothing was changed.`,
  );
}

/** True for a store that an earlier version of Patchbay made and this one would migrate. */
export function hasEarlierSchema(file: string): boolean {
  if (!existsSync(file) || !hasHeader(file)) return false;
  const version = inspect(file, versionOf);
  return version > 0 && version < MIGRATIONS.length;
}

/** Copies a store as it is to a new file, also while a server runs on it. */
export function copyUnmigrated(file: string, target: string): void {
  inspect(file, (database) => {
    // SQLite treats a copy as a write.
    database.exec("pragma query_only = off");
    database.prepare("vacuum into ?").run([target]);
  });
}

/** The instances in this file; none when it cannot be read. */
export function readInstances(file: string): Pick<InstanceTable, "id" | "heartbeat_at">[] {
  if (!existsSync(file)) return [];
  try {
    return inspect(file, (database) => rowsOf(database, "select id, heartbeat_at from instances"));
  } catch {
    // A server refuses to start on a damaged store.
    return [];
  }
}

/** The rows that restoring a backup compares; null when the file is missing, damaged or not a store. */
export function readAccountRows(file: string, periods: BillingPeriod): AccountRows | null {
  if (!existsSync(file)) return null;
  const queries = Object.entries(accountQueries(periods));
  try {
    return inspect(file, (database) =>
      toAccountRows(Object.fromEntries(queries.map(([name, sql]) => [name, rowsOf(database, sql)]))),
    );
  } catch {
    return null;
  }
}
