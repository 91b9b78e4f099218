import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "libsql";
import type { Clock } from "../../lib/ports/clock";
import type { Store } from "../../lib/ports/store";
import { workerFile } from "../../lib/server/process/workers";
import { storageUnavailable } from "../../lib/store/errors";
import { openSqliteStore } from "../../lib/store/sqlite/open";
import { channelRecord, modelRecord } from "./factories";

/**
 * SQLite stores that the tests of a process use one after the other, emptied in between. Opening one takes a tenth of a
 * second of CPU, most of it for the start of its writer thread.
 */

const FILE = "patchbay.db";
/** Not emptied: a store remembers the revisions that it has published. */
const KEPT_TABLES = new Set(["revisions"]);

interface PooledStore {
  dataDirectory: string;
  store: Store;
  /** The clock of the current borrower. */
  clock: { current: Clock };
  /** Tables and rows of a store without data. */
  empty: { table: string; rows: Record<string, unknown>[] }[];
  triggers: { name: string; sql: string }[];
}

/** An empty store in a folder of its own, for one borrower at a time. */
interface BorrowedStore {
  /** `close` waits for pending calls, then empties store and folder; later calls get `storage_unavailable`. */
  store: Store;
  dataDirectory: string;
}

const idle: PooledStore[] = [];
const folders = new Set<string>();
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function withFile<T>(dataDirectory: string, work: (database: Database.Database) => T): T {
  const database = new Database(path.join(dataDirectory, FILE));
  try {
    database.exec("pragma busy_timeout = 5000");
    return work(database);
  } finally {
    database.close();
  }
}

/** Opens the store in a data folder. */
export function openStoreIn(dataDirectory: string, clock: Clock): Promise<Store> {
  return openSqliteStore({
    databaseUrl: `file:${path.join(dataDirectory, FILE)}`,
    storeWorker: workerFile("store"),
    instanceId: randomBytes(8).toString("hex"),
    clock,
    timeZone: "UTC",
  });
}

async function openPooled(clock: Clock): Promise<PooledStore> {
  const dataDirectory = mkdtempSync(path.join(tmpdir(), "patchbay-pool-"));
  folders.add(dataDirectory);
  const current = { current: clock };
  const store = await openStoreIn(dataDirectory, {
    now: () => current.current.now(),
    monotonic: () => current.current.monotonic(),
  });
  return withFile(dataDirectory, (database) => {
    // Rows of SQLite's own table.
    const named = (type: string) =>
      database
        .prepare("select name, sql from sqlite_master where type = ? and name not like 'sqlite_%'")
        .all(type) as { name: string; sql: string }[];
    const tables = named("table").filter(({ name }) => !KEPT_TABLES.has(name));
    const empty = tables.map(({ name }) => ({
      table: name,
      // The next borrower writes the store's own heartbeat again.
      rows:
        name === "instances"
          ? []
          : (database.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]),
    }));
    return { dataDirectory, store, clock: current, empty, triggers: named("trigger") };
  });
}

/** Deletes what a borrower wrote, and everything else in the folder. */
function clear({ dataDirectory, empty, triggers }: PooledStore): void {
  for (const name of readdirSync(dataDirectory))
    if (!name.startsWith(FILE)) rmSync(path.join(dataDirectory, name), { recursive: true, force: true });
  withFile(dataDirectory, (database) => {
    database.exec("pragma foreign_keys = off");
    database.exec("begin immediate");
    // The triggers forbid deleting audit entries.
    for (const { name } of triggers) database.exec(`drop trigger if exists "${name}"`);
    for (const { table, rows } of empty) {
      database.exec(`delete from "${table}"`);
      for (const row of rows) {
        const columns = Object.keys(row);
        const places = columns.map(() => "?").join(", ");
        database
          .prepare(
            `insert into "${table}" (${columns.map((one) => `"${one}"`).join(", ")}) values (${places})`,
          )
          .run(...Object.values(row));
      }
    }
    for (const { sql } of triggers) database.exec(sql);
    database.exec("commit");
  });
}

/**
 * Makes the store drop its cached channels and models. Its own commit is reported before this resolves; a commit of
 * `clear` would be reported up to a quarter of a second later, to the next borrower.
 */
async function dropCaches(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    const channel = channelRecord();
    await tx.channels.insert(channel);
    await tx.channels.delete(channel.id);
    const model = modelRecord();
    await tx.models.insert(model);
    await tx.models.delete(model.name);
  });
}

type Call = (...all: unknown[]) => unknown;
/** Methods that return no promise. */
const IMMEDIATE = new Set(["onChange", "setAuditKey"]);

/** The store as one borrower sees it: its calls are counted, and refused once it is given back. */
function lend(store: Store) {
  const pending = new Set<Promise<unknown>>();
  const unsubscribe: (() => void)[] = [];
  const state = { isOver: false, hasVerified: false };
  const wrapped = (name: string, call: Call): Call => {
    return (...all) => {
      if (state.isOver) return IMMEDIATE.has(name) ? () => undefined : Promise.reject(storageUnavailable());
      // The store remembers what it has verified.
      if (name === "verify") state.hasVerified = true;
      const result = call(...all);
      if (name === "onChange") unsubscribe.push(result as () => void);
      if (result instanceof Promise) {
        pending.add(result);
        const forget = () => void pending.delete(result);
        result.then(forget, forget);
      }
      return result;
    };
  };
  const copy = (object: object): object =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => {
        if (typeof value === "function") return [name, wrapped(name, value as Call)];
        return [name, typeof value === "object" && value !== null ? copy(value) : value];
      }),
    );
  return {
    // The same functions under the same names.
    store: copy(store) as Store,
    /** Resolves to false when the store cannot be reused: it remembers what it has verified. */
    async end(): Promise<boolean> {
      while (pending.size > 0) await Promise.allSettled(pending);
      state.isOver = true;
      for (const one of unsubscribe) one();
      return !state.hasVerified;
    },
  };
}

async function discard({ store, dataDirectory }: PooledStore): Promise<void> {
  await store.close();
  rmSync(dataDirectory, { recursive: true, force: true });
  folders.delete(dataDirectory);
}

/** Lends an empty store with `clock`. */
export async function borrowStore(clock: Clock): Promise<BorrowedStore> {
  const pooled = idle.pop() ?? (await openPooled(clock));
  pooled.clock.current = clock;
  await pooled.store.ledger.heartbeat(clock.now());
  const lent = lend(pooled.store);
  let givingBack: Promise<void> | null = null;
  const giveBack = async () => {
    if (!(await lent.end())) return discard(pooled);
    clear(pooled);
    await dropCaches(pooled.store);
    idle.push(pooled);
  };
  const close = () => {
    givingBack ??= giveBack();
    return givingBack;
  };
  return { store: { ...lent.store, close }, dataDirectory: pooled.dataDirectory };
}
