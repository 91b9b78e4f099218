import type { Clock } from "../ports/clock";
import type { StoreLog } from "./log";

export interface StoreOptions {
  /** `file:…` (SQLite) or `postgres://…`. */
  databaseUrl: string;
  /** The bundle of lib/store/sqlite/writer.worker.ts. */
  writerWorker: URL;
  /** Random, new at each start; owner of the usage rows this process opens. */
  instanceId: string;
  clock: Clock;
  log?: StoreLog;
  /** IANA name of the zone that days and months of budgets are counted in; the machine's own when absent. */
  timeZone?: string;
}
