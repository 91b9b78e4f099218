import { type ClientConfig, TypeOverrides } from "pg";
import { LOCK_WAIT_MS } from "../ledger/group-commit";

/**
 * How long the server may be silent; the rest of the second is left for the caller to get `storage_unavailable`.
 */
export const ANSWER_MS = 0.9 * LOCK_WAIT_MS;
/**
 * How long a statement may take while the server answers others: the machine is slow then, but the store is available.
 */
export const SLOW_MS = 3 * LOCK_WAIT_MS;
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

/** The server's limits in ms. It ends statements slightly before the client stops waiting for them. */
function limitsOf(statementMs: number) {
  return {
    statement_timeout: Math.round(0.95 * statementMs),
    lock_timeout: Math.round(0.9 * ANSWER_MS),
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  };
}

/** The statements that set the session's limits for one transaction, since a pooler ignores those of the session. */
export function setLocalLimits(statementMs: number): string {
  return Object.entries(limitsOf(statementMs))
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join("; ");
}

/** The session's configuration. */
export function sessionConfig(url: string, statementMs: number): ClientConfig {
  return {
    connectionString: url,
    application_name: "patchbay",
    types,
    keepAlive: true,
    connectionTimeoutMillis: ANSWER_MS,
    ...limitsOf(statementMs),
  };
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}

/** Host and database of a URL for messages to the operator: no user name, no password. */
export function hostAndDatabaseOf(url: string): string {
  // A URL with a user has a host, but that of a local socket may have none.
  const { host, pathname, searchParams } = new URL(url.replace(/\/\/[^/]*@\//, "///"));
  return `${decoded(host) || searchParams.get("host") || "the local socket"}${pathname}`;
}

/** The URL with `<password>` in place of its password. */
export function withoutPassword(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^:@/?#]*):[^/?#]*@/, "$1:<password>@")
    .replace(/([?&]password=)[^&#]*/g, "$1<password>");
}

/** How long to wait for a server: an unreachable one answers nothing, a slow one still answers other statements. */
export interface WaitLimit {
  /** Longest time without any answer of the server. */
  silentMs: number;
  /** Longest wait while the server answers others. */
  maxMs: number;
  /** When it last answered anything (`performance.now()`). */
  answeredAt(): number;
}

const NEVER = (): number => Number.NEGATIVE_INFINITY;
/** A wait is checked this often; a check that comes later than the slack shows that this process was stalled. */
const POLL_MS = 100;
const SLACK_MS = 20;

/**
 * Waits for `work` as long as `limit` allows; `late` receives a result that comes after that. Time in which this process
 * did not run (a blocked event loop, a machine without CPU to spare) does not count: answers could not be read then.
 */
export function withinTime<T>(
  work: Promise<T>,
  limit: number | WaitLimit,
  late: (value: T) => void = () => {},
): Promise<T> {
  const { silentMs, maxMs, answeredAt } =
    typeof limit === "number" ? { silentMs: limit, maxMs: limit, answeredAt: NEVER } : limit;
  return new Promise((resolve, reject) => {
    const since = performance.now();
    let isOver = false;
    let stalledMs = 0;
    let timer: NodeJS.Timeout;
    const end = (): void => {
      isOver = true;
      reject(new Error("timeout expired: the database did not answer"));
    };
    const wait = (ms: number): void => {
      const dueAt = performance.now() + ms;
      timer = setTimeout(() => {
        const now = performance.now();
        if (now - dueAt > SLACK_MS) stalledMs += now - dueAt;
        const lostAt = Math.max(since, answeredAt()) + silentMs;
        const leftMs = Math.min(lostAt, since + maxMs) + stalledMs - now;
        if (leftMs > 0) wait(Math.min(leftMs, POLL_MS));
        // One more turn of the event loop: after a stall the answer may be waiting to be read.
        else setImmediate(end);
      }, ms);
    };
    wait(Math.min(silentMs, POLL_MS));
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
