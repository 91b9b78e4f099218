import { type ClientConfig, TypeOverrides } from "pg";
import { LOCK_WAIT_MS } from "../ledger/group-commit";

/**
 * How long the server may take to answer; the rest of the second is left for the caller to get `storage_unavailable`.
 */
export const ANSWER_MS = 0.9 * LOCK_WAIT_MS;
/** How long a query over many rows may take. */
export const SCAN_MS = 30_000;
/** A transaction idle for this long is ended, and its locks released. */
const IDLE_TRANSACTION_MS = 10_000;

const BIGINT = 20;
/** The type of a sum of bigints. */
const NUMERIC = 1700;

/** Every number is an integer below 2⁵³; pg would return text. */
const types = new TypeOverrides();
types.setTypeParser(BIGINT, Number);
types.setTypeParser(NUMERIC, Number);

/** The session's configuration. The server ends statements slightly before the client stops waiting for them. */
export function sessionConfig(url: string, statementMs: number): ClientConfig {
  return {
    connectionString: url,
    application_name: "patchbay",
    types,
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_MS,
    statement_timeout: Math.round(0.95 * statementMs),
    lock_timeout: Math.round(0.9 * ANSWER_MS),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  };
}

/** Host and database of a URL for messages to the operator: no user name, no password. */
export function hostAndDatabaseOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${host || searchParams.get("host") || "the local socket"}${pathname}`;
}

/** Waits for `work` for at most `ms`; `late` receives a result that comes after that. */
export function withinTime<T>(work: Promise<T>, ms: number, late: (value: T) => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (): void => {
      isOver = true;
      reject(new Error("timeout expired: the database did not answer"));
    };
    // One more turn of the event loop: after a stall the answer may be waiting to be read.
    const timer = setTimeout(() => setImmediate(end), ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        if (isOver) late(value);
        else resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
