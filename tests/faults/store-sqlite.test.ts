import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Store, UsageRecord } from "../../lib/ports/store";
import { openStore } from "../../lib/store/open";
import { allUsage, expectLedgerSumsToMatch } from "../contracts/store/ledger-sums";
import { newSqliteDatabase, type SqliteDatabase } from "../contracts/store/sqlite-database";
import { concurrently, outcomesOf } from "../contracts/store/test-database";
import { insertKey, NO_BUDGET, PERIOD, SYSTEM_CLOCK, usageRecord, userRecord } from "../support/factories";
import { bundle } from "../support/store-processes";

/** More than the promised second: a hang would take minutes. */
const SOON_MS = 8_000;

let database: SqliteDatabase;
beforeEach(async () => {
  database = await newSqliteDatabase();
});
afterEach(() => database.remove());

/** The error code of a call and its duration. */
async function refusalOf(work: () => Promise<unknown>): Promise<{ code: string; ms: number }> {
  const since = performance.now();
  const { codes } = await outcomesOf([work()]);
  return { code: codes[0] ?? "none", ms: performance.now() - since };
}

/** A write by another process that does not end; for SQLite, another connection is the same. */
function lock(file: string): () => void {
  const holder = new Database(file);
  holder.exec("begin immediate");
  return () => {
    holder.exec("rollback");
    holder.close();
  };
}

/** The entry of a call whose settlement threw `storage_unavailable`: the caller got that error and pays nothing. */
function refusedEntry(row: UsageRecord): UsageRecord {
  return { ...row, status: 503, error: "storage_unavailable", costNano: 0 };
}

describe("while another process holds the lock", () => {
  test("writes are refused within about a second, reads and timers continue, and writes work again afterwards", async () => {
    const store = await database.open();
    const { key, user } = await insertKey(store);
    const release = lock(database.file);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 20);
    const row = usageRecord(key.id, user.id, { costNano: 7 });
    const refusals = await Promise.all([
      refusalOf(() => store.settings.put("locked", true)),
      refusalOf(() => store.users.insert(userRecord())),
      refusalOf(() => store.transaction((tx) => tx.settings.put("locked", true))),
      refusalOf(() => store.ledger.settle(row, PERIOD)),
    ]);
    expect(refusals.map((one) => one.code)).toEqual(Array(4).fill("storage_unavailable"));
    const longest = Math.max(...refusals.map((one) => one.ms));
    console.log(`refused after ${Math.round(longest)} ms at most, ${ticks} ticks of 20 ms meanwhile`);
    expect(longest).toBeLessThan(SOON_MS);
    // A blocked thread would tick once or twice.
    expect(ticks).toBeGreaterThan(10);
    clearInterval(timer);
    expect(await store.keys.findById(key.id)).toEqual(key);
    expect((await store.users.list({ limit: 9, cursor: null, q: null })).items).toHaveLength(1);
    release();
    await store.settings.put("locked", false);
    expect(await store.settings.all()).toEqual({ locked: false });
    // The refused settlement is recorded with the error that its caller got.
    await vi.waitUntil(async () => (await allUsage(store)).length === 1, { timeout: SOON_MS, interval: 20 });
    expect(await allUsage(store)).toEqual([refusedEntry(row)]);
    await expectLedgerSumsToMatch(database);
  });

  test("a write waits for a short lock and then succeeds", async () => {
    const store = await database.open();
    const { key, user } = await insertKey(store);
    const release = lock(database.file);
    let isDone = false;
    const writes = Promise.all([
      store.settings.put("patient", true),
      store.ledger.settle(usageRecord(key.id, user.id), PERIOD),
    ]).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isDone).toBe(false);
    release();
    await writes;
    expect(await store.settings.all()).toEqual({ patient: true });
  });

  test("the write-ahead log is truncated after a long read that kept it from being reset", async () => {
    const store = await database.open();
    const reader = new Database(database.file);
    reader.exec("begin");
    reader.prepare("select count(*) from settings").all();
    const value = { text: "x".repeat(400_000) };
    for (let index = 0; index < 220; index += 1) await store.settings.put(`fill_${index}`, value);
    const size = () => statSync(`${database.file}-wal`).size;
    expect(size()).toBeGreaterThan(70 * 1024 ** 2);
    reader.exec("commit");
    reader.close();
    await expect
      .poll(async () => {
        await store.settings.put("fill_0", value);
        return size();
      })
      .toBeLessThanOrEqual(64 * 1024 ** 2);
  });

  test("a start waits for the lock", async () => {
    await (await database.open()).close();
    const release = lock(database.file);
    const starting = database.open();
    await new Promise((resolve) => setTimeout(resolve, 200));
    release();
    await (await starting).settings.put("started", true);
  });
});

describe("with an injected writer failure", () => {
  let worker = "";
  let failureFile = "";
  let store: Store;
  const ROOMY = 1_000_000;

  beforeAll(async () => {
    worker = await bundle("tests/support/failing-writer.ts");
  });
  beforeEach(async () => {
    failureFile = path.join(path.dirname(database.file), "failure");
    vi.stubEnv("PATCHBAY_TEST_STORE", failureFile);
    store = await openStore({
      databaseUrl: `file:${database.file}`,
      storeWorker: pathToFileURL(worker),
      instanceId: "full",
      clock: SYSTEM_CLOCK,
      timeZone: "UTC",
    });
  });
  afterEach(async () => {
    await store.close();
    vi.unstubAllEnvs();
  });

  test("on a full disk writes fail, reads continue, and writes resume when there is space, without a restart", async () => {
    const { key, user } = await insertKey(store);
    // SQLite raises this limit to the current number of pages.
    writeFileSync(failureFile, "1");
    const big = "x".repeat(20_000);
    await expect(store.settings.put("big", big)).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("out of space"),
    });
    const row = usageRecord(key.id, user.id, { costNano: 3, tags: big });
    await expect(store.ledger.settle(row, PERIOD)).rejects.toMatchObject({ code: "storage_unavailable" });
    const held = usageRecord(key.id, user.id, { reservedNano: 5, tags: big });
    await expect(
      store.ledger.reserve({ row: held, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD }),
    ).rejects.toMatchObject({ code: "storage_unavailable" });
    await store.ping();
    expect(await store.keys.findById(key.id)).toEqual(key);
    expect(await allUsage(store)).toEqual([]);

    writeFileSync(failureFile, String(ROOMY));
    await store.settings.put("big", big);
    expect(await store.settings.all()).toEqual({ big });
    // Once there is space, a refused settlement is an entry of a failed call; a refused reservation has none.
    await vi.waitUntil(async () => (await allUsage(store)).length > 0, { timeout: SOON_MS, interval: 20 });
    expect(await allUsage(store)).toEqual([refusedEntry(row)]);
    expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(0);
    await expectLedgerSumsToMatch(database);
    expect(await database.raw("pragma integrity_check")).toEqual([["ok"]]);
  });

  test("concurrent calls while the disk fills are each recorded with the status that their caller got", async () => {
    const { key, user } = await insertKey(store);
    const [[count] = []] = await database.raw("pragma page_count");
    writeFileSync(failureFile, String(Number(count) + 12));
    const rows = Array.from({ length: 300 }, () =>
      usageRecord(key.id, user.id, { costNano: 1, tags: "t".repeat(1_000) }),
    );
    const settled = concurrently(300, async (index) => {
      const row = rows[index];
      if (row) await store.ledger.settle(row, PERIOD);
    });
    const { codes, values } = await outcomesOf(settled);
    expect(new Set(codes)).toEqual(new Set(["storage_unavailable"]));
    writeFileSync(failureFile, String(ROOMY));
    await store.settings.put("room", true);
    await vi.waitUntil(async () => (await allUsage(store)).length === 300, {
      timeout: SOON_MS,
      interval: 50,
    });
    const refused = (await allUsage(store)).filter((one) => one.error === "storage_unavailable");
    expect(refused.map((one) => [one.status, one.costNano])).toEqual(codes.map(() => [503, 0]));
    expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(values.length);
    await expectLedgerSumsToMatch(database);
  });

  test("a commit that succeeded without an answer is corrected to the status that the caller got", async () => {
    const { key, user } = await insertKey(store);
    const priced = usageRecord(key.id, user.id, { reservedNano: 90, costNano: 70, inputTokens: 5 });
    const unheld = usageRecord(key.id, user.id, { costNano: 7, audioMs: 9 });
    const left = usageRecord(key.id, user.id, { costNano: 2, status: 499, error: "caller_left" });
    const budgets = { keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD };
    await store.ledger.reserve({ row: priced, ...budgets });
    writeFileSync(failureFile, "die");
    const held = usageRecord(key.id, user.id, { reservedNano: 40 });
    const { codes } = await outcomesOf<unknown>([
      ...[priced, unheld, left].map((row) => store.ledger.settle(row, PERIOD)),
      store.ledger.reserve({ row: held, ...budgets }),
    ]);
    expect(codes).toEqual(Array(4).fill("storage_unavailable"));
    // The commit succeeded: this entry must be corrected.
    expect(
      await database.raw("select status, cost_nano from usage where state = 'settled' order by 2"),
    ).toEqual([
      [499, 2],
      [200, 7],
      [200, 70],
    ]);
    writeFileSync(failureFile, String(ROOMY));
    const byId = (a: UsageRecord, b: UsageRecord) => (a.id < b.id ? -1 : 1);
    const expected = [refusedEntry(priced), refusedEntry(unheld), left].sort(byId);
    await vi.waitUntil(async () => (await allUsage(store)).length === 3, { timeout: SOON_MS, interval: 20 });
    expect((await allUsage(store)).sort(byId)).toEqual(expected);
    expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(2);
    await expectLedgerSumsToMatch(database);
  });

  test("a reservation that succeeded without an answer costs nothing when another instance has settled it", async () => {
    const { key, user } = await insertKey(store);
    const held = usageRecord(key.id, user.id, { reservedNano: 40 });
    const budgets = { keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD };
    const other = await database.open();
    writeFileSync(failureFile, "die");
    await expect(store.ledger.reserve({ row: held, ...budgets })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(await other.ledger.settleOrphans(0, (id) => id === "full")).toBe(1);
    expect((await other.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(40);
    writeFileSync(failureFile, String(ROOMY));
    await vi.waitUntil(async () => (await allUsage(store)).length === 0, { timeout: SOON_MS, interval: 20 });
    expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(0);
    await expectLedgerSumsToMatch(database);
  });
});
