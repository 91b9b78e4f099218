import { setTimeout as sleep } from "node:timers/promises";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { isBusy, translated } from "../errors";
import { LOCK_WAIT_MS } from "../ledger/group-commit";
import type { WriteQueue } from "../write-queue";
import type { Connection, QueryOutcome } from "./connection";
import type { WorkerClient, WorkerRun } from "./worker-client";

const RETRY_MS = 10;
/**
 * How long a write retries at least, even if its turn comes late. The writes that were waiting when another write gave
 * up share one such period: a period for each would add up while a lock lasts.
 */
const LATE_WAIT_MS = LOCK_WAIT_MS / 4;

/** Retries `work` while another process holds the lock, until a second after `since`, without blocking the thread. */
export async function retryWhileLocked<T>(
  work: () => Promise<T>,
  since = performance.now(),
  onGiveUp = () => {},
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error)) throw translated(error);
      if (performance.now() - since > LOCK_WAIT_MS) {
        onGiveUp();
        throw translated(error);
      }
      await sleep(RETRY_MS);
    }
  }
}

type Run = (sql: string, parameters: readonly unknown[]) => Promise<QueryOutcome>;

class SqliteConnection implements DatabaseConnection {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const outcome = await this.#run(query.sql, query.parameters);
    // The query sets the type of its rows.
    return { rows: outcome.rows as R[], numAffectedRows: BigInt(outcome.changes) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("the store does not stream rows");
  }
}

/** Reads only: no transactions. */
class ReadDriver implements Driver {
  readonly #connection: SqliteConnection;

  constructor(run: Run) {
    this.#connection = new SqliteConnection((sql, parameters) =>
      retryWhileLocked(() => run(sql, parameters)),
    );
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<void> {
    throw new Error("writes go through the writer");
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

/** One turn of the only writer. */
interface Lease {
  end(): void;
  run: WorkerRun;
  since: number;
  onGiveUp(): void;
  /** From `BEGIN IMMEDIATE` on; before that, a statement is a transaction of its own. */
  hasBegun: boolean;
}

/** A connection is one turn of the only writer, with one transaction or one statement. */
class WriteDriver implements Driver {
  readonly #writer: WorkerClient;
  readonly #turns: WriteQueue;
  readonly #leases = new WeakMap<DatabaseConnection, Lease>();
  /** When a write last gave up on the lock; not moved by writes that were already waiting then and gave up later. */
  #gaveUpAt = Number.NEGATIVE_INFINITY;

  constructor(writer: WorkerClient, turns: WriteQueue) {
    this.#writer = writer;
    this.#turns = turns;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const asked = performance.now();
    const end = await this.#turns.take();
    const lateSince = asked <= this.#gaveUpAt ? this.#gaveUpAt : performance.now();
    const since = Math.max(asked, lateSince - LOCK_WAIT_MS + LATE_WAIT_MS);
    const onGiveUp = () => {
      if (asked > this.#gaveUpAt) this.#gaveUpAt = performance.now();
    };
    try {
      const lease: Lease = { end, run: this.#writer.run(), since, onGiveUp, hasBegun: false };
      const connection = new SqliteConnection((sql, parameters) => {
        const kind = lease.hasBegun ? "query" : "write";
        const work = () => this.#writer.request({ kind, sql, parameters }, lease.run);
        return retryWhileLocked(work, since, onGiveUp);
      });
      this.#leases.set(connection, lease);
      return connection;
    } catch (error) {
      end();
      throw error;
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const lease = this.#leases.get(connection);
    const begin = () => this.#exec(connection, "begin immediate");
    await retryWhileLocked(begin, lease?.since, lease?.onGiveUp);
    if (lease) lease.hasBegun = true;
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#exec(connection, "commit");
    } catch (error) {
      throw translated(error);
    }
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#exec(connection, "rollback");
    } catch {
      // SQLite has rolled back already, or the worker is gone and its transaction with it.
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#leases.get(connection)?.end();
  }

  async destroy(): Promise<void> {}

  async #exec(connection: DatabaseConnection, sql: string): Promise<void> {
    await this.#writer.request({ kind: "exec", sql }, this.#leases.get(connection)?.run);
  }
}

function dialect(createDriver: () => Driver): Dialect {
  return {
    createDriver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Reads on a connection of this thread. */
export const readDialect = (connection: Connection): Dialect =>
  dialect(() => new ReadDriver(async (sql, parameters) => connection.query(sql, parameters)));

/** Reads on a worker's connection, for long queries. */
export const scanDialect = (worker: WorkerClient): Dialect =>
  dialect(() => new ReadDriver((sql, parameters) => worker.request({ kind: "query", sql, parameters })));

/** Transactions on the writer; a statement outside of one is a transaction of its own. */
export const writeDialect = (writer: WorkerClient, turns: WriteQueue): Dialect =>
  dialect(() => new WriteDriver(writer, turns));
