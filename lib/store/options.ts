import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../ports/clock";
import type { Log } from "../ports/telemetry";

/** The log functions that the store uses. */
export type StoreLog = Pick<Log, "warn" | "error">;

export const SILENT: StoreLog = { warn() {}, error() {} };

export interface StoreOptions {
  /** `file:…` (SQLite) or `postgres://…`. */
  databaseUrl: string;
  /** `DATABASE_URL_DIRECT`: where to LISTEN when `databaseUrl` leads to a pooler; absent: the same. PostgreSQL only. */
  listenUrl?: string;
  /** The bundle of lib/store/sqlite/store.worker.ts. */
  storeWorker: URL;
  /** Random, new at each start; owner of the ledger entries that this process opens. */
  instanceId: string;
  clock: Clock;
  log?: StoreLog;
  /** IANA time zone for the days and months of budgets; the machine's own when absent. */
  timeZone?: string;
}

export function isPostgresUrl(databaseUrl: string): boolean {
  return /^postgres(ql)?:\/\//.test(databaseUrl);
}

/** The path in `file:data/patchbay.db`, `file:/var/…` or `file:///var/…`. Throws an Error when there is none. */
export function fileOf(databaseUrl: string): string {
  if (databaseUrl.startsWith("file://")) return fileURLToPath(databaseUrl);
  const name = databaseUrl.slice("file:".length);
  if (name === "" || name === ":memory:") throw new Error("DATABASE_URL must name a file.");
  return path.resolve(name);
}
