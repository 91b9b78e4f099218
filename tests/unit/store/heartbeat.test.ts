import { Worker } from "node:worker_threads";
import Database from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newSqliteDatabase, type SqliteDatabase } from "../../contracts/store/sqlite-database";
import { NOW } from "../../support/factories";

let database: SqliteDatabase;
beforeEach(async () => {
  database = await newSqliteDatabase();
});
afterEach(() => database.remove());

// The lock of a transaction in several messages is kept while this thread is busy, and other processes wait for it.
test("a heartbeat is one message to the writer", async () => {
  const { ledger } = await database.open({ instanceId: "one" });
  const sent = vi.spyOn(Worker.prototype, "postMessage");
  await ledger.heartbeat(NOW);
  const kinds = sent.mock.calls.map(([message]) => message.request.kind);
  expect(kinds.filter((kind) => kind !== "version")).toEqual(["write"]);
  expect(await ledger.instances(NOW)).toMatchObject([{ id: "one", heartbeatAt: NOW }]);
});

test("a heartbeat waits while another process holds the lock, up to a second", async () => {
  const { ledger } = await database.open({ instanceId: "one" });
  const other = new Database(database.file);
  try {
    other.exec("begin immediate");
    const written = ledger.heartbeat(NOW);
    await new Promise((resolve) => setTimeout(resolve, 200));
    other.exec("rollback");
    await written;
    other.exec("begin immediate");
    await expect(ledger.heartbeat(NOW + 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    other.exec("rollback");
  } finally {
    other.close();
  }
  expect(await ledger.instances(NOW)).toMatchObject([{ heartbeatAt: NOW }]);
});
