import type { Limits } from "../contracts/limits";

/** Identity and settings of this running instance. */
export interface Instance {
  /** New at each start (its form: lib/server/process/instance-id.ts); owner of open ledger entries. */
  id: string;
  version: string;
  /** IANA time zone of the days and months of budgets. */
  timeZone: string;
  /** Shortest accepted password: the higher of the environment's and the settings' value. */
  passwordMinimum: number;
  /** `PATCHBAY_LEGACY_ENGINES`: the engines path may leave `model` out of the body. */
  legacyEngines: boolean;
  /** The data directory's path, for operators and the admin command; never in a reply. */
  dataDirectory: string;
  /** The folder of the SQLite file, which may be elsewhere; absent with PostgreSQL. */
  storeDirectory?: string;
  /** `PATCHBAY_BASE_URL`; null: the Host header of each request is used. */
  baseUrl?: string | null;
  /** `PATCHBAY_UPSTREAM_ALLOW`; absent: none. */
  upstreamAllow?: readonly string[];
  /** True after a stop signal: readiness fails unless `isReplaced`, running calls continue. */
  draining?: boolean;
  /** A new process of this server has taken over, so that the server stays ready. */
  isReplaced?: boolean;
  /** Input texts are stored beside their ledger entries. */
  keepsPrompts?: boolean;
  /** Cached results answer requests of all users, not only of their owner. */
  sharesCaches?: boolean;
  /** One object for the life of the process, which all readers share; its fields follow the settings. */
  limits: Limits;
  /** The environment's values, which the settings override; absent where settings are not followed. */
  base?: { passwordMinimum: number; limits: Limits };
  /** Web origins whose pages may call the gateway; absent: none. */
  corsOrigins?: ReadonlySet<string>;
  /** SHA-256 of the token for /metrics created in the console, in hex; absent or null: none. */
  metricsTokenDigest?: string | null;
  /**
   * Reads the settings again; resolves when they are in effect in this process. Does not throw: a failed read is
   * repeated every second.
   */
  refreshSettings?(): Promise<void>;
}
