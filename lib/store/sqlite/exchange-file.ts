import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import Database from "libsql";

/** What SQLite keeps beside a database whose last changes are not in it yet. */
const SIDES = ["-wal", "-shm"] as const;

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

/** Brings every change of the log into the file itself; false when a reader or a fault stands in the way. */
export function foldIn(file: string): boolean {
  try {
    return withDatabase(file, (database) => {
      database.exec("pragma busy_timeout = 2000");
      return firstNumber(database, "pragma wal_checkpoint(truncate)") === 0;
    });
  } catch {
    return false;
  }
}

/** A name beside `file` that nothing has: `….before-restore`, `….before-restore-2`, … */
function freeName(file: string): string {
  const first = `${file}.before-restore`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (![name, ...SIDES.map((side) => name + side)].some((one) => existsSync(one))) return name;
  }
}

function flush(place: string): void {
  const handle = openSync(place, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Copies a backup, with the log beside it if there is one, to a draft that only this user can read. */
export function copyToDraft(source: string, draft: string): void {
  dropFile(draft);
  for (const part of ["", "-wal"]) {
    if (part !== "" && !existsSync(source + part)) continue;
    // Created first, so that it has its mode from the first byte on.
    closeSync(openSync(draft + part, "wx", 0o600));
    copyFileSync(source + part, draft + part);
  }
}

/** Removes a database with what stands beside it. */
export function dropFile(file: string): void {
  for (const one of [file, ...SIDES.map((side) => file + side)]) rmSync(one, { force: true });
}

/**
 * Puts `draft`, which stands alone, in the place of `file` and keeps what stood there; tells under which name, null when nothing did. At
 * every moment a whole database stands at `file`: a crash never leaves an empty place, which a server would take
 * for an instance that nobody has set up.
 */
export function exchangeFile(draft: string, file: string): string | null {
  flush(draft);
  let kept: string | null = null;
  if (existsSync(file)) {
    kept = freeName(file);
    foldIn(file);
    linkSync(file, kept);
  }
  // Whoever still has the old file open goes on with these; left here they would be played into the new one.
  for (const side of SIDES) {
    if (!existsSync(file + side)) continue;
    if (kept === null) rmSync(file + side);
    else renameSync(file + side, kept + side);
  }
  renameSync(draft, file);
  flush(path.dirname(file));
  return kept;
}
