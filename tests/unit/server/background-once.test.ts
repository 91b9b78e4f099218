import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchAlerts } from "../../../lib/console/alerts/watch";
import { sweepExpired } from "../../../lib/console/auth/sweep-expired";
import type { ConsoleServices } from "../../../lib/console/context";
import { sweepUsage } from "../../../lib/console/usage/sweep";
import { changeSettings, openConsoleHarness, setUpOwner } from "../../support/console-harness";
import { insertKey, NO_BUDGET, PERIOD, usageRecord } from "../../support/factories";
import { type TestServices, testServices } from "../../support/services";

/** The background tasks of two instances on one store, run at the same time: each effect happens once. */

let dataDirectory: string;
let instances: TestServices[];
let posted: unknown[];

beforeEach(async () => {
  dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-two-"));
  posted = [];
  instances = [await testServices({ dataDirectory }), await testServices({ dataDirectory })];
});
afterEach(async () => {
  for (const instance of instances) await instance.close();
  rmSync(dataDirectory, { recursive: true, force: true });
});

/** Runs a task in both instances at once, with a webhook that records its messages. */
function inBoth<T>(task: (services: ConsoleServices) => Promise<T>): Promise<T[]> {
  return Promise.all(
    instances.map((instance) =>
      task({
        ...instance,
        webhook: {
          ...instance.webhook,
          async post({ body }) {
            posted.push(body);
            return null;
          },
        },
      }),
    ),
  );
}

test("an alert is opened once and sent once", async () => {
  const [first] = instances;
  if (first === undefined) throw new Error("no instance");
  const harness = openConsoleHarness(first);
  const owner = await setUpOwner(harness);
  const { alerts } = (await harness("/api/settings", { cookie: owner })).json.data;
  const changed = { alerts: { ...alerts, webhook_url: "https://hooks.example.com/x" } };
  await changeSettings(harness, owner, changed);
  await harness("/api/alerts/webhook/secret", { method: "POST", body: {}, cookie: owner });
  const disk = { freeBytes: 1, totalBytes: 100 };
  for (let round = 0; round < 3; round++) await inBoth((services) => watchAlerts(services, disk));
  expect(posted).toEqual([expect.objectContaining({ kind: "disk", state: "opened" })]);
  const open = await first.store.alerts.open();
  expect(open.map(({ kind }) => kind)).toEqual(["disk"]);
});

test("an alert that one instance holds stays open for another whose clock is ahead", async () => {
  const [holder, ahead] = instances;
  if (holder === undefined || ahead === undefined) throw new Error("no instance");
  ahead.clock.advance(45_000);
  const disk = null;
  const states = async () => (await ahead.store.alerts.open()).map(({ kind }) => kind);
  for (let round = 0; round < 5; round++) {
    await watchAlerts(holder, disk, ["one", "two"]);
    await watchAlerts(ahead, disk);
    expect(await states()).toEqual(["second_server"]);
    for (const { clock } of instances) clock.advance(15_000);
  }
  // From here on, the holder does not run, as after its end.
  for (let round = 0; round < 2; round++) {
    await watchAlerts(ahead, disk);
    ahead.clock.advance(15_000);
  }
  expect(await states()).toEqual(["second_server"]);
  await watchAlerts(ahead, disk);
  expect(await states()).toEqual([]);
});

/** The number of rows of a table of the store file. */
function rowCount(table: string): number {
  const database = new Database(path.join(dataDirectory, "patchbay.db"), { readonly: true });
  try {
    // The column named in the statement.
    return (database.prepare(`select count(*) as rows from ${table}`).get() as { rows: number }).rows;
  } finally {
    database.close();
  }
}

test("open entries of an ended instance are settled once, and old entries removed once", async () => {
  const [first] = instances;
  if (first === undefined) throw new Error("no instance");
  const { key, user } = await insertKey(first.store);
  const ended = await testServices({ dataDirectory });
  for (let at = 0; at < 30; at++) {
    const row = usageRecord(key.id, user.id, { reservedNano: 30, at: ended.clock.now() });
    await ended.store.ledger.reserve({ row, keyBudget: NO_BUDGET, userBudget: NO_BUDGET, ...PERIOD });
  }
  await ended.close();
  const now = first.clock.now();
  const settled = await inBoth(({ store }) => store.ledger.settleOrphans(now, () => true));
  expect(settled.reduce((sum, count) => sum + count, 0)).toBe(30);
  const spent = await first.store.keys.spent(key.id, now);
  expect(spent.totalNano).toBe(30 * 30);
  await first.store.settings.put("retention_days", { usage: 1, prompts: 1 });
  for (const instance of instances) instance.clock.advance(3 * 86_400_000);
  const swept = await inBoth((services) => sweepUsage(services));
  expect(swept.reduce((sum, { rows }) => sum + rows, 0)).toBe(30);
  expect(rowCount("usage")).toBe(0);
  expect((await first.store.keys.spent(key.id, now)).totalNano).toBe(30 * 30);
});

test("expired sessions are removed by instances that do so at the same time", async () => {
  const [first] = instances;
  if (first === undefined) throw new Error("no instance");
  await setUpOwner(openConsoleHarness(first));
  expect(rowCount("sessions")).toBe(1);
  for (const instance of instances) instance.clock.advance(400 * 86_400_000);
  await inBoth((services) => sweepExpired(services));
  expect(rowCount("sessions")).toBe(0);
});
