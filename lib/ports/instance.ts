import type { Limits } from "../contracts/limits";

/** Facts of this running instance. */
export interface Instance {
  /** Random, new at each start; owner of open usage rows. */
  id: string;
  version: string;
  /** IANA name; days and months of budgets are counted in it. */
  timeZone: string;
  /** The higher of the environment's and the settings'. */
  passwordMinimum: number;
  /** `PATCHBAY_LEGACY_ENGINES`: the engines path may leave `model` out of the body. */
  legacyEngines: boolean;
  /** The data directory's path for humans and the admin command; never in a reply. */
  dataDirectory: string;
  /** `PATCHBAY_BASE_URL`; null: callers reach us under whatever Host they name. */
  baseUrl?: string | null;
  /** True once the process has been told to stop: readiness fails, work in flight goes on. */
  draining?: boolean;
  /** The words of calls are kept beside their rows. */
  keepsPrompts?: boolean;
  /** Cached results answer requests of all users, not of their owner alone. */
  sharesCaches?: boolean;
  /** Absent: DEFAULT_LIMITS. One object for the life of the process: its fields follow the settings. */
  limits?: Limits;
  /** What the environment gave, under the settings; absent where none are followed. */
  base?: { passwordMinimum: number; limits: Limits };
  /** Web origins whose pages may call the gateway; absent: none. */
  corsOrigins?: ReadonlySet<string>;
  /** SHA-256 of the token made in the console for /metrics, in hex; absent or null: none was made. */
  metricsTokenDigest?: string | null;
  /** Reads the settings again; resolves when they are in force in this process. */
  refreshSettings?(): Promise<void>;
}
