import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Store, UsageRecord } from "../../lib/ports/store";
import { LOCK_WAIT_MS } from "../../lib/store/ledger/group-commit";
import { openStore } from "../../lib/store/open";
import { allUsage, expectLedgerSumsToMatch } from "../contracts/store/ledger-sums";
import { newPostgresDatabase, type PostgresDatabase } from "../contracts/store/postgres-database";
import { concurrently, outcomesOf } from "../contracts/store/test-database";
import { channelRecord, insertKey, NO_BUDGET, PERIOD, SYSTEM_CLOCK, usageRecord } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { openTcpGate, type TcpGate } from "../support/tcp-gate";

/** More than the promised second; twenty writes in sequence would take twenty seconds. */
const SOON_MS = 6_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server.close());

interface Subject {
  database: PostgresDatabase;
  store: Store;
  keyId: string;
  userId: string;
}

/** Runs one call of each kind and twenty writes concurrently; returns the longest time in milliseconds. */
async function expectAllRefused({ store, keyId, userId }: Subject): Promise<number> {
  const since = performance.now();
  const row = usageRecord(keyId, userId, { costNano: 7, reservedNano: 9 });
  const reservation = { row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD };
  const { codes, values } = await outcomesOf<unknown>([
    store.ping(),
    store.setup.isSetUp(),
    store.keys.findById(keyId),
    store.ledger.reserve(reservation),
    store.ledger.settle({ ...row, id: `${row.id}_settled` }, PERIOD),
    ...concurrently(20, (index) => store.settings.put(`refused-${index}`, true)),
  ]);
  expect(values).toEqual([]);
  expect(codes).toEqual(Array(25).fill("storage_unavailable"));
  return performance.now() - since;
}

async function expectRecovered({ database, store, keyId, userId }: Subject): Promise<void> {
  await vi.waitUntil(
    () =>
      store.settings.put("well", true).then(
        () => true,
        () => false,
      ),
    {
      timeout: 20_000,
      interval: 20,
    },
  );
  await store.ping();
  expect((await store.settings.all()).well).toBe(true);
  await store.ledger.settle(usageRecord(keyId, userId, { id: "use_after", costNano: 1 }), PERIOD);
  // The refused settlement is an entry without cost, the refused reservation reserves nothing.
  await vi.waitUntil(async () => (await allUsage(store, { keyId })).length === 2, {
    timeout: 20_000,
    interval: 50,
  });
  expect((await store.keys.spent(keyId, SYSTEM_CLOCK.now())).totalNano).toBe(1);
  await expectLedgerSumsToMatch(database);
  // Change notifications arrive again.
  const heard = new Promise<void>((resolve) => {
    store.onChange((topics) => {
      if (topics.has("channels")) resolve();
    });
  });
  const other = await database.open();
  await other.channels.insert(channelRecord());
  await heard;
}

/** A store whose connections all go through a TCP gate. */
async function openThroughGate(database: PostgresDatabase): Promise<{ gate: TcpGate; store: Store }> {
  const gate = await openTcpGate(Number(new URL(database.url).port));
  const through = new URL(database.url);
  through.port = String(gate.port);
  const store = await openStore({
    databaseUrl: through.href,
    storeWorker: new URL("file:///dev/null"),
    instanceId: "behind-the-gate",
    clock: SYSTEM_CLOCK,
    timeZone: "UTC",
  });
  return { gate, store };
}

test("fails every call while PostgreSQL is stopped, and reconnects without a restart", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  const { key, user } = await insertKey(store);
  const subject = { database, store, keyId: key.id, userId: user.id };
  await server.stop("immediate");
  console.log(`refused after ${Math.round(await expectAllRefused(subject))} ms at most`);
  await server.start();
  const since = performance.now();
  await expectRecovered(subject);
  console.log(`recovered ${Math.round(performance.now() - since)} ms after the server started`);
  await database.remove();
});

test.each([
  [
    "has no tables, as after a failover to another one",
    null,
    ["alter schema public rename to away", "create schema public"],
    ["drop schema public", "alter schema away rename to public"],
  ],
  [
    "accepts no connections, as during maintenance",
    "postgres",
    [
      "alter database $name allow_connections false",
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = '$name'",
    ],
    ["alter database $name allow_connections true"],
  ],
])("fails every call while the database %s, and recovers", async (_what, operatorDatabase, begin, end) => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  const { key, user } = await insertKey(store);
  const subject = { database, store, keyId: key.id, userId: user.id };
  const name = new URL(database.url).pathname.slice(1);
  const operator = new Client({ connectionString: server.url(operatorDatabase ?? name) });
  await operator.connect();
  for (const sql of begin) await operator.query(sql.replace("$name", name));
  await expectAllRefused(subject);
  for (const sql of end) await operator.query(sql.replace("$name", name));
  await operator.end();
  await expectRecovered(subject);
  await database.remove();
});

test("fails every call within about a second when PostgreSQL no longer answers, and reconnects", async () => {
  const database = await newPostgresDatabase(server);
  const { gate, store } = await openThroughGate(database);
  const { key, user } = await insertKey(store);
  const subject = { database, store, keyId: key.id, userId: user.id };
  gate.block();
  for (const round of ["with open connections", "with new ones"]) {
    const ms = await expectAllRefused(subject);
    console.log(`${round}: refused after ${Math.round(ms)} ms at most`);
    expect(ms).toBeLessThan(SOON_MS);
  }
  gate.reopen();
  // Each round's settlement is still pending.
  await vi.waitUntil(async () => (await allUsage(store, { keyId: key.id }).catch(() => [])).length === 2, {
    timeout: 20_000,
    interval: 50,
  });
  await store.settings.put("well", true);
  expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(0);
  await expectLedgerSumsToMatch(database);
  await store.close();
  await gate.close();
  await database.remove();
});

test("rolls back a transaction whose connection the server closes, and nothing else", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  const cut = store.transaction(async (tx) => {
    await tx.settings.put("cut", true);
    await database.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await tx.settings.put("cut", false);
  });
  await expect(cut).rejects.toMatchObject({ code: "storage_unavailable" });
  await store.settings.put("next", true);
  expect(await store.settings.all()).toEqual({ next: true });
  await database.remove();
});

test("refuses writes and allows reads while another instance holds the write lock", async () => {
  const database = await newPostgresDatabase(server);
  const [store, holder] = [await database.open(), await database.open()];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = (): void => {};
  const holding = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const long = holder.transaction(async (tx) => {
    await tx.settings.put("long", true);
    isHeld();
    await held;
  });
  await holding;
  const since = performance.now();
  const { codes } = await outcomesOf(
    concurrently(10, (index) => store.settings.put(`refused-${index}`, true)),
  );
  expect(codes).toEqual(Array(10).fill("storage_unavailable"));
  // Writes that queue behind the first one do not wait for the lock one after the other.
  expect(performance.now() - since).toBeLessThan(3_000);
  expect(await store.settings.all()).toEqual({});
  release();
  await long;
  await store.settings.put("after", true);
  expect(await store.settings.all()).toEqual({ long: true, after: true });
  await database.remove();
});

/** Settles a call of this key; returns the outcome (`done` or an error code) and the duration. */
async function settleTimed(store: Store, { key, user }: Awaited<ReturnType<typeof insertKey>>) {
  const since = performance.now();
  const row = usageRecord(key.id, user.id, { costNano: 1 });
  const outcome = await store.ledger.settle(row, PERIOD).then(
    () => "done",
    (error: { code?: string }) => error.code,
  );
  return { outcome, ms: performance.now() - since };
}

test("fails only the calls of locked balances while another transaction keeps them locked", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  const [lockedSubject, ...others] = await Promise.all(concurrently(30, () => insertKey(store)));
  if (lockedSubject === undefined) throw new Error("no key was inserted");
  await store.ledger.settle(
    usageRecord(lockedSubject.key.id, lockedSubject.user.id, { costNano: 1 }),
    PERIOD,
  );
  const holder = new Client({ connectionString: database.url });
  // Otherwise a failed assertion leaves this client connected, and the stop of PostgreSQL is then an uncaught error.
  onTestFinished(() => holder.end());
  await holder.connect();
  await holder.query("begin");
  await holder.query("select * from balances where subject_id = $1 for update", [lockedSubject.user.id]);
  const refused = concurrently(3, () => settleTimed(store, lockedSubject));
  const first = others.map((one) => settleTimed(store, one));
  // A write of the console waits for another one while the ledger finds the locks.
  const settings = store.transaction(async (tx) => {
    await tx.settings.put("long", true);
    await new Promise((resolve) => setTimeout(resolve, 500));
  });
  const next = store.settings.put("next", true);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const later = [...others.map((one) => settleTimed(store, one)), settleTimed(store, lockedSubject)];
  for (const { outcome, ms } of await Promise.all([...first, ...later.slice(0, -1)])) {
    expect(outcome).toBe("done");
    // Less than two waits for a lock: a settlement that had waited for the locked balance would not be `done`.
    expect(ms).toBeLessThan(2 * LOCK_WAIT_MS);
  }
  await Promise.all([settings, next]);
  for (const { outcome, ms } of await Promise.all([...refused, ...later.slice(-1)])) {
    expect(outcome).toBe("storage_unavailable");
    expect(ms).toBeLessThan(2 * LOCK_WAIT_MS);
  }
  await holder.query("rollback");
  await holder.end();
  expect((await settleTimed(store, lockedSubject)).outcome).toBe("done");
  const entries = async () => (await allUsage(store, { keyId: lockedSubject.key.id })).length;
  await expect.poll(entries, { timeout: 20_000, interval: 50 }).toBe(6);
  await expectLedgerSumsToMatch(database);
  await database.remove();
});

test("releases the locks of an instance that is suspended in a commit within a few seconds", async () => {
  const database = await newPostgresDatabase(server);
  const { gate, store: suspended } = await openThroughGate(database);
  const store = await database.open();
  const subject = await insertKey(store);
  gate.loseAnswersTo(COMMIT, "late");
  expect((await settleTimed(suspended, subject)).outcome).toBe("storage_unavailable");
  const since = performance.now();
  gate.reopen();
  const outcomes: unknown[] = [];
  await vi.waitUntil(
    async () => {
      outcomes.push((await settleTimed(store, subject)).outcome);
      return outcomes.at(-1) === "done";
    },
    { timeout: 20_000, interval: 20 },
  );
  // The suspended instance held the lock until PostgreSQL ended its transaction.
  expect(outcomes).toContain("storage_unavailable");
  expect(performance.now() - since).toBeLessThan(5_000);
  await expect
    .poll(async () => (await allUsage(store)).length, { timeout: 20_000 })
    .toBe(1 + outcomes.length);
  await expectLedgerSumsToMatch(database);
  await suspended.close();
  await gate.close();
  await database.remove();
});

/** The COMMIT message as sent; its end distinguishes it from "read committed". */
const COMMIT = "commit\0";

test("a reservation whose COMMIT got no answer costs nothing when another instance has settled it", async () => {
  const database = await newPostgresDatabase(server);
  const { gate, store } = await openThroughGate(database);
  const other = await database.open();
  const { key, user } = await insertKey(store);
  const held = usageRecord(key.id, user.id, { reservedNano: 40 });
  gate.loseAnswersTo(COMMIT, "at once");
  const budgets = { keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD };
  await expect(store.ledger.reserve({ row: held, ...budgets })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
  const sweep = () => other.ledger.settleOrphans(0, (id) => id === "behind-the-gate");
  await vi.waitUntil(async () => (await sweep()) === 1, { timeout: 20_000, interval: 20 });
  expect((await other.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(40);
  gate.reopen();
  await expect.poll(() => allUsage(other), { timeout: 20_000, interval: 50 }).toEqual([]);
  expect((await other.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(0);
  await expectLedgerSumsToMatch(database);
  await store.close();
  await gate.close();
  await database.remove();
});

test("reports counts of rejections as uncertain when their COMMIT gets no answer, and throws when none is written", async () => {
  const database = await newPostgresDatabase(server);
  const { gate, store } = await openThroughGate(database);
  const counted = { keyId: null, userId: null, model: null, error: "not_found", limit: null } as const;
  const example = { requestId: "req", status: 404, message: "", retryAfterS: null, address: null };
  const add = () => store.rejections.add([{ ...counted, ...example, minute: 0, calls: 3, at: 0 }]);
  expect(await add()).toBe(true);
  gate.loseAnswersTo(COMMIT, "at once");
  expect(await add()).toBe(false);
  gate.block();
  await expect(add()).rejects.toMatchObject({ code: "storage_unavailable" });
  gate.reopen();
  expect(await database.raw("select calls from rejections")).toEqual([[6]]);
  await store.close();
  await gate.close();
  await database.remove();
});

describe.each(["at once", "late"] as const)(
  "a COMMIT whose answer is lost and that the server gets %s",
  (when) => {
    test("leaves refused settlements without cost and refused reservations without effect", async () => {
      const database = await newPostgresDatabase(server);
      const { gate, store } = await openThroughGate(database);
      const { key, user } = await insertKey(store);
      const budgets = { keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD };
      const priced = usageRecord(key.id, user.id, { reservedNano: 90, costNano: 70, inputTokens: 5 });
      const unheld = usageRecord(key.id, user.id, { costNano: 7, audioMs: 9 });
      const left = usageRecord(key.id, user.id, { costNano: 2, status: 499, error: "caller_left" });
      const held = usageRecord(key.id, user.id, { reservedNano: 40 });
      await store.ledger.reserve({ row: priced, ...budgets });
      gate.loseAnswersTo(COMMIT, when);
      const { codes } = await outcomesOf<unknown>([
        ...[priced, unheld, left].map((row) => store.ledger.settle(row, PERIOD)),
        store.ledger.reserve({ row: held, ...budgets }),
      ]);
      expect(codes).toEqual(Array(4).fill("storage_unavailable"));
      const asCommitted = [
        ["caller_left", 2],
        [null, 7],
        [null, 70],
      ];
      const settled = () =>
        database.raw("select error, cost_nano from usage where state = 'settled' order by 2, 1");
      if (when === "at once") {
        await vi.waitUntil(async () => (await settled()).length === 3, { timeout: 20_000, interval: 20 });
        expect(await settled()).toEqual(asCommitted);
      }
      gate.reopen();
      // Corrections wait for a transaction that is still open.
      if (when === "late") {
        const waits = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
        await vi.waitUntil(async () => Number((await database.raw(waits))[0]?.[0]) > 0, {
          timeout: 20_000,
          interval: 20,
        });
        expect(await settled()).toEqual([]);
        gate.deliver();
      }
      const refused = (row: UsageRecord) => ({
        ...row,
        status: 503,
        error: "storage_unavailable",
        costNano: 0,
      });
      const byId = (a: UsageRecord, b: UsageRecord) => (a.id < b.id ? -1 : 1);
      const expected = [refused(priced), { ...refused(unheld), reservedNano: 0 }, left].sort(byId);
      const entries = async () => (await allUsage(store, { keyId: key.id }).catch(() => [])).sort(byId);
      await expect.poll(entries, { timeout: 20_000, interval: 50 }).toEqual(expected);
      // No message still in transit changes the entries afterwards.
      await store.ledger.settle(usageRecord(key.id, user.id, { costNano: 1 }), PERIOD);
      expect(await settled()).toEqual([
        ["storage_unavailable", 0],
        ["storage_unavailable", 0],
        [null, 1],
        ["caller_left", 2],
      ]);
      expect((await store.keys.spent(key.id, SYSTEM_CLOCK.now())).totalNano).toBe(3);
      await expectLedgerSumsToMatch(database);
      await store.close();
      await gate.close();
      await database.remove();
    });
  },
);
