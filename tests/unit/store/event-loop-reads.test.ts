import Database from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { Connection } from "../../../lib/store/sqlite/connection";
import { WorkerClient } from "../../../lib/store/sqlite/worker-client";
import { newSqliteDatabase, type SqliteDatabase } from "../../contracts/store/sqlite-database";

let database: SqliteDatabase;
let store: Store;
beforeEach(async () => {
  database = await newSqliteDatabase();
  store = await database.open();
});
afterEach(() => database.remove());

// Resolved alerts stay for 90 days, and every page of an administrator counts the open ones.
test("open alerts are read through their own index", async () => {
  const raw = new Database(database.file);
  try {
    const asked = vi.spyOn(WorkerClient.prototype, "request");
    await store.alerts.open();
    await store.alerts.countOpen();
    const statements = asked.mock.calls.flatMap(([request]) =>
      request.kind === "query" && request.sql.includes("alerts") ? request.sql : [],
    );
    expect(statements).toHaveLength(2);
    for (const statement of statements) {
      const plan = raw.prepare(`explain query plan ${statement}`).all();
      expect(JSON.stringify(plan)).toContain("USING INDEX alerts_open");
    }
  } finally {
    raw.close();
  }
});

test("a search computes the text of a row once, however many spellings it looks for", async () => {
  const raw = new Database(database.file);
  try {
    const asked = vi.spyOn(WorkerClient.prototype, "request");
    for (const q of ["ab", "éb"]) await store.users.list({ limit: 9, cursor: null, q });
    const joins = asked.mock.calls.flatMap(([request]) => {
      if (request.kind !== "query" || !request.sql.includes("like")) return [];
      const steps = raw.prepare(`explain ${request.sql}`).all();
      return JSON.stringify(steps).match(/"Concat"/g)?.length ?? 0;
    });
    expect(joins).toHaveLength(2);
    expect(joins[1]).toBe(joins[0]);
  } finally {
    raw.close();
  }
});

/** Rows are read on the event loop only where an index bounds their number. */
test.each<[string, RegExp, (store: Store) => Promise<unknown>]>([
  // Callers choose request IDs, so a million entries may have the same one, and all are read to find the newest.
  ["entries of a request ID", /request_id/, ({ ledger }) => ledger.findByRequest("constant")],
  ["open alerts", /alerts/, ({ alerts }) => alerts.open()],
  ["numbers of open alerts", /alerts/, ({ alerts }) => alerts.countOpen()],
  ["keys of a search", /keys/, ({ keys }) => keys.list({ limit: 9, cursor: null, q: "ab", ownerId: null })],
  ["users of a search", /users/, ({ users }) => users.list({ limit: 9, cursor: null, q: "ab" })],
])("%s are not read on the event loop", async (_what, table, read) => {
  const asked = vi.spyOn(Connection.prototype, "query");
  await read(store);
  expect(asked.mock.calls.filter(([text]) => table.test(text))).toEqual([]);
});
