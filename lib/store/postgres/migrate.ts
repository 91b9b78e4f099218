import { Client, type ClientConfig } from "pg";
import { systemCode } from "../../errors";
import { isLockTimeout, StartError } from "../errors";
import { MIGRATIONS, newerSchemaMessage } from "../migrations";
import { addMonths, declareEarlierIds, isUnpartitioned, proveEarlierIds, type Query } from "./partitions";
import { hostAndDatabaseOf, sessionConfig } from "./session";

/**
 * Advisory locks of one database, as pairs of integers. The first is "PBay" in ASCII, to avoid those of other programs.
 */
const LOCK_NAMESPACE = 0x50426179;

export const LOCKS = {
  /** Held by the instance that migrates. */
  migrations: [LOCK_NAMESPACE, 1],
  /** Held by the only write transaction of all instances; the ledger locks its own rows instead. */
  writes: [LOCK_NAMESPACE, 2],
} as const satisfies Record<string, readonly [number, number]>;

/** How long a start waits for another process that migrates, and for a database server that is starting. */
const START_WAIT_MS = 30_000;
const RETRY_MS = 200;
const STARTING_UP = "57P03";
const NOT_ALLOWED = "42501";
/** How long one statement waits for a lock. */
const LOCK_MS = 500;

/** The error message for an operator whose database cannot be used. */
function startError(url: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  const words = (error instanceof Error && error.message) || systemCode(error) || String(error);
  const advice =
    systemCode(error) === NOT_ALLOWED
      ? " Its user must be allowed to create tables there: make it the owner of the database."
      : words.startsWith("unsupported startup parameter")
        ? " Add to pgbouncer.ini: ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout"
        : "";
  return new StartError(
    `The store at ${hostAndDatabaseOf(url)} cannot be opened for writing (${words}).${advice}`,
    {
      cause: error,
    },
  );
}

/** The configuration of a session for statements that may take any time. */
export function patientConfig(url: string): ClientConfig {
  return {
    ...sessionConfig(url, START_WAIT_MS),
    connectionTimeoutMillis: START_WAIT_MS,
    statement_timeout: 0,
    lock_timeout: START_WAIT_MS,
  };
}

async function connect(url: string): Promise<Client> {
  const deadline = performance.now() + START_WAIT_MS;
  for (;;) {
    const client = new Client(patientConfig(url));
    // Without a listener, a lost connection would end the process; the query that was using it reports the cause.
    client.on("error", () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      if (systemCode(error) !== STARTING_UP || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** The table that marks a database as an unfinished copy of a SQLite store (lib/store/copy-store.ts). */
export const UNFINISHED_COPY = "unfinished_copy";

async function requireFinished(query: Query): Promise<void> {
  const [mark] = await query(`select to_regclass('${UNFINISHED_COPY}') is not null as found`);
  if (mark?.found !== true) return;
  throw new StartError(
    "The database is an unfinished copy of a SQLite store. Run migrate-store again on that store, or use another database.",
  );
}

/**
 * Runs `work` in a transaction, one process at a time. Waits for each lock only shortly, and repeats: while a
 * statement waits for a table, the calls of running instances wait behind it.
 */
async function inMigration<T>(client: Client, work: (query: Query) => Promise<T>): Promise<T> {
  const deadline = performance.now() + START_WAIT_MS;
  for (;;) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${LOCK_MS}`);
      // Held until the transaction ends; a second process then sees the version that the first one wrote.
      await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.migrations]);
      const result = await work(async (text, parameters) => {
        const { rows } = await client.query<Record<string, unknown>>(text, parameters);
        return rows;
      });
      await client.query("commit");
      return result;
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > deadline) throw error;
      await client.query("rollback");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function readVersion(query: Query): Promise<number> {
  await query(
    "create table if not exists schema_version (id bigint primary key check (id = 1), version bigint not null)",
  );
  const [row] = await query("select version from schema_version");
  const version = Number(row?.version ?? 0);
  if (version > MIGRATIONS.length) throw new StartError(newerSchemaMessage(version));
  return version;
}

async function migrateOn(
  client: Client,
  now: number,
  inside: (query: Query) => Promise<void>,
): Promise<void> {
  const { rows: encodings } = await client.query<{ server_encoding: string }>("show server_encoding");
  const encoding = encodings[0]?.server_encoding;
  if (encoding !== "UTF8") {
    throw new StartError(
      `The database has encoding ${encoding}; create one with: create database … encoding 'UTF8'`,
    );
  }
  const isDeclared = await inMigration(client, async (query) =>
    isUnpartitioned(await readVersion(query)) ? declareEarlierIds(query) : false,
  );
  if (isDeclared)
    await inMigration(client, async (query) => {
      if (isUnpartitioned(await readVersion(query))) await proveEarlierIds(query);
    });
  await inMigration(client, async (query) => {
    const version = await readVersion(query);
    for (const migration of MIGRATIONS.slice(version)) {
      for (const statement of migration("postgres")) await query(statement);
    }
    // Written even when nothing changed: a start must fail on a store that takes no writes.
    await query(
      "insert into schema_version (id, version) values (1, $1) on conflict (id) do update set version = excluded.version",
      [MIGRATIONS.length],
    );
    await addMonths(query, now);
    await inside(query);
  });
}

/**
 * Migrates the schema in one transaction, so that an interrupted start leaves no half of a migration, and creates the
 * partitions of the months after `now`. Throws an error with code `STORE_START` whose message says what the operator
 * has to do. `inside` runs in the same transaction, on the migrated schema; without it, an unfinished copy is rejected.
 */
export async function migratePostgres(url: string, now: number, inside = requireFinished): Promise<void> {
  try {
    const client = await connect(url);
    try {
      await migrateOn(client, now, inside);
    } finally {
      await client.end();
    }
  } catch (error) {
    throw startError(url, error);
  }
}
