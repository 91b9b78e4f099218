/**
 * The seam to the database. One implementation of the queries runs on SQLite and on PostgreSQL (lib/store).
 * Times are milliseconds since 1970, money is integer nano-dollars (10⁻⁹ $, below 2⁵³), ids are opaque strings.
 * Every method may throw AppError `storage_unavailable` (away, full, read-only or locked for over a second).
 */

export type Role = "owner" | "admin" | "member";
export type Operation = "speech" | "embeddings" | "manage";
/** What a committed change may have made stale; the feed names topics, never rows. */
export type Topic = "setup" | "users" | "sessions" | "keys" | "channels" | "models" | "settings";

export interface Budget {
  totalNano: number | null;
  dailyNano: number | null;
  monthlyNano: number | null;
}

/** Settled plus reserved spending of the periods a budget knows. */
export interface Spent {
  totalNano: number;
  dailyNano: number;
  monthlyNano: number;
}

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

export interface KeyRecord {
  id: string;
  /** SHA-256 of the whole key, base64url; unique. */
  digest: string;
  /** `sk-pb-ab…wxyz` */
  display: string;
  name: string;
  ownerId: string;
  /** A playground key lives 15 minutes at most, dies with its session and is never listed. */
  kind: "api" | "playground";
  sessionId: string | null;
  enabled: boolean;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  operations: Operation[];
  /** Empty: every model. */
  allowedModels: string[];
  /** Addresses or CIDRs; empty: everywhere. */
  allowedAddresses: string[];
  rpm: number | null;
  tpm: number | null;
  concurrency: number | null;
  budget: Budget;
  version: number;
}

/** A key as the gateway needs it: with its owner's standing. */
export interface KeyWithOwner {
  key: KeyRecord;
  owner: Pick<UserRecord, "id" | "role" | "enabled" | "budget">;
}

export interface ChannelKey {
  id: string;
  /** Sealed upstream key. */
  sealed: string;
  /** `****wxyz` */
  display: string;
}

export interface ChannelRecord {
  id: string;
  name: string;
  /** A name of lib/providers/registry.ts. */
  provider: string;
  baseUrl: string | null;
  keys: ChannelKey[];
  models: { name: string; upstreamName: string }[];
  /** Lower is tried first. */
  priority: number;
  weight: number;
  rpm: number | null;
  concurrency: number | null;
  timeouts: { connectMs?: number; firstByteMs?: number; idleMs?: number; totalMs?: number };
  headers: Record<string, string>;
  /** Free settings of the provider (voice table, coalescing, …), checked by its own schema. */
  options: Record<string, unknown>;
  enabled: boolean;
  /** Made by Patchbay itself; may be disabled, not deleted. */
  embedded: boolean;
  createdAt: number;
  version: number;
}

/** Nano-dollars per million units; null: that unit is free. */
export interface Prices {
  inputPerMillionTokens: number | null;
  inputPerMillionCharacters: number | null;
  outputPerMillionTokens: number | null;
  outputPerMillionSeconds: number | null;
}

export interface ModelRecord {
  /** The public name. */
  name: string;
  /** Names the same model also answers to. */
  aliases: string[];
  operation: "speech" | "embeddings";
  description: string;
  prices: Prices;
  /** Speech: longest text in code points. */
  maxCharacters: number | null;
  /** Speech: longest reply in seconds, for the reservation. */
  maxAudioSeconds: number | null;
  /** Embeddings: the vector's own length. */
  dimensions: number | null;
  canShorten: boolean;
  /** Embeddings: longest single input in tokens. */
  maxInputTokens: number | null;
  defaultVoice: string | null;
  cacheable: boolean;
  coalescing: boolean;
  enabled: boolean;
  createdAt: number;
  version: number;
}

export interface Page<T> {
  items: T[];
  /** Opaque; null at the end. */
  nextCursor: string | null;
}

export interface PageQuery {
  /** 1–100. */
  limit: number;
  cursor: string | null;
  /** Two characters or more, matched anywhere, LIKE-escaped; null: all. */
  q: string | null;
}

/** A patch applies to the row whose version is `version` and raises it; null: no such row or a stale version. */
export interface Versioned {
  id: string;
  version: number;
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

export interface Keys {
  insert(key: KeyRecord): Promise<void>;
  findByDigest(digest: string): Promise<KeyWithOwner | null>;
  findById(id: string): Promise<KeyRecord | null>;
  /** API keys, newest first; of one owner, or of all when `ownerId` is null. */
  list(query: PageQuery & { ownerId: string | null }): Promise<Page<KeyRecord>>;
  update(
    at: Versioned,
    patch: Partial<Omit<KeyRecord, "id" | "digest" | "createdAt" | "version">>,
  ): Promise<KeyRecord | null>;
  delete(id: string): Promise<boolean>;
  spent(id: string, now: number): Promise<Spent>;
  /** Batched by the caller; bumps no topic. */
  touchLastUsed(used: ReadonlyMap<string, number>): Promise<void>;
  deleteExpiredPlayground(now: number): Promise<number>;
  /** Deletes a session's playground keys but the `keep` newest. */
  trimPlayground(sessionId: string, keep: number): Promise<number>;
}

export interface Channels {
  insert(channel: ChannelRecord): Promise<void>;
  find(id: string): Promise<ChannelRecord | null>;
  all(): Promise<ChannelRecord[]>;
  update(
    at: Versioned,
    patch: Partial<Omit<ChannelRecord, "id" | "createdAt" | "version">>,
  ): Promise<ChannelRecord | null>;
  delete(id: string): Promise<boolean>;
}

export interface Models {
  /** Throws AppError `conflict` when a name or alias is taken. */
  insert(model: ModelRecord): Promise<void>;
  all(): Promise<ModelRecord[]>;
  update(
    name: string,
    version: number,
    patch: Partial<Omit<ModelRecord, "createdAt" | "version">>,
  ): Promise<ModelRecord | null>;
  delete(name: string): Promise<boolean>;
}

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

export type UsageState = "open" | "settled";

export interface UsageRecord {
  /** Ours (`use_…`), unique; the caller may repeat a request id. */
  id: string;
  requestId: string;
  at: number;
  keyId: string;
  userId: string;
  /** Public name. */
  model: string;
  channelId: string | null;
  operation: "speech" | "embeddings";
  attempts: number;
  inputTokens: number;
  outputTokens: number;
  characters: number;
  audioMs: number;
  costNano: number;
  reservedNano: number;
  /** HTTP status the caller got; 499 when it left. */
  status: number;
  /** The error's code; null on success. */
  error: string | null;
  state: UsageState;
  cached: boolean;
  estimated: boolean;
  /** Cost above its reservation. */
  overrun: boolean;
  /** The caller's own `user` and `x-patchbay-tags`. */
  user: string | null;
  tags: string | null;
  latencyMs: number;
  firstByteMs: number | null;
}

/** An amount to hold against the budgets of a key and its owner before the call. */
export interface Reservation {
  row: UsageRecord;
  keyBudget: Budget;
  userBudget: Budget;
  /** `2026-11-20` and `2026-11` in the instance's time zone. */
  day: string;
  month: string;
}

export interface Ledger {
  /**
   * Inserts the open row and adds `row.reservedNano` to what key and user have reserved, in one (group) commit.
   * `refused` names the budget that has no room; nothing is written then. Concurrent reservations never pass a limit together.
   */
  reserve(reservation: Reservation): Promise<{ refused: null } | { refused: "key" | "user" }>;
  /**
   * Books the row: an open one with its id is settled (once: a second settle is a no-op) and its reservation given back,
   * otherwise the row is inserted settled. Hourly roll-ups and balances move in the same (group) commit.
   * Resolves when that commit is on disk.
   */
  settle(row: UsageRecord, period: { day: string; month: string }): Promise<void>;
  /**
   * Settles open rows of instances whose heartbeat is older than `deadBefore`, or of which `isGone` knows that they
   * run no more, at their reservation, flagged `estimated`. Tells how many.
   */
  settleOrphans(now: number, deadBefore: number, isGone?: (instanceId: string) => boolean): Promise<number>;
  heartbeat(now: number): Promise<void>;
  /** Takes this instance's heartbeat away: it runs no more. The store's own close() calls it. */
  leave(): Promise<void>;
  /** Ids of the other instances whose last heartbeat is at `since` or later. */
  otherInstances(since: number): Promise<string[]>;
  list(query: PageQuery & UsageFilter): Promise<Page<UsageRecord>>;
  /** Sums over a range, from the hourly roll-ups where they hold the dimension: as quick at ten million rows as at ten. */
  summarize(query: UsageSummaryQuery): Promise<UsageSummary>;
}

export type UsageDimension = "key" | "user" | "model" | "channel" | "operation" | "tag" | "end_user";

export interface UsageSummaryQuery extends Omit<UsageFilter, "from" | "to"> {
  from: number;
  to: number;
  by: UsageDimension | null;
  /** A group for each hour (UTC) besides. */
  isByHour: boolean;
}

/** Sums of the settled calls of one group. */
export interface UsageGroup {
  /** Its beginning; null when not asked by hour. */
  hour: number | null;
  /** Of the dimension; null where the calls have none, or none was asked for. */
  name: string | null;
  calls: number;
  errors: number;
  inputTokens: number;
  outputTokens: number;
  characters: number;
  audioMs: number;
  costNano: number;
  latencySumMs: number;
  firstByteSumMs: number;
  firstByteCalls: number;
  /** Calls by latency: one count for each bound, and a last one for what is above; all 0 where rows were read. */
  latency: number[];
}

export interface UsageSummary {
  groups: UsageGroup[];
  latencyBoundsMs: readonly number[];
}

export interface UsageFilter {
  userId?: string;
  keyId?: string;
  model?: string;
  channelId?: string;
  from?: number;
  to?: number;
}

export interface Repositories {
  setup: Setup;
  users: Users;
  twoFactors: TwoFactors;
  sessions: Sessions;
  flows: Flows;
  loginThrottles: LoginThrottles;
  keys: Keys;
  channels: Channels;
  models: Models;
  settings: Settings;
  audit: Audit;
}

export interface Store extends Repositories {
  readonly kind: "sqlite" | "postgres";
  readonly ledger: Ledger;
  /** Runs `work` in one serialised write transaction (`BEGIN IMMEDIATE`; serialisable enough on PostgreSQL by row and advisory locks). */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>;
  /** Called after each local commit, and within 1 s of another process's, with what it touched. Returns the unsubscriber. */
  onChange(listener: (topics: ReadonlySet<Topic>) => void): () => void;
  /** Resolves when a trivial read works; throws `storage_unavailable`. */
  ping(): Promise<void>;
  /** Writes a consistent copy to `path` while the store is in use (SQLite: `VACUUM INTO`). */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}
