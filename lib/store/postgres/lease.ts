import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient } from "pg";
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
    const run = this.#run(() => this.#client.query({ text: sql, values: parameters.map(asParameter) }), sql);
    // pg knows more commands than kysely asks about; the rows' type is the query's own.
    return run as unknown as Promise<PostgresQueryResult<R>>;
  }

  /** Runs one prepared statement; rows are lists of cells. */
  async cells(name: string, sql: string, parameters: readonly Cell[]): Promise<Cell[][]> {
    const values = parameters.map(asParameter);
    const { rows } = await this.#run(
      () => this.#client.query<Cell[]>({ name, text: sql, values, rowMode: "array" }),
      sql,
    );
    return rows;
  }

  release(): void {
    this.#client.release(this.#isBroken);
    this.#atRelease();
  }

  async #run<T extends { command: string }>(work: () => Promise<T>, sql: string): Promise<T> {
    try {
      if (this.#isBroken) throw storageUnavailable(new Error("the connection is lost"));
      const result = await withinTime(work(), this.#statementMs);
      if (sql === "commit" && result.command === "ROLLBACK") {
        // PostgreSQL says so of a transaction that a failed statement has ended, and calls it no error.
        throw new AppError(
          "internal",
          "A transaction that had failed was to be committed; nothing was written.",
        );
      }
      return result;
    } catch (error) {
      if (!isServersOwn(error)) this.#isBroken = true;
      const named = translated(error);
      this.#failed(named);
      throw named;
    }
  }
}
