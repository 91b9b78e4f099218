import { randomUUID } from "node:crypto";
import { Client, TypeOverrides } from "pg";
import type { Store } from "../../../lib/ports/store";
import { openStore } from "../../../lib/store/open";
import { SYSTEM_CLOCK } from "../../support/factories";
import type { TestPostgres } from "../../support/postgres";
import { startAudit, type TestDatabase } from "./test-database";

/** Parses `bigint` (type OID 20) and `numeric` (1700) as numbers. */
const types = new TypeOverrides();
types.setTypeParser(20, Number);
types.setTypeParser(1700, Number);

export interface PostgresDatabase extends TestDatabase {
  url: string;
}

/** A separate database on the test server: empty, or a copy of the database at `original`. */
export async function newPostgresDatabase(
  server: TestPostgres,
  original?: string,
): Promise<PostgresDatabase> {
  const url = await server.createDatabase(original);
  const stores: Store[] = [];
  return {
    kind: "postgres",
    url,
    async open({ instanceId = randomUUID(), clock = SYSTEM_CLOCK } = {}) {
      const store = await openStore({
        databaseUrl: url,
        // Only a SQLite store starts this worker.
        storeWorker: new URL("file:///dev/null"),
        instanceId,
        clock,
        timeZone: "UTC",
      });
      stores.push(store);
      await startAudit(store);
      return store;
    },
    async raw(sql) {
      const client = new Client({ connectionString: url, types });
      await client.connect();
      try {
        const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
        return rows;
      } finally {
        await client.end();
      }
    },
    async remove() {
      for (const store of stores) await store.close();
    },
  };
}

/** The URL of a database with all tables of a store and no instance rows. A test that copies it runs no migrations. */
export async function migratedDatabase(server: TestPostgres): Promise<string> {
  const database = await newPostgresDatabase(server);
  await database.open();
  await database.remove();
  await database.raw("delete from instances");
  return database.url;
}
