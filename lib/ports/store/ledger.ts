import type { CircuitReason } from "../../contracts/console/channels";
import type { SkipReason } from "../../contracts/console/routing";
import type { UpstreamRefusal } from "../../errors";
import type { BillingPeriod } from "../billing-period";
import type { Budget, BudgetPeriod, Page, PageQuery } from "./common";
import type { UsageFilter, UsageSubject, UsageSummary, UsageSummaryQuery } from "./usage-query";

/** Prefix of entry IDs, which are ordered by time; earlier versions created random IDs with the prefix `use_`. */
export const USAGE_ID_PREFIX = "usg";

/** The lowest ID of entries from `at` (ms since 1970) on. On PostgreSQL, the month in an ID chooses its partition. */
export function firstUsageId(at: number): string {
  return `${USAGE_ID_PREFIX}_${String(Math.max(0, Math.floor(at))).padStart(13, "0")}`;
}

/** One attempt of a call on one channel. Times are milliseconds since the call arrived, with one decimal place. */
export interface AttemptTrace {
  channelId: string;
  /** ID of the channel's key that was used; null: the channel has none. */
  keyId: string | null;
  startedMs: number;
  firstByteMs: number | null;
  endedMs: number | null;
  /** The error's code; null: this attempt succeeded. */
  error: string | null;
  upstreamStatus: number | null;
  /** What of the channel the upstream refused; absent: nothing. */
  upstreamRefusal?: UpstreamRefusal;
  /** The upstream's own message, else ours; null: none, or the attempt succeeded. At most 500 characters. */
  message: string | null;
}

/** A channel that serves the model, but was not tried by a request that failed. */
export interface SkippedChannel {
  channelId: string;
  /** `attempts`: it accepts requests, but the call had no attempts or no time left. */
  reason: SkipReason | "attempts";
  /** With `circuit`: since when it is open (wall-clock milliseconds), and why. */
  openedAt: number | null;
  openReason: CircuitReason | null;
}

/** The settings of a call besides its model and text, as far as they differ from the defaults. */
export interface CallParameters {
  /** Speech: one voice per speaker, in the order in which they speak. */
  voices?: string[];
  /** Speech: BCP-47, as the caller sent it. */
  language?: string;
  speed?: number;
  /** Embeddings: as the caller sent it. */
  dimensions?: number;
  /** Embeddings: the number of texts. */
  inputs?: number;
}

/** What happened in a call, in milliseconds since it arrived. */
export interface CallTrace {
  /** After limits and reservation. */
  admittedMs: number;
  /** When its ledger entry was written. */
  settledMs: number;
  attempts: AttemptTrace[];
  /** Channels that a failed request did not try; absent: none. */
  skipped?: SkippedChannel[];
  /** Absent: all have their defaults, or were not recorded. */
  parameters?: CallParameters;
}

/** A failed attempt on one channel, and the result of its call. */
export interface FailedAttempt {
  id: string;
  requestId: string;
  /** When the call arrived. */
  at: number;
  model: string;
  /** The upstream key that was used; null: none, or not recorded. */
  keyId: string | null;
  /** The error's code, and the upstream's status; null without a status. */
  error: string;
  upstreamStatus: number | null;
  /** The upstream's own message, else ours; null: not recorded. */
  message: string | null;
  /** The status the caller got: 200 where another attempt succeeded. */
  status: number;
}

export interface UsageRecord {
  /** Our own ID (`usg_…`), unique, in order of `at`; callers may repeat a request ID. */
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
  /** HTTP status that the caller got; 499 when it left. */
  status: number;
  /** The error's code; null on success. */
  error: string | null;
  state: "open" | "settled";
  cached: boolean;
  estimated: boolean;
  /** Cost above the reservation. */
  overrun: boolean;
  /** The caller's own `user` and `x-patchbay-tags`. */
  endUser: string | null;
  tags: string | null;
  latencyMs: number;
  firstByteMs: number | null;
  /** Null: no trace. Absent in lists, which do not read it. */
  trace?: CallTrace | null;
}

/** An amount to reserve in the budgets of a key and its owner before the call. */
export interface Reservation {
  row: UsageRecord;
  keyBudget: Budget;
  userBudget: Budget;
  /** `2026-11-20` and `2026-11` in the instance's time zone. */
  day: string;
  month: string;
}

/** A budget with too little left for a reservation. */
export interface FullBudget {
  /** Whose budget it is. */
  owner: "key" | "user";
  period: BudgetPeriod;
}

export interface Ledger {
  /**
   * Inserts the open entry and adds `row.reservedNano` to what key and user have reserved, in one (group) commit.
   * Resolves to null, or to a budget that would be exceeded, and nothing is written then: the one that resets last, and
   * of two that reset at the same time the key's. Concurrent reservations never exceed a limit together.
   */
  reserve(reservation: Reservation): Promise<FullBudget | null>;
  /**
   * Records the call: settles an open entry with its ID (once: a second settle does nothing) and releases its
   * reservation, otherwise inserts a settled entry. The estimate of `settleOrphans` is replaced. Roll-ups and balances
   * change in the same (group) commit. `prompt`, if any, is stored beside the entry. `isNew`: the call has no open
   * entry, and its ID was never used, so that none is looked up. Resolves when that commit is on disk. When it throws
   * `storage_unavailable`, whether or not the commit took place, the entry is changed to status 503,
   * `storage_unavailable` and no cost as soon as the store accepts it: the caller must get the same. An entry of a
   * caller who has left is not changed.
   */
  settle(row: UsageRecord, period: BillingPeriod, prompt?: string, isNew?: boolean): Promise<void>;
  /** True when the store was unavailable for the last commit of an entry. */
  isFailing(): boolean;
  /**
   * Settles open entries at their reservation, flagged `estimated`: entries of instances whose heartbeat is older than
   * `deadBefore` or which `isGone` reports as ended, and entries of this process whose calls have ended (their
   * settlement failed, or a failover of the database lost it). Returns how many. The caller must know that the store
   * accepted writes since `deadBefore`: otherwise running instances have old heartbeats too.
   */
  settleOrphans(deadBefore: number, isGone?: (instanceId: string) => boolean): Promise<number>;
  /** Writes this process's heartbeat; `report` replaces its last one. */
  heartbeat(now: number, report?: InstanceReport): Promise<void>;
  /** Removes this instance's heartbeat. Called by the store's close(). */
  leave(): Promise<void>;
  /** The instances whose last heartbeat (ms) is at `since` or later, this one included, ordered by start and ID. */
  instances(since: number): Promise<InstanceRecord[]>;
  /**
   * One page of entries, newest first. With a filter besides the range, a limited number of entries is searched per
   * page; when that number is reached before the range ends, `searchedFrom` says where the search stopped, and the next
   * page continues there.
   */
  list(query: PageQuery & UsageFilter): Promise<UsagePage>;
  /** One entry with its trace and its stored input text; null: no such entry. */
  find(id: string): Promise<{ row: UsageRecord; prompt: string | null } | null>;
  /** The newest entry of that request ID, which may repeat; null: none. `userId`: only that user's entries. */
  findByRequest(requestId: string, userId?: string): Promise<string | null>;
  /** Current names of keys, users or channels; deleted ones are missing, except playground keys. */
  names(kind: UsageSubject, ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * Creates the partitions of the months after `now`, and drops those whose entries are all settled and older than
   * `before` (null: drops none). Sums and stored texts are kept. Does nothing on SQLite.
   */
  maintain(now: number, before: number | null): Promise<void>;
  /**
   * Removes at most `limit` old settled entries with their stored texts, or only the texts. Sums and balances are kept.
   * Returns how many were removed.
   */
  sweep(what: "rows" | "prompts", before: number, limit: number): Promise<number>;
  /**
   * The newest calls with a failed attempt on this channel, including calls that another attempt served; the range is
   * half open.
   */
  failedAttempts(query: {
    channelId: string;
    from: number;
    to: number;
    limit: number;
  }): Promise<FailedAttempt[]>;
  /**
   * Failed attempts of calls that ended on another channel or on none, by model and channel; their entries count for
   * the other channel. The range covers whole minutes: that of `from` and that of the last millisecond before `to`.
   */
  failovers(query: { from: number; to: number }): Promise<Failover[]>;
  /** Sums over a range, from the roll-ups where they have the dimension: as fast at ten million entries as at ten. */
  summarize(query: UsageSummaryQuery): Promise<UsageSummary>;
}

/** Attempts on one channel that failed before another channel was called. */
export interface Failover {
  model: string;
  channelId: string;
  attempts: number;
}

export interface UsagePage extends Page<UsageRecord> {
  /** The page has all matching entries since this time, and is not full; null: the page is full, or the last. */
  searchedFrom: number | null;
}

/** What a running process reports about itself with each heartbeat. */
export interface InstanceReport {
  /** ID of its server: the same for all processes that share one port. */
  server: string;
  /** The machine's host name. */
  host: string;
  /** Where it listens: `192.0.2.7:3000`. */
  address: string;
  version: string;
  pid: number;
  startedAt: number;
  /** True after a stop signal. */
  isDraining: boolean;
  /** Gateway requests being answered. */
  inFlight: number;
  /** Of the time since the previous heartbeat. */
  requestsPerMinute: number;
  /** CPU time over elapsed time, in percent of one core. */
  cpuPercent: number;
  memoryBytes: number;
  /** Age of what it knows of other processes' changes (`Store.changeLagMs`). */
  changeLagMs: number;
}

/** A process that uses this store. */
export interface InstanceRecord {
  id: string;
  heartbeatAt: number;
  /** True for the process that reads the record. */
  isSelf: boolean;
  /** Null before its first report, and for admin commands, which send none. */
  report: InstanceReport | null;
}
