import { Worker } from "node:worker_threads";
import Database from "libsql";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RejectionRecord, Store } from "../../../lib/ports/store";
import { newSqliteDatabase, type SqliteDatabase } from "../../contracts/store/sqlite-database";
import { NOW } from "../../support/factories";

const REJECTED: RejectionRecord = {
  minute: NOW - (NOW % 60_000),
  keyId: null,
  userId: null,
  model: null,
  error: "invalid",
  limit: null,
  calls: 1,
  at: NOW,
  requestId: "req_1",
  status: 400,
  message: "Must be text.",
  retryAfterS: null,
  address: null,
};

let database: SqliteDatabase;
beforeEach(async () => {
  database = await newSqliteDatabase();
});
afterEach(() => database.remove());

/** The kinds of the messages to the writer. */
async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
  const sent = vi.spyOn(Worker.prototype, "postMessage");
  await work();
  return sent.mock.calls.map(([message]) => message.request.kind).filter((kind) => kind !== "version");
}

// A transaction that takes several messages keeps its lock while this thread is busy, and other processes wait for it.
test.each<[string, (store: Store) => Promise<unknown>]>([
  ["a heartbeat", ({ ledger }) => ledger.heartbeat(NOW)],
  ["a last use of keys", ({ keys }) => keys.touchLastUsed(new Map([["key_1", NOW]]))],
  ["new figures of an alert", ({ alerts }) => alerts.hold("alt_1", NOW, {})],
  ["counts of rejected requests", ({ rejections }) => rejections.add([REJECTED])],
])("%s is one message to the writer", async (_name, write) => {
  const store = await database.open();
  expect(await sentBy(() => write(store))).toEqual(["write"]);
});

test("more counts of rejected requests than a statement takes are one transaction", async () => {
  const store = await database.open();
  const records = Array.from({ length: 201 }, (_, at) => ({ ...REJECTED, model: `model-${at}` }));
  expect(await sentBy(() => store.rejections.add(records))).toEqual(["exec", "query", "query", "exec"]);
});

test("a write of a single statement inside a transaction joins that transaction", async () => {
  const store = await database.open();
  const kinds = await sentBy(() => store.transaction((tx) => tx.alerts.hold("alt_1", NOW, {})));
  expect(kinds).toEqual(["exec", "query", "exec"]);
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

test("a write whose turn comes late still waits while another process holds the lock", async () => {
  const { ledger } = await database.open({ instanceId: "one" });
  const other = new Database(database.file);
  try {
    other.exec("begin immediate");
    const writes = Promise.allSettled([ledger.heartbeat(NOW), ledger.heartbeat(NOW + 1)]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    // The first one gives up, and the second one has its turn.
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 1_001);
    await new Promise((resolve) => setTimeout(resolve, 200));
    other.exec("rollback");
    expect((await writes).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  } finally {
    other.close();
  }
});

test("writes that wait for a lasting lock give up together", async () => {
  const store = await database.open({ instanceId: "one" });
  const other = new Database(database.file);
  try {
    other.exec("begin immediate");
    const since = performance.now();
    const writes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? store.ledger.heartbeat(NOW + index)
          : store.transaction((tx) => tx.alerts.hold("alt_1", NOW, {})),
      ),
    );
    expect(new Set(writes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    // Twenty late writes of 250 ms each would take 5 s longer.
    expect(performance.now() - since).toBeLessThan(3_000);
  } finally {
    other.close();
  }
});
