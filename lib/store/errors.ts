import { AppError, hasCode, isAppError } from "../errors";

const UNREACHABLE = "The store is unavailable. Try again in a moment.";
const FULL = "The store is out of space; changes cannot be saved until space is freed.";
const RETRY_AFTER_MS = 1_000;

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** The store is unreachable, full, read-only or locked: a 503 whose message contains no SQL and no path. */
export function storageUnavailable(cause?: unknown): AppError {
  const isFull = /^SQLITE_FULL|^53100$/.test(codeOf(cause));
  return new AppError(
    "storage_unavailable",
    isFull ? FULL : UNREACHABLE,
    { retryAfterMs: RETRY_AFTER_MS },
    cause,
  );
}

/** True when another connection holds SQLite's lock; worth a retry. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/** True when SQLite found the file damaged. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|IOERR_(SHORT_READ|DATA|CORRUPTFS))/.test(codeOf(error));
}

/** True when PostgreSQL ended this transaction because of a deadlock or a serialisation conflict; worth a retry. */
export function isContention(error: unknown): boolean {
  const code = codeOf(isAppError(error) ? error.cause : error);
  return code === "40P01" || code === "40001";
}

/** True when a prepared statement is unknown, or known already, on its connection (PostgreSQL behind a pooler). */
export function isPreparedStatementError(error: unknown): boolean {
  const code = codeOf(isAppError(error) ? error.cause : error);
  return code === "26000" || code === "42P05";
}

/** True when another transaction kept a row locked for too long (PostgreSQL); the server itself works. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(isAppError(error) ? error.cause : error) === "55P03";
}

/** PostgreSQL's codes of errors that can end the connection too, not only the statement. */
const MAY_END_CONNECTION = /^(08...|25P03|25P04|28...|3D000|40001|53...|57P..|58...)$/;

/**
 * The severity of an error that PostgreSQL sent: `ERROR` ended a statement, `FATAL` and `PANIC` the connection. A
 * server with another language (`lc_messages`) translates these words, and pg does not read the untranslated field:
 * then the error code decides.
 */
function severityOf(error: unknown): unknown {
  if (!(error instanceof Error && "severity" in error)) return undefined;
  const { severity } = error;
  if (severity === "ERROR" || severity === "FATAL" || severity === "PANIC") return severity;
  return MAY_END_CONNECTION.test(codeOf(error)) ? "FATAL" : "ERROR";
}

/** No connection was made: nothing was sent to the store. */
class NotConnected extends Error {}

/** Wraps an error of connecting in AppError `storage_unavailable`, so that `isUnsent` recognises it. */
export function unsent(error: unknown): AppError {
  return storageUnavailable(
    new NotConnected(String(isAppError(error) ? error.cause : error), { cause: error }),
  );
}

export function isUnsent(error: unknown): boolean {
  return isAppError(error) && error.cause instanceof NotConnected;
}

/** True for an error that the database itself reported: the statement had no effect, and the connection is usable. */
export function isReported(error: unknown): boolean {
  const cause = isAppError(error) ? error.cause : error;
  return codeOf(cause).startsWith("SQLITE_") || severityOf(cause) === "ERROR";
}

/**
 * True when the connection leads to a PostgreSQL database that is not the store: a standby or a primary set to
 * read-only, or one without the store's tables, columns or permissions.
 */
export function isWrongDatabase(error: unknown): boolean {
  return /^(25006|3F000|42P01|42703|42501)$/.test(codeOf(isAppError(error) ? error.cause : error));
}

const SQLITE_UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|PROTOCOL|NOMEM|CORRUPT|NOTADB)/;
/**
 * Connection errors, sign-in refused, server shutting down, out of resources, lock or statement timeout
 * (PostgreSQL, appendix A).
 */
const POSTGRES_UNAVAILABLE = /^(08...|28...|3D000|57P0[1-5]|57014|53...|58...|25P03|55P03|40P01|40001)$/;
const SOCKET_UNAVAILABLE = /^(ECONN|EPIPE|ERR_STREAM_|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|ENOENT|EACCES)/;
const POOL_UNAVAILABLE =
  /^(Connection terminated|timeout (exceeded|expired)|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after)/i;

function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (SQLITE_UNAVAILABLE.test(code) || POSTGRES_UNAVAILABLE.test(code) || SOCKET_UNAVAILABLE.test(code))
    return true;
  // A connection that the server refuses or ends, for whatever reason, is not an error of the request.
  if (severityOf(error) === "FATAL" || severityOf(error) === "PANIC" || isWrongDatabase(error)) return true;
  return error instanceof Error && POOL_UNAVAILABLE.test(error.message);
}

function isUniqueViolation(error: unknown): boolean {
  return /^(SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY|ROWID)|23505)$/.test(codeOf(error));
}

/** True when the row refers to a row that does not exist, such as a session that has just ended. */
function isForeignKeyViolation(error: unknown): boolean {
  return /^(SQLITE_CONSTRAINT_FOREIGNKEY|23503)$/.test(codeOf(error));
}

/** Maps a driver's error to `storage_unavailable`, `conflict` or `not_found`; returns any other error unchanged. */
export function translated(error: unknown): unknown {
  if (isAppError(error)) return error;
  if (isUniqueViolation(error))
    return new AppError("conflict", "A record with this name or ID already exists.", {}, error);
  if (isForeignKeyViolation(error))
    return new AppError("not_found", "The user or session that this belongs to no longer exists.", {}, error);
  if (isUnavailable(error)) return storageUnavailable(error);
  return error;
}

/** Runs a write and replaces the message of a `conflict` with `words`. */
export async function orConflict<T>(words: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (hasCode(error, "conflict")) throw new AppError("conflict", words, {}, error.cause);
    throw error;
  }
}

/** Code of errors that stop the start; their messages may name paths and hosts, never a password. */
export const START_ERROR = "STORE_START";

/** The store cannot be opened; the message says what the operator has to do. */
export class StartError extends Error {
  readonly code: string = START_ERROR;
}

/** Code of a `DamageError`. Another thread receives only the code, not the class. */
export const DAMAGE_ERROR = "STORE_DAMAGED";

/** The SQLite file is damaged. */
export class DamageError extends StartError {
  override readonly code = DAMAGE_ERROR;
}
