import type { Page, PageQuery } from "./common";

/** JSON values by name; each name's shape is in lib/contracts/settings.ts. */
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
  /** SHA-256 over previousHash and the row's canonical JSON. */
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

/** What a walk over the whole chain found. */
export interface AuditChain {
  /** Rows that follow from each other, from the first on. */
  rows: number;
  /** Of the last of these; null where there is none. */
  newestHash: string | null;
  /** The first row that does not follow from those before it; null: the chain is whole. */
  brokenAt: number | null;
}

export interface Audit {
  /** Call inside the change's own transaction. */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(query: PageQuery & AuditFilter): Promise<Page<AuditRecord>>;
  /** Reads the chain from its beginning to its first fault. */
  verify(): Promise<AuditChain>;
}
