import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import type { Store } from "../../../lib/ports/store";
import { workerFile } from "../../../lib/server/process/workers";
import { openStore } from "../../../lib/store/open";
import { SYSTEM_CLOCK } from "../../support/factories";
import { startAudit, type TestDatabase } from "./test-database";

export interface SqliteDatabase extends TestDatabase {
  file: string;
}

/** A separate folder with one SQLite file. */
export async function newSqliteDatabase(): Promise<SqliteDatabase> {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-store-"));
  const file = path.join(folder, "patchbay.db");
  const stores: Store[] = [];
  return {
    kind: "sqlite",
    file,
    async open({ instanceId = randomUUID(), clock = SYSTEM_CLOCK } = {}) {
      const store = await openStore({
        databaseUrl: `file:${file}`,
        storeWorker: workerFile("store"),
        instanceId,
        clock,
        timeZone: "UTC",
      });
      stores.push(store);
      await startAudit(store);
      return store;
    },
    async raw(sql) {
      const database = new Database(file);
      try {
        database.exec("pragma busy_timeout = 1000");
        database.exec("pragma foreign_keys = off");
        const statement = database.prepare(sql);
        if (statement.reader) return statement.raw(true).all() as unknown[][];
        statement.run();
        return [];
      } finally {
        database.close();
      }
    },
    async remove() {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
