import { chmodSync, closeSync, openSync, readSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { DamageError, isBusy, isDamage, StartError } from "../errors";
import { makeDirectory } from "../make-directory";
import { MIGRATIONS, newerSchemaMessage } from "../migrations";
import { Connection } from "./connection";

const HEADER = "SQLite format 3\0";
const PRIVATE_FILE = 0o600;
/** How long a start waits for another process that migrates. */
const START_WAIT_MS = 30_000;
const RETRY_MS = 10;

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function damaged(file: string, finding: string, cause?: unknown): DamageError {
  return new DamageError(
    `The store ${file} is damaged (${finding}). It was not changed. ` +
      "Restore a backup with: npm run admin -- restore <backup file>",
    { cause },
  );
}

function notWritable(file: string, cause: unknown, advice = ""): StartError {
  return new StartError(`The store ${file} cannot be opened for writing (${wordsOf(cause)}).${advice}`, {
    cause,
  });
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Retries while another process holds the lock. Blocks, so only for worker threads. */
function retryWhileLocked<T>(work: () => T): T {
  const deadline = performance.now() + START_WAIT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      sleep(RETRY_MS * (0.5 + Math.random()));
    }
  }
}

/** Creates the file (0600) and its folder if missing; false when the file is empty. */
function readyFile(file: string): boolean {
  const header = Buffer.alloc(HEADER.length);
  let length = 0;
  try {
    makeDirectory(path.dirname(file));
    const handle = openSync(file, "a+", PRIVATE_FILE);
    try {
      length = readSync(handle, header, 0, header.length, 0);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    throw notWritable(file, error, " It must be a file in a directory that this user may write to.");
  }
  if (length === 0) return false;
  if (header.toString("latin1") !== HEADER) throw damaged(file, "its header is not SQLite's");
  return true;
}

function firstValue(connection: Connection, sql: string): unknown {
  return connection.cells(sql, [])[0]?.[0];
}

function check(connection: Connection, file: string): void {
  const findings: string[] = [];
  try {
    for (const row of connection.cells("pragma quick_check(5)", [])) findings.push(String(row[0]));
    for (const row of connection.cells("pragma foreign_key_check", [])) {
      findings.push(`a row of ${row[0]} refers to a missing row of ${row[2]}`);
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw damaged(file, wordsOf(error), error);
  }
  const bad = findings.filter((finding) => finding !== "ok");
  if (bad.length > 0) throw damaged(file, bad.slice(0, 5).join("; "));
}

/** Migrates in one transaction: a second process then finds the version of the first, and does nothing. */
function migrate(connection: Connection): void {
  connection.transaction(() => {
    const version = Number(firstValue(connection, "pragma user_version"));
    if (version > MIGRATIONS.length) throw new StartError(newerSchemaMessage(version));
    for (const migration of MIGRATIONS.slice(version)) {
      for (const statement of migration("sqlite")) connection.exec(statement);
    }
    // Written even when nothing changed: a start must fail on a store that takes no writes.
    connection.exec(`pragma user_version = ${MIGRATIONS.length}`);
  });
}

function connect(file: string): Connection {
  const connection = new Connection(new Database(file));
  // The schema of a backup is checked before it is opened; ours needs only SQLite's safe functions.
  connection.exec("pragma trusted_schema = off");
  // Short, because the thread is blocked meanwhile; the caller retries.
  connection.exec("pragma busy_timeout = 5");
  return connection;
}

/** Opens a file that `prepareFile` has prepared, for writing. */
export function openForWriting(file: string): Connection {
  const connection = connect(file);
  connection.exec("pragma synchronous = full");
  connection.exec("pragma foreign_keys = on");
  connection.exec("pragma recursive_triggers = on");
  // 4 MB: with a million entries, commits take as much CPU as with 16 MB, since the system caches the file's pages too.
  connection.exec("pragma cache_size = -4000");
  // 16 MB: the commit that fills the log also copies it to the file, which takes some 3 ms. With SQLite's default of 4
  // MB that would be every 80th commit.
  connection.exec("pragma wal_autocheckpoint = 4000");
  // 64 MB: while a copy is being written the log cannot be reset and grows; afterwards it would keep that size.
  connection.exec("pragma journal_size_limit = 67108864");
  // Zeroes deleted text in pages that are written anyway: a replaced secret must not stay in the file.
  connection.exec("pragma secure_delete = fast");
  return connection;
}

/** Opens a file that `prepareFile` has prepared, read-only. */
export function openForReading(file: string): Connection {
  const connection = connect(file);
  connection.exec("pragma busy_timeout = 25");
  connection.exec("pragma query_only = on");
  return connection;
}

/** Opens a file of a known schema read-only, since even closing a writable connection may write to it (checkpoint). */
export function openUntouched(file: string): Connection {
  const connection = new Connection(new Database(file, { readonly: true }));
  for (const pragma of [
    "trusted_schema = off",
    "cell_size_check = on",
    "busy_timeout = 25",
    "query_only = on",
  ])
    connection.exec(`pragma ${pragma}`);
  return connection;
}

/**
 * Creates or checks the file, migrates its schema and opens it for writing. Throws an error with code `STORE_START`
 * whose message says what the operator has to do; a damaged file is not changed.
 */
export function prepareFile(file: string): Connection {
  const isUsed = readyFile(file);
  let connection: Connection | undefined;
  try {
    connection = connect(file);
    const opened = connection;
    opened.exec("pragma cell_size_check = on");
    if (isUsed) retryWhileLocked(() => check(opened, file));
    retryWhileLocked(() => opened.exec("pragma journal_mode = wal"));
    chmodSync(file, PRIVATE_FILE);
    opened.exec("pragma synchronous = full");
    retryWhileLocked(() => migrate(opened));
    opened.close();
    return openForWriting(file);
  } catch (error) {
    connection?.close();
    if (error instanceof StartError) throw error;
    throw isDamage(error) ? damaged(file, wordsOf(error), error) : notWritable(file, error);
  }
}
