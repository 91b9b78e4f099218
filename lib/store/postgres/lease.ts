import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { PoolClient, QueryResult } from "pg";
import { AppError } from "../../errors";
import { storable } from "../columns";
import { isReported, storageUnavailable, translated } from "../errors";
import type { Cell } from "../ledger/rows";
import { type WaitLimit, withinTime } from "./session";

/** What a lease reports to its pool. */
interface LeaseEvents {
  /** The server answered a statement, even if with an error. */
  answered(): void;
  /** A statement failed. */
  failed(error: unknown): void;
  released(): void;
}

const asParameter = (value: unknown): unknown => (typeof value === "string" ? storable(value) : value);

/**
 * A pooled connection for one query or one transaction. Maps errors to the port's codes, ends a statement that gets no
 * answer in time, and never returns a broken connection to the pool.
 */
export class Lease implements PostgresPoolClient {
  readonly #client: PoolClient;
  readonly #limit: WaitLimit;
  readonly #events: LeaseEvents;
  #atRelease: () => void = () => {};
  #isBroken = false;

  constructor(client: PoolClient, limit: WaitLimit, events: LeaseEvents) {
    this.#client = client;
    this.#limit = limit;
    this.#events = events;
  }

  /** Calls `then` when the connection is returned. */
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
    // pg knows more commands than kysely's type; the query sets the type of the rows.
    return run as Promise<unknown> as Promise<PostgresQueryResult<R>>;
  }

  /** Runs one statement, kept prepared unless its name is empty; rows are lists of cells. */
  async cells(name: string, sql: string, parameters: readonly Cell[]): Promise<Cell[][]> {
    const values = parameters.map(asParameter);
    const { rows } = await this.#run(() =>
      this.#client.query<Cell[]>({ name, text: sql, values, rowMode: "array" }),
    );
    return rows;
  }

  release(): void {
    this.#client.release(this.#isBroken);
    this.#events.released();
    this.#atRelease();
  }

  async #runText(sql: string, parameters: ReadonlyArray<unknown>): Promise<QueryResult> {
    const result = await this.#run(() =>
      this.#client.query({ text: sql, values: parameters.map(asParameter) }),
    );
    if (sql === "commit" && result.command === "ROLLBACK") {
      // PostgreSQL reports the commit of a transaction that a failed statement has ended as ROLLBACK, without an error.
      throw new AppError("internal", "The transaction had failed before its commit; nothing was written.");
    }
    return result;
  }

  /** Never throws: the error that led to the rollback says more, and a lost connection ends its transaction anyway. */
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
      const result = await withinTime(work(), this.#limit);
      this.#events.answered();
      return result;
    } catch (error) {
      if (isReported(error)) this.#events.answered();
      else this.#isBroken = true;
      const named = translated(error);
      this.#events.failed(named);
      throw named;
    }
  }
}
