import { closeSync, copyFileSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { flush } from "../flush";
import { giveToOwnerOf } from "../folder-owner";
import { linkOrCopy } from "../link-or-copy";

/** Suffixes of the files beside a database, with changes that SQLite has not written into it yet. */
const SIDECAR_SUFFIXES = ["-wal", "-shm"] as const;

function withDatabase<T>(file: string, work: (database: Database.Database) => T): T {
  const database = new Database(file);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function firstNumber(database: Database.Database, sql: string): number {
  // One row with one number, by the statements below.
  const [row] = database.prepare(sql).all() as Record<string, unknown>[];
  return Number(Object.values(row ?? {})[0]);
}

/** Writes the changes in the log (WAL) into the file; false when a reader or an error prevents it. */
export function checkpoint(file: string): boolean {
  try {
    return withDatabase(file, (database) => {
      database.exec("pragma busy_timeout = 2000");
      return firstNumber(database, "pragma wal_checkpoint(truncate)") === 0;
    });
  } catch {
    return false;
  }
}

/** An unused name beside `file`: `….before-restore`, `….before-restore-2`, … */
function freeName(file: string): string {
  const first = `${file}.before-restore`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (![name, ...SIDECAR_SUFFIXES.map((side) => name + side)].some((one) => existsSync(one))) return name;
  }
}

/** Copies a backup, and its log if there is one, to a draft that only this user can read. */
export function copyToDraft(source: string, draft: string): void {
  dropFile(draft);
  for (const part of ["", "-wal"]) {
    if (part !== "" && !existsSync(source + part)) continue;
    // Created first, so that it never has another mode.
    closeSync(openSync(draft + part, "wx", 0o600));
    copyFileSync(source + part, draft + part);
  }
}

/** Removes a database and the files beside it. */
export function dropFile(file: string): void {
  for (const one of [file, ...SIDECAR_SUFFIXES.map((side) => file + side)]) rmSync(one, { force: true });
}

/**
 * Replaces `file` with `draft`, which has no files beside it, and keeps the old database; returns its new name, null
 * when there was none. As root, the new file belongs to the owner of the folder. There is a complete database at `file`
 * at every moment: after a crash a server must not find it missing and start initial setup.
 */
export function exchangeFile(draft: string, file: string): string | null {
  giveToOwnerOf(path.dirname(file), draft);
  flush(draft);
  let kept: string | null = null;
  if (existsSync(file)) {
    kept = freeName(file);
    checkpoint(file);
    linkOrCopy(file, kept);
  }
  // Processes that have the old file open continue to use these files. Under the old names, SQLite would apply them to
  // the new file.
  for (const side of SIDECAR_SUFFIXES) {
    if (!existsSync(file + side)) continue;
    if (kept === null) rmSync(file + side);
    else renameSync(file + side, kept + side);
  }
  renameSync(draft, file);
  flush(path.dirname(file));
  return kept;
}
