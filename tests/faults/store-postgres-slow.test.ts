import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createLiveBus } from "../../lib/gateway/live-bus";
import { shareEvents } from "../../lib/shared-state/events";
import { openStore } from "../../lib/store/open";
import { LeasePool, ServerLiveness } from "../../lib/store/postgres/lease-pool";
import { ANSWER_MS, SLOW_MS } from "../../lib/store/postgres/session";
import { newPostgresDatabase } from "../contracts/store/postgres-database";
import { channelRecord, SYSTEM_CLOCK } from "../support/factories";
import { startPostgres, type TestPostgres } from "../support/postgres";
import { openTcpGate } from "../support/tcp-gate";

/** A PostgreSQL that is slow, behind a pooler, or replaced by its standby. */

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
}, 120_000);
afterAll(() => server.close());

test("waits for a connection beyond the usual limit while the server answers others, and logs store_slow once", async () => {
  const database = await newPostgresDatabase(server);
  const slow: unknown[] = [];
  const pool = new LeasePool(database.url, {
    max: 2,
    statement: { silentMs: ANSWER_MS, maxMs: SLOW_MS },
    liveness: new ServerLiveness(),
    log: { warn: (event) => slow.push(event), error: () => undefined },
  });
  const ask = async () => {
    const lease = await pool.connect();
    try {
      await lease.query("select pg_sleep(0.35)", []);
    } finally {
      lease.release();
    }
  };
  const since = performance.now();
  // Ten statements on two connections: the last ones wait for 1.4 seconds.
  await Promise.all(Array.from({ length: 10 }, ask));
  expect(performance.now() - since).toBeGreaterThan(ANSWER_MS);
  expect(slow).toEqual(["store_slow"]);
  await pool.end();
});

test("changes of another instance arrive without LISTEN, and the log names the setting", async () => {
  const database = await newPostgresDatabase(server);
  const elsewhere = await newPostgresDatabase(server);
  const warned: string[] = [];
  // Like a pooler in transaction mode, another database accepts LISTEN, but its notifications never arrive.
  const store = await openStore({
    databaseUrl: database.url,
    listenUrl: elsewhere.url,
    storeWorker: new URL("file:///dev/null"),
    instanceId: "deaf",
    clock: SYSTEM_CLOCK,
    timeZone: "UTC",
    log: { warn: (event, fields) => warned.push(`${event} ${fields?.reason ?? ""}`), error: () => undefined },
  });
  expect(warned).toEqual([expect.stringMatching(/^store_listener_deaf .*DATABASE_URL_DIRECT/)]);
  let isHeard = false;
  store.onChange((topics) => {
    isHeard ||= topics.has("channels");
  });
  const other = await database.open();
  await other.channels.insert(channelRecord());
  expect(store.changeLagMs()).toBeGreaterThan(0);
  await vi.waitUntil(() => isHeard, { timeout: 15_000, interval: 50 });
  await store.close();
  await database.remove();
  await elsewhere.remove();
}, 40_000);

test("after a failover to a standby without the last commits, their topics are read again", async () => {
  const database = await newPostgresDatabase(server);
  const store = await database.open();
  for (const name of ["one", "two", "three"]) await store.settings.put(name, true);
  const heard: string[] = [];
  store.onChange((topics) => heard.push(...topics));
  expect(store.changeLagMs()).toBeLessThan(1_000);
  // A standby without the last two commits takes over.
  await database.raw("delete from settings where name in ('two', 'three')");
  await database.raw("update revisions set revision = revision - 2 where topic = 'settings'");
  await database.raw(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await vi.waitUntil(() => heard.includes("settings"), { timeout: 15_000, interval: 50 });
  const other = await database.open();
  heard.length = 0;
  await other.settings.put("four", true);
  await vi.waitUntil(() => heard.includes("settings"), { timeout: 15_000, interval: 50 });
  await database.remove();
}, 40_000);

test("after a failover that DATABASE_URL_DIRECT does not follow, all topics are read again", async () => {
  const database = await newPostgresDatabase(server);
  const gate = await openTcpGate(Number(new URL(database.url).port));
  const direct = new URL(database.url);
  direct.port = String(gate.port);
  const store = await openStore({
    databaseUrl: database.url,
    listenUrl: direct.href,
    storeWorker: new URL("file:///dev/null"),
    instanceId: "listens-elsewhere",
    clock: SYSTEM_CLOCK,
    timeZone: "UTC",
  });
  await store.settings.put("one", true);
  const heard: string[] = [];
  store.onChange((topics) => heard.push(...topics));
  // The last commit was lost, and its revision is that of another commit now.
  await database.raw("update settings set name = 'two' where name = 'one'");
  await gate.close();
  await vi.waitUntil(() => heard.includes("settings"), { timeout: 8_000, interval: 50 });
  await store.close();
  await database.remove();
}, 40_000);

test("live events of one instance reach the pages of another without Redis, and are not sent back", async () => {
  const database = await newPostgresDatabase(server);
  const [near, far] = [await database.open(), await database.open()];
  if (near.broadcast === null || far.broadcast === null) throw new Error("PostgreSQL has no broadcast.");
  const [own, other] = [createLiveBus(), createLiveBus()];
  shareEvents(near.broadcast, own, "near");
  shareEvents(far.broadcast, other, "far");
  const heard: string[] = [];
  const back: string[] = [];
  other.watch((topic, userId) => void heard.push(`${topic} ${userId}`));
  own.watch((topic, userId) => void back.push(`${topic} ${userId}`));
  own.publish("usage", "usr_1");
  await vi.waitUntil(() => heard.includes("usage usr_1"), { timeout: 2_000, interval: 20 });
  // More users than a notification holds: their topic is reported for all.
  for (let user = 0; user < 190; user++) own.publish("usage", `usr_${"x".repeat(60)}_${user}`);
  await vi.waitUntil(() => heard.includes("usage null"), { timeout: 2_000, interval: 20 });
  await database.raw("select pg_notify('patchbay_messages', 'not ours')");
  own.publish("circuits");
  await vi.waitUntil(() => heard.includes("circuits null"), { timeout: 2_000, interval: 20 });
  expect(back).toHaveLength(192);
  await database.remove();
}, 40_000);
