import type { PostgresPool } from "kysely";
import { Pool, type PoolClient } from "pg";
import { type AppError, hasCode } from "../../errors";
import { isWrongDatabase, storageUnavailable } from "../errors";
import type { StoreLog } from "../options";
import { Lease } from "./lease";
import { ANSWER_MS, SLOW_MS, sessionConfig, type WaitLimit, withinTime } from "./session";

const IDLE_MS = 60_000;
/** How long closing waits for connections that may be lost. */
const LEAVE_MS = 1_000;
const SLOW_LOG_MS = 10_000;
const MIN_RECONNECT_MS = 1_000;
const MAX_RECONNECT_MS = 60_000;

/** What is known about one server, shared by all connection pools to it. */
export class ServerLiveness {
  /** When the server last answered. */
  answeredAt = Number.NEGATIVE_INFINITY;
  /**
   * Connections made before this time may lead to a database that is not the store, and are replaced: the host name may
   * lead to another server by now.
   */
  wrongDatabaseAt = Number.NEGATIVE_INFINITY;
  #intervalMs = MIN_RECONNECT_MS;

  beat(): void {
    this.answeredAt = performance.now();
  }

  isLost(): boolean {
    return performance.now() - this.answeredAt > ANSWER_MS;
  }

  /**
   * Records that a statement has shown a wrong database, so that all connections are made again. Does so at increasing
   * intervals only: a server with a full disk may stay read-only for hours.
   */
  noteWrongDatabase(): void {
    const now = performance.now();
    const agoMs = now - this.wrongDatabaseAt;
    if (agoMs > 2 * MAX_RECONNECT_MS) this.#intervalMs = MIN_RECONNECT_MS;
    if (agoMs <= this.#intervalMs) return;
    this.wrongDatabaseAt = now;
    this.#intervalMs = Math.min(2 * this.#intervalMs, MAX_RECONNECT_MS);
  }
}

interface LeasePoolOptions {
  max: number;
  /**
   * How long a statement may take: `maxMs` while the server answers other statements, `silentMs` while it is silent.
   */
  statement: Pick<WaitLimit, "silentMs" | "maxMs">;
  liveness: ServerLiveness;
  log: StoreLog;
}

/**
 * Compiling a sum of many columns takes 100 to 500 ms, several times what it saves over a bounded number of rows. Rows
 * of a range of time lie side by side, so that reading them by index costs little more than reading in order: at the
 * server's default of 4 a week's sums read the whole table.
 */
const SESSION_SETTINGS = "set jit = off; set random_page_cost = 1.1";

/**
 * Connections to one server. Each is made when needed, so a server that comes back is used without further action.
 * Callers wait for a connection as long as the server answers other callers: a full pool does not mean that the store
 * is unavailable.
 */
export class LeasePool implements PostgresPool {
  readonly #pool: Pool;
  readonly #options: LeasePoolOptions;
  readonly #statement: WaitLimit;
  readonly #connecting: WaitLimit;
  /** Callers that wait for one of `max` connections, longest wait first. */
  readonly #waiting = new Set<() => void>();
  #free: number;
  #slowLoggedAt = Number.NEGATIVE_INFINITY;
  #lastFailure: { at: number; error: unknown } | null = null;
  /** When each connection was made. */
  readonly #madeAt = new WeakMap<object, number>();

  constructor(url: string, options: LeasePoolOptions) {
    this.#options = options;
    this.#free = options.max;
    const answeredAt = () => options.liveness.answeredAt;
    this.#statement = { ...options.statement, answeredAt };
    this.#connecting = { silentMs: ANSWER_MS, maxMs: SLOW_MS, answeredAt };
    this.#pool = new Pool({
      ...sessionConfig(url, options.statement.maxMs),
      max: options.max,
      idleTimeoutMillis: IDLE_MS,
    });
    const lost = (error: Error): void => options.log.warn("store_connection_lost", { cause: error.message });
    // Without an `error` listener a lost connection would end this process: the pool listens to idle connections only.
    this.#pool.on("error", lost);
    this.#pool.on("connect", (client) => {
      client.on("error", () => {});
      this.#madeAt.set(client, performance.now());
      // No startup parameter, since PgBouncer refuses those; where it fails, the first statement does too.
      client.query(SESSION_SETTINGS).catch(() => {});
    });
  }

  /**
   * Throws AppError `storage_unavailable` when the server was silent for about a second, when another caller found it
   * unreachable after `since` (so that a caller that waited for that attempt does not wait for one of its own), or when
   * no connection became free within three seconds.
   */
  async connect(since = performance.now()): Promise<Lease> {
    if (this.#lastFailure && this.#lastFailure.at > since) throw this.#lastFailure.error;
    const giveBack = (): void => this.#giveBack();
    try {
      await withinTime(this.#takeSlot(), this.#connecting, giveBack);
    } catch (error) {
      throw this.#failure(error);
    }
    this.#logSlow(performance.now() - since);
    try {
      const client = await withinTime(this.#client(), this.#connecting, (late) => late.release());
      return new Lease(client, this.#statement, {
        answered: () => this.#options.liveness.beat(),
        failed: (error) => this.#note(error),
        released: giveBack,
      });
    } catch (error) {
      giveBack();
      throw this.#failure(error);
    }
  }

  async end(): Promise<void> {
    await withinTime(this.#pool.end(), LEAVE_MS).catch(() => {
      // A clean close would wait for a server that does not answer.
    });
  }

  /** A connection made after `wrongDatabaseAt`; closes older ones. */
  async #client(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if ((this.#madeAt.get(client) ?? 0) > this.#options.liveness.wrongDatabaseAt) return client;
      client.release(true);
    }
  }

  #takeSlot(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }

  #logSlow(ms: number): void {
    if (ms < ANSWER_MS || performance.now() - this.#slowLoggedAt < SLOW_LOG_MS) return;
    this.#slowLoggedAt = performance.now();
    this.#options.log.warn("store_slow", { ms: Math.round(ms), count: this.#waiting.size });
  }

  /** The error for a connection that could not be made. Whatever the reason, it is not an error of the request. */
  #failure(error: unknown): AppError {
    const named = storageUnavailable(error);
    this.#note(named);
    return named;
  }

  /** Records a server that cannot be reached; a slow one, or a locked row, fails only this caller. */
  #note(error: unknown): void {
    if (isWrongDatabase(error)) this.#options.liveness.noteWrongDatabase();
    if (hasCode(error, "storage_unavailable") && this.#options.liveness.isLost())
      this.#lastFailure = { at: performance.now(), error };
  }
}
