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

export interface Audit {
  /** Call inside the change's own transaction. */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(query: PageQuery): Promise<Page<AuditRecord>>;
  /** The seq of the first row that does not follow from those before it; null: the chain is whole. */
  verify(): Promise<number | null>;
}
