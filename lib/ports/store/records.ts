import type { Page, PageQuery } from "./common";

/** JSON values by name; each name's shape is in lib/contracts/console/settings.ts. */
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
  /** What was acted on (`key_…`, `usr_…`), empty when nothing. */
  target: string;
  /** Before and after, factor, address: never a secret. */
  detail: Record<string, unknown>;
}

export interface AuditRecord extends AuditEntry {
  seq: number;
  previousHash: string;
  /** `v2.` and an HMAC over previousHash and the row's canonical JSON; SHA-256 in hex where a row is older than the key. */
  hash: string;
}

/** What a list of audit rows may be narrowed to. */
export interface AuditFilter {
  actor?: string;
  target?: string;
  /** Actions (`key.create`) or groups of them (`key`); absent: all. */
  actions?: readonly string[];
  from?: number;
  to?: number;
}

/** What a walk over the whole chain found. It is whole when `brokenAt` is null and `expectedRows` equals `rows`. */
export interface AuditChain {
  /** Rows that follow from each other, from the first on. */
  rows: number;
  /** Of the last of these; null where there is none. */
  newestHash: string | null;
  /** The first row that was changed, or does not follow from those before it; null: none. */
  brokenAt: number | null;
  /** Rows that were written, as the keyed head says; more than `rows`: the end was cut off. Null: the head is missing or forged. */
  expectedRows: number | null;
  /** Whether one of `rows` has the hash that was asked for; false when none was. */
  hasExpected: boolean;
}

export interface Audit {
  /** Call inside the change's own transaction. Throws when the store has no audit key yet (`Store.keyAudit`). */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(query: PageQuery & AuditFilter): Promise<Page<AuditRecord>>;
  /**
   * Starts the keyed chain: writes its head, and where the store has rows from before the key an entry `audit.key` at
   * `at` (ms) that says how many were whole. Does nothing where there is a head.
   */
  startChain(at: number): Promise<void>;
  /** Reads the chain from its beginning to its first fault. `expectedHash`: of a row that must be in it. */
  verify(expectedHash?: string): Promise<AuditChain>;
}
