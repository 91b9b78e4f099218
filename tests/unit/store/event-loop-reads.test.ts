import Database from "libsql";
import { expect, test, vi } from "vitest";
import { Connection } from "../../../lib/store/sqlite/connection";
import { newSqliteDatabase } from "../../contracts/store/sqlite-database";

// Resolved alerts stay for 90 days, and every page of an administrator asks for the open ones.
test("open alerts are read through their own index", async () => {
  const database = await newSqliteDatabase();
  const raw = new Database(database.file);
  try {
    const { alerts } = await database.open();
    const asked = vi.spyOn(Connection.prototype, "query");
    await alerts.open();
    const statement = asked.mock.calls.map(([text]) => text).find((text) => text.includes('"alerts"'));
    const plan = JSON.stringify(raw.prepare(`explain query plan ${statement}`).all());
    expect(plan).toContain("USING INDEX alerts_open");
  } finally {
    raw.close();
    await database.remove();
  }
});

// Callers choose request IDs, so a million entries may have the same one, and all are read to find the newest.
test("entries of a request ID are not read on the event loop", async () => {
  const database = await newSqliteDatabase();
  try {
    const { ledger } = await database.open();
    const asked = vi.spyOn(Connection.prototype, "query");
    expect(await ledger.findByRequest("constant")).toBeNull();
    expect(asked.mock.calls.filter(([text]) => text.includes("request_id"))).toEqual([]);
  } finally {
    await database.remove();
  }
});
