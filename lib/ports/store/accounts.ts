import type { Budget, CallLimits, Page, PageQuery, Role, Spent, Versioned } from "./common";

/** The limits and the budget are those of all of the user's keys together. */
export interface UserRecord extends CallLimits {
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

/** What is known of a user besides the record, for lists. */
export interface UserStanding {
  hasTwoFactor: boolean;
  /** The second step is locked until then; null: it is not, or was never tried. */
  lockedUntil: number | null;
  /** When a session of theirs was last used, whether or not it still stands. */
  lastSeenAt: number | null;
  spent: Spent;
}

export interface TwoFactorRecord {
  userId: string;
  enrolmentId: string;
  /** Sealed TOTP secret (lib/ports/cipher.ts). */
  encryptedSecret: string;
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

/** A sign-in whose password was right and whose 2FA code is still to come (5 minutes). */
export interface FlowRecord {
  /** SHA-256 of the 256-bit token, base64url. */
  digest: string;
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
  isSetUp(): Promise<boolean>;
  /** True when an owner or admin stands without the singleton row: it was lost, and set-up stays closed all the same. */
  hasLostMark(): Promise<boolean>;
  /** Inserts the singleton row. Throws AppError `conflict` when it stands. Call inside a transaction. */
  recordOwner(row: { setUpAt: number; ownerId: string }): Promise<void>;
}

export interface Users {
  /** Throws AppError `conflict` when the name or e-mail is taken. */
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
  /** Those of these ids that stand, by id. */
  findMany(ids: readonly string[]): Promise<Map<string, UserRecord>>;
  /** What is known of these users besides their records, by id; spending in the periods of `now`. */
  standings(ids: readonly string[], now: number): Promise<Map<string, UserStanding>>;
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
  listEncrypted(after: string, limit: number): Promise<Pick<TwoFactorRecord, "userId" | "encryptedSecret">[]>;
  /** Replaces a sealed text by another of the same secret; false when `before` stands there no more. */
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

/** A one-time link by which a user is made, or gets a new password; its token is kept as a digest alone. */
export interface InviteRecord {
  id: string;
  kind: "invite" | "password_reset";
  /** SHA-256 of the 256-bit token, base64url; unique. */
  digest: string;
  /** The role it gives; for a reset the user's when it was made. */
  role: Role;
  email: string | null;
  /** Whose password it resets; null for an invite. */
  userId: string | null;
  /** A reset is good for this password alone; null for an invite. */
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
  /** Neither used nor run out at `now`, newest first; `q` searches e-mail addresses. */
  listOpen(query: PageQuery & { now: number }): Promise<Page<InviteRecord>>;
  /** Marks an open one used, atomically; null when it is gone, was used or has run out: of many callers one gets it. */
  consume(digest: string, now: number): Promise<InviteRecord | null>;
  delete(id: string): Promise<boolean>;
  /** A user's open and used resets: a newer one, or another password, takes their place. */
  deleteByUser(userId: string): Promise<number>;
  deleteExpired(now: number): Promise<number>;
}

/** Delays per account, or per name without one (`nameDigest` is an HMAC: lib/console/auth/sign-in-throttle.ts). */
export interface SignInThrottles {
  find(nameDigest: string): Promise<ThrottleRecord | null>;
  /** Until when each of these names is delayed; those that are not at `now` are left out. */
  delayed(nameDigests: readonly string[], now: number): Promise<Map<string, number>>;
  /** One wrong password; from `threshold` on each sets `delayedUntil = now + min(baseMs × 2^(failures − threshold), maxMs)`. */
  fail(
    nameDigest: string,
    now: number,
    rule: { threshold: number; baseMs: number; maxMs: number },
  ): Promise<ThrottleRecord>;
  clear(nameDigest: string): Promise<void>;
  deleteOlderThan(at: number): Promise<number>;
}
