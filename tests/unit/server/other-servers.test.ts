import { afterEach, beforeEach, expect, test } from "vitest";
import type { Store } from "../../../lib/ports/store";
import { watchOtherServers } from "../../../lib/server/process/background";
import { makeInstanceId } from "../../../lib/server/process/instance-id";
import { newSqliteDatabase, type SqliteDatabase } from "../../contracts/store/sqlite-database";
import { FakeClock } from "../../support/factories";

const HEARTBEAT_MS = 5_000;

let database: SqliteDatabase;
let clock: FakeClock;
beforeEach(async () => {
  database = await newSqliteDatabase();
  clock = new FakeClock(1_790_000_000_000);
});
afterEach(() => database.remove());

interface Watcher {
  id: string;
  store: Store;
  logged: { event: string; fields?: Record<string, unknown> }[];
  check(): Promise<string[]>;
}

async function start(id = makeInstanceId()): Promise<Watcher> {
  const store = await database.open({ instanceId: id, clock });
  const logged: Watcher["logged"] = [];
  const log = (event: string, fields?: Record<string, unknown>) => void logged.push({ event, fields });
  return {
    id,
    store,
    logged,
    check: watchOtherServers({ store, clock, log: { info: log, warn: log, error: log }, server: id }),
  };
}

/** One round of background tasks: time passes, each server writes its heartbeat and checks for others. */
async function round(...servers: Watcher[]): Promise<string[][]> {
  clock.advance(HEARTBEAT_MS);
  for (const { store } of servers) await store.ledger.heartbeat(clock.now());
  const found: string[][] = [];
  for (const server of servers) found.push(await server.check());
  return found;
}

test("each of two servers on one file logs the other's ID and process once", async () => {
  const [one, other] = [await start(), await start()];
  expect(await one.check()).toEqual([]);
  for (let count = 0; count < 3; count++) await round(one, other);
  expect(await round(one, other)).toEqual([[other.id], [one.id]]);
  const reason = expect.stringContaining(
    `process ${process.pid} of this machine serves the same SQLite file`,
  );
  expect(one.logged).toEqual([{ event: "second_server", fields: { instance: other.id, reason } }]);
  expect(other.logged).toEqual([{ event: "second_server", fields: { instance: one.id, reason } }]);
});

test("a server of another machine is logged with the name of the machine", async () => {
  const [one, other] = [await start(), await start("0a1b2c3d-17-99-x")];
  await round(one, other);
  await round(one, other);
  expect(one.logged).toMatchObject([
    { fields: { reason: expect.stringContaining("process 17 of the machine 0a1b2c3d") } },
  ]);
});

test("a server that has stopped, or has had no heartbeat for 30 s, is no longer found", async () => {
  const [one, other, third] = [await start(), await start(), await start()];
  for (let count = 0; count < 2; count++) await round(one, other, third);
  await other.store.close();
  const [[found]] = [await round(one, third)];
  expect(found).toEqual([third.id]);
  for (let count = 0; count < 6; count++) await round(one);
  expect(await round(one)).toEqual([[]]);
});

test("two servers still find each other after their clock was set back", async () => {
  const [one, other] = [await start(), await start()];
  for (let count = 0; count < 2; count++) await round(one, other);
  clock.advance(-3_600_000);
  for (let count = 0; count < 2; count++) expect(await round(one, other)).toEqual([[other.id], [one.id]]);
});

test("a recent row of a crashed server raises no warning", async () => {
  const crashed = await start();
  const one = await start();
  for (let count = 0; count < 8; count++) expect(await round(one)).toEqual([[]]);
  expect(crashed.id).not.toBe(one.id);
  expect(one.logged).toEqual([]);
});

test("an admin command that runs next to the server raises no warning", async () => {
  const one = await start();
  await round(one);
  const command = await start();
  for (let count = 0; count < 3; count++) await round(one);
  await command.store.close();
  expect(one.logged).toEqual([]);
});
