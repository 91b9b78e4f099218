import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, sql } from "kysely";
import { AppError } from "../../errors";
import type { Store } from "../../ports/store";
import { assembleStore } from "../assemble";
import { ChangeFeed } from "../changes";
import { isLockTimeout } from "../errors";
import { SILENT, type StoreOptions } from "../options";
import type { Tables } from "../schema";
import type { Connections } from "../transactions";
import { WriteQueue } from "../write-queue";
import { CHANNEL, ChangeListener, MESSAGES } from "./change-listener";
import { groupCommitOn } from "./commit-group";
import { LeasePool, ServerLiveness } from "./lease-pool";
import { LOCKS, migratePostgres } from "./migrate";
import { addMonths, dropMonths, type Query } from "./partitions";
import { ANSWER_MS, SCAN_MS, SLOW_MS, setLocalLimits } from "./session";

const READERS = 8;
const SCANNERS = 2;
/** One for transactions, one for the ledger. */
const WRITERS = 2;
/** How long maintenance waits for a table's lock: calls that need the table wait behind it. */
const MAINTENANCE_LOCK_MS = 100;

function databaseOn(pool: PostgresPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Sets the limits, which also bound the wait for the lock, in the same message, so that they cost no round trip. */
const TAKE_LOCK = `${setLocalLimits(SLOW_MS)}; select pg_advisory_xact_lock(${LOCKS.writes.join(", ")})`;

/** The advisory lock that lets one write transaction of all instances run at a time. */
class WriteLock {
  #refused: { at: number; error: unknown } | null = null;

  async take(db: Kysely<Tables>): Promise<void> {
    try {
      await db.executeQuery(CompiledQuery.raw(TAKE_LOCK));
    } catch (error) {
      if (isLockTimeout(error)) this.#refused = { at: performance.now(), error };
      throw error;
    }
  }

  /** Throws when an attempt to lock failed after `since`: callers that waited behind that attempt do not wait again. */
  requireNotRefused(since: number): void {
    if (this.#refused && this.#refused.at > since) throw this.#refused.error;
  }
}

/** One write transaction of this process at a time. */
function serializeWrites(pool: LeasePool, turns: WriteQueue, lock: WriteLock): PostgresPool {
  return {
    async connect() {
      const since = performance.now();
      const end = await turns.take();
      try {
        lock.requireNotRefused(since);
        const lease = await pool.connect(since);
        lease.onRelease(end);
        return lease;
      } catch (error) {
        end();
        throw error;
      }
    },
    end: () => pool.end(),
  };
}

/** Creates the partitions of the coming months and drops those that end before `before`. */
async function maintain(db: Kysely<Tables>, now: number, before: number | null): Promise<void> {
  const query: Query = async (text, parameters = []) =>
    (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, parameters))).rows;
  await query(`set local lock_timeout = ${MAINTENANCE_LOCK_MS}`);
  await addMonths(query, now);
  if (before !== null) await dropMonths(query, before);
}

async function refuseBackup(): Promise<never> {
  throw new AppError(
    "invalid",
    "This store is PostgreSQL, which has its own backup: pg_dump --format=custom --file=<file> <DATABASE_URL>.",
  );
}

/** Opens a PostgreSQL database; several instances may use it. */
export async function openPostgresStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl: url, log = SILENT } = options;
  await migratePostgres(url, options.clock.now());
  const liveness = new ServerLiveness();
  const short = { silentMs: ANSWER_MS, maxMs: SLOW_MS };
  const long = { silentMs: SCAN_MS, maxMs: SCAN_MS };
  const readers = new LeasePool(url, { max: READERS, statement: short, liveness, log });
  const scanners = new LeasePool(url, { max: SCANNERS, statement: long, liveness, log });
  const writers = new LeasePool(url, { max: WRITERS, statement: short, liveness, log });
  const lock = new WriteLock();
  const read = databaseOn(readers);
  const scan = databaseOn(scanners);
  const write = databaseOn(serializeWrites(writers, new WriteQueue(), lock));
  const feed = new ChangeFeed(read, log);
  const notify = async () => {
    await sql`select pg_notify(${CHANNEL}, '')`.execute(read);
  };
  const listener = new ChangeListener(options.listenUrl ?? url, feed, { log, liveness, notify });
  await listener.start();

  const writeTransaction: Connections["writeTransaction"] = (work) =>
    write
      .transaction()
      .setIsolationLevel("read committed")
      .execute(async (db) => {
        // Statements after this one read what the previous holder has committed.
        await lock.take(db);
        return work(db);
      });

  return assembleStore(
    {
      kind: "postgres",
      connections: {
        read,
        scan,
        sums: scan,
        writeTransaction,
        writeOne: writeTransaction,
        async announce(db) {
          await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
        },
      },
      feed,
      commitGroup: groupCommitOn(writers),
      broadcast: {
        send: (message) =>
          void sql`select pg_notify(${MESSAGES}, ${message})`.execute(read).catch(() => undefined),
        listen: (receive) => listener.onMessage(receive),
      },
      // One instance at a time, like every write transaction; the others then find nothing to do.
      maintainLedger: (now, before) => writeTransaction((db) => maintain(db, now, before)),
      async ping() {
        // Fails on a database without the store's tables.
        await sql`select version from schema_version`.execute(read);
      },
      backup: refuseBackup,
      async close() {
        await listener.close();
        await Promise.all([readers.end(), scanners.end(), writers.end()]);
      },
    },
    options,
  );
}
