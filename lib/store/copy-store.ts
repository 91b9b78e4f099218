import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import { Pool } from "pg";
import type { Settings } from "../ports/store";
import { USAGE_ID_PREFIX } from "../ports/store/ledger";
import {
  BATCH_ROWS,
  type CopiedTable,
  copiedTables,
  countRows,
  type Db,
  firstOf,
  keyOf,
  list,
  namesOf,
  type Row,
  readBatch,
  tableNames,
  unnested,
} from "./copy-tables";
import { StartError } from "./errors";
import type { Cell } from "./ledger/rows";
import { MIGRATIONS } from "./migrations";
import { migratePostgres, patientConfig, UNFINISHED_COPY } from "./postgres/migrate";
import { addMonths } from "./postgres/partitions";
import { hostAndDatabaseOf } from "./postgres/session";
import { readSettings } from "./repositories/settings";
import type { Tables } from "./schema";
import { readDialect } from "./sqlite/dialect";
import { openUntouched } from "./sqlite/open-file";

/**
 * Copies a SQLite store to a PostgreSQL database. The target stores the progress of each table, in the same transaction
 * as the rows, so that an interrupted copy continues where it stopped. Until `finish`, no server starts on the target.
 */

export interface CopySource {
  db: Db;
  settings: Pick<Settings, "all">;
  tables: readonly CopiedTable[];
  /** Names of all tables, also of those that are not copied. */
  names: readonly string[];
  /** Hash of the first audit row, which no other installation has; null without rows. */
  installation: string | null;
  schemaVersion: number;
  /** A number that differs after another process has written to the file. */
  changes(): Promise<number>;
  close(): Promise<void>;
}

export interface CopyOptions {
  batchRows?: number;
  /** Called after each committed batch, and once for a table that was copied earlier. */
  onRows?(table: string, copied: number, total: number): void;
}

/** The progress of one table. */
interface Progress {
  /** The primary key of the last row copied; null: none yet. */
  after: Cell[] | null;
  rows: number;
  isDone: boolean;
}

interface CopyState {
  installation: string;
  version: number;
  /** JSON: a `Progress` by the table's name. */
  progress: string;
}

async function firstAuditHash(db: Db): Promise<string | null> {
  const row = await db.selectFrom("audit").select("hash").where("seq", "=", 1).executeTakeFirst();
  return row?.hash ?? null;
}

/** Opens a SQLite file of this version's schema, without ever changing it. */
export async function openCopySource(file: string): Promise<CopySource> {
  const connection = openUntouched(file);
  const db: Db = new Kysely<Tables>({ dialect: readDialect(connection) });
  const pragma = async (name: string) =>
    Number(Object.values((await firstOf(db, sql<Row>`pragma ${sql.raw(name)}`)) ?? {})[0]);
  try {
    return {
      db,
      settings: readSettings(db),
      tables: await copiedTables(db),
      names: await tableNames(db),
      installation: await firstAuditHash(db),
      schemaVersion: await pragma("user_version"),
      changes: () => pragma("data_version"),
      async close() {
        await db.destroy();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** When the oldest entry that belongs to a monthly partition arrived; undefined: no such entry. */
async function oldestPartitionedAt(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom("usage")
    .select("at")
    .where("id", ">=", USAGE_ID_PREFIX)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/**
 * Migrates the target and marks it as an unfinished copy, or finds that mark of an earlier run. Throws StartError when
 * the target is in use. Returns whether a copy continues.
 */
export async function beginCopy(source: CopySource, installation: string, url: string): Promise<boolean> {
  const where = `The database ${hostAndDatabaseOf(url)}`;
  let isContinued = false;
  const oldestAt = await oldestPartitionedAt(source.db);
  await migratePostgres(url, Date.now(), async (query) => {
    await addMonths(query, Date.now(), oldestAt);
    const [mark] = await query(`select to_regclass('${UNFINISHED_COPY}') is not null as found`);
    if (mark?.found === true) {
      const [state] = await query(`select installation, version from ${UNFINISHED_COPY}`);
      if (state?.installation !== installation)
        throw new StartError(
          `${where} contains an unfinished copy of another installation. Use an empty database.`,
        );
      if (state.version !== MIGRATIONS.length)
        throw new StartError(
          `${where} contains an unfinished copy made by another version of Patchbay. Drop and create it, then run this again.`,
        );
      isContinued = true;
      return;
    }
    const [first] = await query("select hash from audit where seq = 1");
    if (first?.hash === installation)
      throw new StartError(
        `${where} already contains this installation. To copy it again, use an empty database.`,
      );
    for (const name of source.names) {
      const [row] = await query(`select 1 from "${name}" limit 1`);
      if (row) throw new StartError(`${where} contains another installation. Use an empty database.`);
    }
    await query(
      `create table ${UNFINISHED_COPY} (id bigint primary key check (id = 1), installation text not null,
        version bigint not null, progress text not null)`,
    );
    await query(
      `insert into ${UNFINISHED_COPY} (id, installation, version, progress) values (1, $1, $2, '{}')`,
      [installation, MIGRATIONS.length],
    );
  });
  return isContinued;
}

/** Opens the database of a copy; end it with `destroy`. */
export function openCopyTarget(url: string): Db {
  const pool = new Pool({ ...patientConfig(url), max: 1 });
  // Without a listener, a lost connection would end the process; the query that was using it reports the cause.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

async function readProgress(target: Db): Promise<string> {
  const state = await firstOf(target, sql<CopyState>`select * from ${sql.table(UNFINISHED_COPY)}`);
  if (state === undefined) throw new Error("The target is not an unfinished copy.");
  return state.progress;
}

/**
 * Replaces the stored progress. Throws StartError when it is no longer `before`, which this process last read or wrote:
 * another process is copying.
 */
async function saveProgress(tx: Transaction<Tables>, before: string, after: string): Promise<void> {
  const { numAffectedRows } =
    await sql`update ${sql.table(UNFINISHED_COPY)} set progress = ${after} where progress = ${before}`.execute(
      tx,
    );
  if (numAffectedRows !== 1n)
    throw new StartError("Another migrate-store is already copying to this database.");
}

async function insertBatch(tx: Transaction<Tables>, table: CopiedTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const names = namesOf(table);
  const guard = (verb: string) =>
    sql`alter table audit ${sql.raw(verb)} trigger audit_only_keyed`.execute(tx);
  // The trigger rejects rows without a keyed hash; a copy includes such rows, from before the key, unchanged.
  if (table.name === "audit") await guard("disable");
  await sql`insert into ${sql.table(table.name)} (${list(names)}) ${unnested(table, names, rows)}`.execute(
    tx,
  );
  if (table.name === "audit") await guard("enable");
}

/** Copies the rows that the target does not have yet. */
export async function copyTables(source: CopySource, target: Db, options: CopyOptions = {}): Promise<void> {
  const { batchRows = BATCH_ROWS, onRows = () => undefined } = options;
  let text = await readProgress(target);
  for (const table of source.tables) {
    const total = await countRows(source.db, table);
    // Written by `saveProgress` only.
    const all = JSON.parse(text) as Record<string, Progress>;
    let progress: Progress = all[table.name] ?? { after: null, rows: 0, isDone: false };
    if (progress.isDone) onRows(table.name, progress.rows, total);
    while (!progress.isDone) {
      const batch = await readBatch(source.db, table, progress.after, batchRows);
      const last = batch.at(-1);
      progress = {
        after: last === undefined ? progress.after : keyOf(table, last),
        rows: progress.rows + batch.length,
        isDone: batch.length < batchRows,
      };
      const next = JSON.stringify({ ...all, [table.name]: progress });
      const before = text;
      await target.transaction().execute(async (tx) => {
        // First, because it locks the progress: a second process fails here, and not at a row that already exists.
        await saveProgress(tx, before, next);
        await insertBatch(tx, table, batch);
      });
      text = next;
      onRows(table.name, progress.rows, total);
    }
  }
  // The planner has no statistics of new rows until autovacuum runs.
  for (const table of source.tables) await sql`analyze ${sql.table(table.name)}`.execute(target);
}

/** Removes the mark of an unfinished copy: from now on, servers may start on the target. */
export async function finishCopy(target: Db): Promise<void> {
  await sql`drop table ${sql.table(UNFINISHED_COPY)}`.execute(target);
}
