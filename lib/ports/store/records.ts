import type { Page, PageQuery } from "./common";

/** JSON values by name; their shapes are in lib/contracts/console/settings.ts. */
export interface Settings {
  all(): Promise<Record<string, unknown>>;
  put(name: string, value: unknown): Promise<void>;
}

export interface AuditEntry {
  at: number;
  /** User id, `system`, `admin-command`, or `anonymous` (failed sign-ins). */
  actor: string;
  /** `setup.claim`, `login.ok`, `login.fail`, `2fa.enable`, `key.create`, … */
  action: string;
  /** The object of the action (`key_…`, `usr_…`); empty without one. */
  target: string;
  /** Values before and after, factor, address; never a secret. */
  detail: Record<string, unknown>;
}

export interface AuditRecord extends AuditEntry {
  seq: number;
  previousHash: string;
  /** `v2.` and an HMAC over previousHash and the row's canonical JSON; SHA-256 in hex for rows from before the key. */
  hash: string;
}

export interface AuditFilter {
  actor?: string;
  target?: string;
  /** Actions (`key.create`) or groups of them (`key`); absent: all. */
  actions?: readonly string[];
  from?: number;
  to?: number;
}

/** The result of verifying the chain. It is intact when `brokenAt` is null and `expectedRows` equals `rows`. */
export interface AuditChain {
  /** Number of consecutive valid rows, from the first on. */
  rows: number;
  /** Hash of the last of these; null without rows. */
  newestHash: string | null;
  /** The first row that was changed, or does not follow the row before it; null: none. */
  brokenAt: number | null;
  /** Number of rows that the keyed head names; more than `rows`: the end was cut off. Null: head missing or forged. */
  expectedRows: number | null;
  /** True when one of `rows` has the expected hash; false when no hash was given. */
  hasExpected: boolean;
}

export interface Audit {
  /** Call inside the change's own transaction. Throws when the store has no audit key yet (`Store.setAuditKey`). */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(query: PageQuery & AuditFilter): Promise<Page<AuditRecord>>;
  /**
   * Starts the keyed chain: writes its head and, where the store has rows from before the key, an entry `audit.key` at
   * `at` (ms) with the number of valid rows. Does nothing when there is a head.
   */
  startChain(at: number): Promise<void>;
  /**
   * Verifies the chain from its beginning to its first error. `expectedHash`: a hash that one of the rows must have.
   */
  verify(expectedHash?: string): Promise<AuditChain>;
}
