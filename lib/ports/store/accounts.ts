import type { Budget, CallLimits, Page, PageQuery, Role, Spent, Versioned } from "./common";

/** Limits and budget apply to all keys of the user together. */
export interface UserRecord extends CallLimits {
  id: string;
  username: string;
  /** NFC, lower-cased; unique. Names are compared by it. */
  usernameKey: string;
  displayName: string;
  email: string | null;
  emailKey: string | null;
  role: Role;
  enabled: boolean;
  /** PHC string. */
  passwordHash: string;
  /** Rises with every change of password; flows and sessions of an older version are invalid. */
  passwordVersion: number;
  locale: string | null;
  budget: Budget;
  createdAt: number;
  version: number;
}

/** Derived data of a user, for lists. */
export interface UserStatus {
  hasTwoFactor: boolean;
  /** 2FA is locked until this time, which may have passed; null: not locked. */
  lockedUntil: number | null;
  /** When one of the user's sessions was last used, including sessions that have ended. */
  lastSeenAt: number | null;
  spent: Spent;
}

export interface TwoFactorRecord {
  userId: string;
  enrolmentId: string;
  /** Encrypted TOTP secret (lib/ports/cipher.ts). */
  encryptedSecret: string;
  state: "pending" | "enabled";
  /** The newest TOTP step ever accepted; 0 before the first. */
  lastStep: number;
  /** Consecutive wrong codes, over all flows. */
  failures: number;
  /** Consecutive locks (each doubles the next). */
  locks: number;
  lockedUntil: number | null;
  createdAt: number;
}

export interface SessionRecord {
  /** SHA-256 of the 256-bit session ID in the cookie, base64url; also its public ID in lists. */
  id: string;
  userId: string;
  /** When all factors were verified; fixed for the session's life. */
  authenticatedAt: number;
  lastSeenAt: number;
  expiresAt: number;
  device: string;
  address: string;
  method: "password" | "totp" | "backup_code" | "setup" | "oauth";
  passwordVersion: number;
}

/** A sign-in whose password was right and whose 2FA code is still missing (5 minutes). */
export interface FlowRecord {
  /** SHA-256 of the 256-bit token, base64url. */
  digest: string;
  userId: string;
  passwordVersion: number;
  enrolmentId: string | null;
  attemptsLeft: number;
  expiresAt: number;
}

interface ThrottleRecord {
  failures: number;
  delayedUntil: number | null;
}

export interface Setup {
  /** True when the singleton row, an owner or an admin exists. */
  isSetUp(): Promise<boolean>;
  /**
   * True when an owner or admin exists without the singleton row: the row was lost, and initial setup is not offered
   * again.
   */
  isSetupRowMissing(): Promise<boolean>;
  /** Inserts the singleton row. Throws AppError `conflict` when it exists. Call inside a transaction. */
  recordOwner(row: { setUpAt: number; ownerId: string }): Promise<void>;
}

export interface Users {
  /** Throws AppError `conflict` when the name or e-mail address is taken. */
  insert(user: UserRecord): Promise<void>;
  findById(id: string): Promise<UserRecord | null>;
  /** By username key or e-mail key. */
  findByNameOrEmail(loginKey: string): Promise<UserRecord | null>;
  update(
    at: Versioned,
    patch: Partial<Omit<UserRecord, "id" | "createdAt" | "version">>,
  ): Promise<UserRecord | null>;
  list(query: PageQuery): Promise<Page<UserRecord>>;
  delete(id: string): Promise<boolean>;
  /** The existing users of these IDs, by ID. */
  findMany(ids: readonly string[]): Promise<Map<string, UserRecord>>;
  /** Status of these users by ID; spending in the budget periods of `now`. */
  statuses(ids: readonly string[], now: number): Promise<Map<string, UserStatus>>;
}

export interface TwoFactors {
  find(userId: string): Promise<TwoFactorRecord | null>;
  /** Replaces a pending enrolment. Throws AppError `conflict` when 2FA is enabled. */
  putPending(record: TwoFactorRecord): Promise<void>;
  /** Pending → enabled with `lastStep` set; false when the enrolment is no longer pending. */
  enable(userId: string, enrolmentId: string, step: number): Promise<boolean>;
  delete(userId: string): Promise<boolean>;
  /** Sets `lastStep = step` only where it is lower and the enrolment is the enabled one; true when this call did. */
  consumeStep(userId: string, enrolmentId: string, step: number): Promise<boolean>;
  /**
   * Counts one attempt before its check, atomically: at `threshold` failures the lock is set to `now + min(baseMs ×
   * 2^locks, maxMs)`, `failures` returns to 0 and `locks` rises. Does nothing while locked.
   */
  countAttempt(
    userId: string,
    now: number,
    rule: { threshold: number; baseMs: number; maxMs: number },
  ): Promise<{ allowed: boolean; lockedUntil: number | null }>;
  /** After a success, a reset by an administrator, or the admin command. */
  clearFailures(userId: string): Promise<void>;
  /** Encrypted secrets ordered by user ID, after `after`; for re-encryption. */
  listEncrypted(after: string, limit: number): Promise<Pick<TwoFactorRecord, "userId" | "encryptedSecret">[]>;
  /** Replaces an encrypted text by another of the same secret; false when the stored one is no longer `before`. */
  replaceEncryptedSecret(userId: string, before: string, after: string): Promise<boolean>;
  replaceBackupCodes(userId: string, digests: readonly string[]): Promise<void>;
  /** Deletes the code; true when this call did. */
  consumeBackupCode(userId: string, digest: string): Promise<boolean>;
  countBackupCodes(userId: string): Promise<number>;
}

export interface Sessions {
  insert(session: SessionRecord): Promise<void>;
  find(id: string): Promise<SessionRecord | null>;
  touch(id: string, lastSeenAt: number): Promise<void>;
  listByUser(userId: string): Promise<SessionRecord[]>;
  /** Also deletes the session's playground keys. */
  delete(id: string): Promise<boolean>;
  /** All sessions of a user, except `exceptId`. */
  deleteByUser(userId: string, exceptId?: string): Promise<number>;
  /** At most `limit`, by default all; returns how many. */
  deleteExpired(now: number, limit?: number): Promise<number>;
}

export interface Flows {
  insert(flow: FlowRecord): Promise<void>;
  find(digest: string): Promise<FlowRecord | null>;
  /**
   * Uses one attempt of a valid flow, atomically, and returns the updated flow; null when it has none left or does not
   * exist.
   */
  takeAttempt(digest: string, now: number): Promise<FlowRecord | null>;
  /** DELETE … RETURNING; null when it was consumed, used up or has expired. */
  consume(digest: string, now: number): Promise<FlowRecord | null>;
  deleteByUser(userId: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}

/** A one-time link that creates a user or sets a new password; only a digest of its token is stored. */
export interface InviteRecord {
  id: string;
  kind: "invite" | "password_reset";
  /** SHA-256 of the 256-bit token, base64url; unique. */
  digest: string;
  /** The role of the new user; for a reset the user's role when it was made. */
  role: Role;
  email: string | null;
  /** The user whose password it resets; null for an invite. */
  userId: string | null;
  /** A reset is valid for this password only; null for an invite. */
  passwordVersion: number | null;
  madeBy: string;
  createdAt: number;
  expiresAt: number;
  usedAt: number | null;
}

export interface Invites {
  insert(invite: InviteRecord): Promise<void>;
  findById(id: string): Promise<InviteRecord | null>;
  findByDigest(digest: string): Promise<InviteRecord | null>;
  /** Neither used nor expired at `now`, newest first; `q` searches e-mail addresses. */
  listOpen(query: PageQuery & { now: number }): Promise<Page<InviteRecord>>;
  /**
   * Marks an open invite used, atomically; null when it does not exist, was used or has expired. Of concurrent callers
   * only one succeeds.
   */
  consume(digest: string, now: number): Promise<InviteRecord | null>;
  delete(id: string): Promise<boolean>;
  /** Deletes a user's open and used resets, for a newer one or after a change of password. */
  deleteByUser(userId: string): Promise<number>;
  deleteExpired(now: number): Promise<number>;
}

/**
 * Delays per account, or per name without an account (`nameDigest` is an HMAC: lib/console/auth/sign-in-throttle.ts).
 */
export interface SignInThrottles {
  find(nameDigest: string): Promise<ThrottleRecord | null>;
  /** Until when each of these names is delayed; names without a delay at `now` are left out. */
  delayed(nameDigests: readonly string[], now: number): Promise<Map<string, number>>;
  /**
   * Counts one wrong password; from `threshold` on each sets `delayedUntil = now + min(baseMs × 2^(failures −
   * threshold), maxMs)`.
   */
  fail(
    nameDigest: string,
    now: number,
    rule: { threshold: number; baseMs: number; maxMs: number },
  ): Promise<ThrottleRecord>;
  clear(nameDigest: string): Promise<void>;
  /**
   * Deletes counters that were last changed more than `retentionMs` before `now`, or more than `retentionMs` after it:
   * the clock was set back after such a change.
   */
  deleteUnchanged(now: number, retentionMs: number): Promise<number>;
}
