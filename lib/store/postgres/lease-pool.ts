import type { PostgresPool } from "kysely";
import { Pool } from "pg";
import { hasCode } from "../../errors";
import { translated } from "../errors";
import type { StoreLog } from "../options";
import { Lease } from "./lease";
import { ANSWER_MS, sessionConfig, withinTime } from "./session";

const IDLE_MS = 60_000;
/** How long closing waits for connections that may be lost. */
const LEAVE_MS = 1_000;

/** Connections to one server. Each is made when needed, so a server that comes back is used without further action. */
export class LeasePool implements PostgresPool {
  readonly #pool: Pool;
  readonly #statementMs: number;
  #lastFailure: { at: number; error: unknown } | null = null;

  constructor(url: string, options: { max: number; statementMs: number; log: StoreLog }) {
    this.#statementMs = options.statementMs;
    this.#pool = new Pool({
      ...sessionConfig(url, options.statementMs),
      max: options.max,
      idleTimeoutMillis: IDLE_MS,
    });
    const lost = (error: Error): void => options.log.warn("store_connection_lost", { cause: error.message });
    // Without an `error` listener a lost connection would end this process: the pool listens to idle connections only.
    this.#pool.on("error", lost);
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  /**
   * Throws AppError `storage_unavailable` when there is no connection within a second, or when the server was found
   * unreachable after `since`: a caller that waited for another's attempt does not wait for its own.
   */
  async connect(since = performance.now()): Promise<Lease> {
    if (this.#lastFailure && this.#lastFailure.at > since) throw this.#lastFailure.error;
    try {
      const client = await withinTime(this.#pool.connect(), ANSWER_MS, (late) => late.release());
      return new Lease(client, this.#statementMs, (error) => this.#note(error));
    } catch (error) {
      const named = translated(error);
      this.#note(named);
      throw named;
    }
  }

  async end(): Promise<void> {
    await withinTime(this.#pool.end(), LEAVE_MS).catch(() => {
      // A clean close would wait for a server that does not answer.
    });
  }

  #note(error: unknown): void {
    if (hasCode(error, "storage_unavailable")) this.#lastFailure = { at: performance.now(), error };
  }
}
