import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Store } from "../../lib/ports/store";
import { openStore } from "../../lib/store/open";
import { allUsage, expectBooksToBalance } from "../contracts/store/books";
import { outcomesOf, together } from "../contracts/store/place";
import { insertKey, NO_BUDGET, PERIOD, usageRecord, userRecord } from "../contracts/store/records";
import { newSqlitePlace, type SqlitePlace, SYSTEM_CLOCK } from "../contracts/store/sqlite-place";
import { bundle } from "../support/store-processes";

/** Loosely above the second that is promised: what hangs is minutes away, not seconds. */
const SOON_MS = 8_000;

let place: SqlitePlace;
beforeEach(async () => {
  place = await newSqlitePlace();
});
afterEach(() => place.remove());

/** The code of a call's error, and how long it took. */
async function refusalOf(work: () => Promise<unknown>): Promise<{ code: string; ms: number }> {
  const since = performance.now();
  const { codes } = await outcomesOf([work()]);
  return { code: codes[0] ?? "none", ms: performance.now() - since };
}

/** Another process's write that does not end; SQLite tells connections apart, not processes. */
function lock(file: string): () => void {
  const holder = new Database(file);
  holder.exec("begin immediate");
  return () => {
    holder.exec("rollback");
    holder.close();
  };
}

describe("while another process holds the lock", () => {
  test("writes are refused within a second or so, reads go on, timers run, and all is well after", async () => {
    const store = await place.open();
    const { key, user } = await insertKey(store);
    const release = lock(place.file);
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
    // A blocked thread would have ticked once or twice.
    expect(ticks).toBeGreaterThan(10);
    clearInterval(timer);
    expect(await store.keys.findById(key.id)).toEqual(key);
    expect((await store.users.list({ limit: 9, cursor: null, q: null })).items).toHaveLength(1);
    release();
    await store.settings.put("locked", false);
    expect(await store.settings.all()).toEqual({ locked: false });
    // The settlement that was refused is made up for.
    await vi.waitUntil(async () => (await allUsage(store)).length === 1, { timeout: SOON_MS, interval: 20 });
    await expectBooksToBalance(place);
  });

  test("a write waits for a short one and then succeeds", async () => {
    const store = await place.open();
    const { key, user } = await insertKey(store);
    const release = lock(place.file);
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

  test("a start waits for it", async () => {
    await (await place.open()).close();
    const release = lock(place.file);
    const starting = place.open();
    await new Promise((resolve) => setTimeout(resolve, 200));
    release();
    await (await starting).settings.put("started", true);
  });
});

describe("on a full disk", () => {
  let worker = "";
  let pages = "";
  let store: Store;
  const ROOMY = 1_000_000;

  beforeAll(async () => {
    worker = await bundle("tests/support/full-disk-writer.ts");
  });
  beforeEach(async () => {
    pages = path.join(path.dirname(place.file), "pages");
    vi.stubEnv("PATCHBAY_TEST_PAGES", pages);
    store = await openStore({
      databaseUrl: `file:${place.file}`,
      writerWorker: pathToFileURL(worker),
      instanceId: "full",
      clock: SYSTEM_CLOCK,
      timeZone: "UTC",
    });
  });
  afterEach(async () => {
    await store.close();
    vi.unstubAllEnvs();
  });

  test("writes say that it is full, reads go on, and writes resume when there is room, without a restart", async () => {
    const { key, user } = await insertKey(store);
    // As many pages as there are.
    writeFileSync(pages, "1");
    const big = "x".repeat(20_000);
    await expect(store.settings.put("big", big)).rejects.toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining("full"),
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

    writeFileSync(pages, String(ROOMY));
    await store.settings.put("big", big);
    expect(await store.settings.all()).toEqual({ big });
    // What was refused is booked when there is room; what was only held is not.
    await vi.waitUntil(async () => (await allUsage(store)).length > 0, { timeout: SOON_MS, interval: 20 });
    expect((await allUsage(store)).map((one) => one.id)).toEqual([row.id]);
    expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(3);
    await expectBooksToBalance(place);
    expect(await place.raw("pragma integrity_check")).toEqual([["ok"]]);
  });

  test("calls at once around the moment when it fills are each booked or refused, and none is lost", async () => {
    const { key, user } = await insertKey(store);
    const [[count] = []] = await place.raw("pragma page_count");
    writeFileSync(pages, String(Number(count) + 12));
    const rows = Array.from({ length: 300 }, () =>
      usageRecord(key.id, user.id, { costNano: 1, tags: "t".repeat(1_000) }),
    );
    const settled = together(300, async (index) => {
      const row = rows[index];
      if (row) await store.ledger.settle(row, PERIOD);
    });
    const { codes } = await outcomesOf(settled);
    expect(new Set(codes)).toEqual(new Set(["storage_unavailable"]));
    writeFileSync(pages, String(ROOMY));
    await store.settings.put("room", true);
    await vi.waitUntil(async () => (await allUsage(store)).length === 300, {
      timeout: SOON_MS,
      interval: 50,
    });
    expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(300);
    await expectBooksToBalance(place);
  });
});
