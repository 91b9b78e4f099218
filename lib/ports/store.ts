/**
 * The port of the database. One set of queries runs on SQLite and PostgreSQL (lib/store). Times are milliseconds since
 * 1970, money is integer nano-dollars (10⁻⁹ $, below 2⁵³), IDs are opaque strings. Every method may throw AppError
 * `storage_unavailable` (unreachable, full, read-only or locked for over a second).
 */

import type { Cipher } from "./cipher";
import type { Broadcast } from "./shared-state";
import type { Flows, Invites, Sessions, Setup, SignInThrottles, TwoFactors, Users } from "./store/accounts";
import type { Alerts } from "./store/alerts";
import type { Keys } from "./store/api-keys";
import type { Channels, Models } from "./store/catalogue";
import type { Topic } from "./store/common";
import type { Ledger } from "./store/ledger";
import type { Audit, Settings } from "./store/records";
import type { Rejections } from "./store/rejections";

export type * from "./store/accounts";
export type * from "./store/alerts";
export type * from "./store/api-keys";
export type * from "./store/catalogue";
export type * from "./store/common";
export type * from "./store/ledger";
export type * from "./store/records";
export type * from "./store/rejections";
export type * from "./store/usage-query";

export interface Repositories {
  setup: Setup;
  users: Users;
  twoFactors: TwoFactors;
  sessions: Sessions;
  flows: Flows;
  signInThrottles: SignInThrottles;
  invites: Invites;
  keys: Keys;
  channels: Channels;
  models: Models;
  settings: Settings;
  audit: Audit;
  alerts: Alerts;
  rejections: Rejections;
}

export interface Store extends Repositories {
  readonly kind: "sqlite" | "postgres";
  readonly ledger: Ledger;
  /** Sets the key of the audit chain. Call once, before the first entry. */
  setAuditKey(digest: Cipher["digest"]): void;
  /** Runs `work` in one serialised write transaction (`BEGIN IMMEDIATE`; on PostgreSQL under an advisory lock). */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>;
  /**
   * Calls `listener` with the topics that a commit touched: after each commit of this process, and within 1 s of
   * another process's (5 s while PostgreSQL's notifications do not arrive). Returns the function that unsubscribes.
   */
  onChange(listener: (topics: ReadonlySet<Topic>) => void): () => void;
  /**
   * How old this process's view of other processes' changes may be, in milliseconds. PostgreSQL announces changes, so
   * the age is 0 unless a change is being read or the announcements are interrupted; a SQLite file is checked four
   * times a second.
   */
  changeLagMs(): number;
  /** PostgreSQL's NOTIFY; null: SQLite. */
  readonly broadcast: Broadcast | null;
  /** Resolves when a minimal read succeeds; throws `storage_unavailable`. */
  ping(): Promise<void>;
  /**
   * Writes a consistent copy of a SQLite store to `path` while it is in use (`VACUUM INTO`). Throws AppError `conflict`
   * when that file exists, `invalid` when it cannot be created, or on PostgreSQL, which has its own `pg_dump`.
   */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}
