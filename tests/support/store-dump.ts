import { createHash } from "node:crypto";
import path from "node:path";
import Database from "libsql";

/** Tables that change without a caller's action: heartbeats, revisions that only invalidate caches, refused requests. */
const VOLATILE_TABLES = new Set(["instances", "revisions", "rejections"]);

/** Columns that are written some seconds after the event. */
const LATE_COLUMNS = new Set(["last_used_at", "last_seen_at"]);

/** A digest of every row of every table of an instance's SQLite file; equal digests mean an unchanged store. */
export function digestStore(dataDirectory: string): string {
  const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
  try {
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
      )
      .all() as { name: string }[];
    const hash = createHash("sha256");
    for (const { name } of tables.filter((table) => !VOLATILE_TABLES.has(table.name))) {
      const rows = database.prepare(`select * from "${name}"`).all();
      hash
        .update(name)
        .update(JSON.stringify(rows, (column, value) => (LATE_COLUMNS.has(column) ? null : value)));
    }
    return hash.digest("hex");
  } finally {
    database.close();
  }
}
