import type Database from "libsql";
import { LRUCache } from "lru-cache";
import { storable } from "../columns";
import { storageUnavailable } from "../errors";
import type { Cell } from "../ledger/rows";

/** Most prepared statements; the least recently used is dropped. */
const MAX_STATEMENTS = 200;

export interface QueryOutcome {
  rows: unknown[];
  changes: number;
}

/**
 * One SQLite connection with its prepared statements. Reads use `all()` only: libsql's `get()` leaves the statement
 * open, and with it an old snapshot of the database.
 */
export class Connection {
  readonly #database: Database.Database;
  readonly #statements = new LRUCache<string, Database.Statement>({ max: MAX_STATEMENTS });

  constructor(database: Database.Database) {
    this.#database = database;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs `work` in a transaction that has the write lock from its beginning. */
  transaction<T>(work: () => T): T {
    this.exec("begin immediate");
    try {
      const result = work();
      this.exec("commit");
      return result;
    } catch (error) {
      try {
        this.exec("rollback");
      } catch {
        // SQLite has rolled back already; the first error says why.
      }
      throw error;
    }
  }

  /** Runs one statement; rows are objects by column name. */
  query(sql: string, parameters: readonly unknown[]): QueryOutcome {
    const statement = this.#prepare(sql, sql, false);
    const bound = parameters.map(bindable);
    try {
      if (statement.reader) {
        const rows = statement.all(bound);
        return { rows, changes: rows.length };
      }
      return { rows: [], changes: statement.run(bound).changes };
    } catch (error) {
      this.#statements.delete(sql);
      throw error;
    }
  }

  /** Runs one statement; rows are lists of cells. */
  cells(sql: string, parameters: readonly Cell[]): Cell[][] {
    const name = `cells ${sql}`;
    const statement = this.#prepare(name, sql, true);
    try {
      if (!statement.reader) {
        statement.run(parameters);
        return [];
      }
      // `raw` rows are arrays, and the columns have numbers, text and null only.
      return statement.all(parameters) as Cell[][];
    } catch (error) {
      this.#statements.delete(name);
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(name: string, sql: string, isRaw: boolean): Database.Statement {
    if (!this.#database.open) throw storageUnavailable(new Error("the store is closed"));
    let statement = this.#statements.get(name);
    if (statement) return statement;
    statement = this.#database.prepare(sql);
    if (isRaw && statement.reader) statement.raw(true);
    this.#statements.set(name, statement);
    return statement;
  }
}

/** libsql ends the process when it gets a parameter of an unknown type, such as a boolean. */
function bindable(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (value === null || typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`SQLite takes no parameter of type ${typeof value}`);
}
