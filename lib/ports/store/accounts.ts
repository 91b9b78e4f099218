import type { Budget, Page, PageQuery, Role, Versioned } from "./common";

export interface UserRecord {
  id: string;
  username: string;
  /** NFC, lower-cased; unique. What names are compared by. */
  usernameKey: string;
  displayName: string;
  email: string | null;
  emailKey: string | null;
  role: Role;
  enabled: boolean;
  /** PHC string. */
  passwordHash: string;
  /** Goes up with every change of password; flows and sessions of an older one are dead. */
  passwordVersion: number;
  locale: string | null;
  budget: Budget;
  createdAt: number;
  version: number;
}

export interface TwoFactorRecord {
  userId: string;
  enrolmentId: string;
  /** Sealed TOTP secret (lib/ports/sealer.ts). */
  secretSealed: string;
  state: "pending" | "enabled";
  /** The newest TOTP step ever accepted; 0 before the first. */
  lastStep: number;
  /** Wrong codes in a row, over all flows. */
  failures: number;
  /** How many locks in a row there were (each doubles the next). */
  locks: number;
  lockedUntil: number | null;
  createdAt: number;
}

export interface SessionRecord {
  /** SHA-256 of the 256-bit session id in the cookie, base64url; also its public id in lists. */
  id: string;
  userId: string;
  /** When every factor had passed; fixed for the session's life. */
  authenticatedAt: number;
  lastSeenAt: number;
  expiresAt: number;
  device: string;
  address: string;
  method: "password" | "totp" | "backup_code" | "setup" | "oauth";
  passwordVersion: number;
}

/** A step between factors (`second-step`, 5 minutes) or a one-time ticket for next-auth's authorize (60 s). */
export interface FlowRecord {
  /** SHA-256 of the 256-bit token, base64url. */
  digest: string;
  kind: "second-step" | "session-ticket";
  userId: string;
  passwordVersion: number;
  enrolmentId: string | null;
  attemptsLeft: number;
  expiresAt: number;
}

export interface ThrottleRecord {
  failures: number;
  delayedUntil: number | null;
}

export interface Setup {
  /** True when the singleton row or any owner or admin stands. */
  isClaimed(): Promise<boolean>;
  /** True when an owner or admin stands without the singleton row: it was lost, and set-up stays closed all the same. */
  hasLostMark(): Promise<boolean>;
  /** Inserts the singleton row. Throws AppError `conflict` when it stands. Call inside a transaction. */
  claim(row: { claimedAt: number; ownerId: string }): Promise<void>;
}

export interface Users {
  /** Throws AppError `conflict` when the name or e-mail is taken. */
  insert(user: UserRecord): Promise<void>;
  findById(id: string): Promise<UserRecord | null>;
  /** By username key or e-mail key. */
  findByLogin(loginKey: string): Promise<UserRecord | null>;
  update(
    at: Versioned,
    patch: Partial<Omit<UserRecord, "id" | "createdAt" | "version">>,
  ): Promise<UserRecord | null>;
  list(query: PageQuery): Promise<Page<UserRecord>>;
  delete(id: string): Promise<boolean>;
}

export interface TwoFactors {
  find(userId: string): Promise<TwoFactorRecord | null>;
  /** Replaces a pending enrolment. Throws AppError `conflict` when an enabled one stands. */
  putPending(record: TwoFactorRecord): Promise<void>;
  /** Pending → enabled with `lastStep` set; false when that enrolment is not pending any more. */
  enable(userId: string, enrolmentId: string, step: number): Promise<boolean>;
  delete(userId: string): Promise<boolean>;
  /** Sets `lastStep = step` only where it is lower and the enrolment is the enabled one; true when this call did. */
  consumeStep(userId: string, enrolmentId: string, step: number): Promise<boolean>;
  /**
   * Counts one attempt before its check, atomically: at `threshold` failures the lock is set to
   * `now + min(baseMs × 2^locks, maxMs)`, `failures` starts anew and `locks` goes up. Does nothing while locked.
   */
  countAttempt(
    userId: string,
    now: number,
    rule: { threshold: number; baseMs: number; maxMs: number },
  ): Promise<{ allowed: boolean; lockedUntil: number | null }>;
  /** After a success, an administrator's word or the admin command. */
  clearFailures(userId: string): Promise<void>;
  /** Sealed secrets in the order of user ids, behind `after`; for sealing them anew. */
  listSealed(after: string, limit: number): Promise<Pick<TwoFactorRecord, "userId" | "secretSealed">[]>;
  /** Replaces a sealed text by another of the same secret; false when `before` stands there no more. */
  reseal(userId: string, before: string, after: string): Promise<boolean>;
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
  /** Playground keys of the session die with it. */
  delete(id: string): Promise<boolean>;
  /** All of a user's, but one when told so. */
  deleteByUser(userId: string, exceptId?: string): Promise<number>;
  deleteExpired(now: number): Promise<number>;
}

export interface Flows {
  insert(flow: FlowRecord): Promise<void>;
  find(digest: string): Promise<FlowRecord | null>;
  /** Takes one attempt off a live flow, atomically, and returns it as it is after; null when none is left or it is gone. */
  takeAttempt(digest: string, now: number): Promise<FlowRecord | null>;
  /** DELETE … RETURNING; null when it was consumed, spent or has expired. */
  consume(digest: string, now: number): Promise<FlowRecord | null>;
  deleteByUser(userId: string): Promise<void>;
  deleteExpired(now: number): Promise<number>;
}

/** Delays per login name, existing or not (`nameDigest` is an HMAC of the name's key). */
export interface LoginThrottles {
  find(nameDigest: string): Promise<ThrottleRecord | null>;
  /** One wrong password; from `threshold` on each sets `delayedUntil = now + min(baseMs × 2^(failures − threshold), maxMs)`. */
  fail(
    nameDigest: string,
    now: number,
    rule: { threshold: number; baseMs: number; maxMs: number },
  ): Promise<ThrottleRecord>;
  clear(nameDigest: string): Promise<void>;
  deleteOlderThan(at: number): Promise<number>;
}
