import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient, QueryResult } from "pg";
import { AppError } from "../../errors";
import { storable } from "../columns";
import { storageUnavailable, translated } from "../errors";
import type { Cell } from "../ledger/rows";
import { withinTime } from "./session";

/** What became of a statement, for the pool that watches over its leases. */
export type Failed = (error: unknown) => void;

const asParameter = (value: unknown): unknown => (typeof value === "string" ? storable(value) : value);

/** An error that the server itself told of leaves the connection in order. */
function isServersOwn(error: unknown): boolean {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

/**
 * A pooled connection for one query or one transaction. Its errors are named in the port's words, a statement that
 * gets no answer ends within its time, and a connection that is out of order never goes back to the pool.
 */
export class Lease implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #statementMs: number;
  readonly #failed: Failed;
  #atRelease: () => void = () => {};
  #isBroken = false;

  constructor(client: PoolClient, statementMs: number, failed: Failed) {
    this.#client = client;
    this.#statementMs = statementMs;
    this.#failed = failed;
  }

  /** Runs `then` once the connection is given back. */
  onRelease(then: () => void): void {
    this.#atRelease = then;
  }

  query<R>(sql: string, parameters: ReadonlyArray<unknown>): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: ReadonlyArray<unknown> = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== "string") throw new Error("the store does not stream rows");
    const run = sql === "rollback" ? this.#rollback() : this.#runText(sql, parameters);
    // pg knows more commands than kysely asks about; the rows' type is the query's own.
    return run as Promise<unknown> as Promise<PostgresQueryResult<R>>;
  }

  /** Runs one prepared statement; rows are lists of cells. */
  async cells(name: string, sql: string, parameters: readonly Cell[]): Promise<Cell[][]> {
    const values = parameters.map(asParameter);
    const { rows } = await this.#run(() =>
      this.#client.query<Cell[]>({ name, text: sql, values, rowMode: "array" }),
    );
    return rows;
  }

  release(): void {
    this.#client.release(this.#isBroken);
    this.#atRelease();
  }

  async #runText(sql: string, parameters: ReadonlyArray<unknown>): Promise<QueryResult> {
    const result = await this.#run(() =>
      this.#client.query({ text: sql, values: parameters.map(asParameter) }),
    );
    if (sql === "commit" && result.command === "ROLLBACK") {
      // PostgreSQL says so of a transaction that a failed statement has ended, and calls it no error.
      throw new AppError(
        "internal",
        "A transaction that had failed was to be committed; nothing was written.",
      );
    }
    return result;
  }

  /** Never throws: what made it needful says more, and a connection that is lost takes its transaction along. */
  async #rollback(): Promise<Pick<QueryResult, "command" | "rowCount" | "rows">> {
    try {
      if (!this.#isBroken) return await this.#runText("rollback", []);
    } catch {
      // The connection counts as broken now.
    }
    return { command: "ROLLBACK", rowCount: null, rows: [] };
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.#isBroken) throw storageUnavailable(new Error("the connection is lost"));
      return await withinTime(work(), this.#statementMs);
    } catch (error) {
      if (!isServersOwn(error)) this.#isBroken = true;
      const named = translated(error);
      this.#failed(named);
      throw named;
    }
  }
}
