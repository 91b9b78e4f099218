import type { Budget, Page, PageQuery } from "./common";

export type UsageState = "open" | "settled";

/** One try of a call on one channel; times are milliseconds since the call arrived, to a tenth. */
export interface AttemptTrace {
  channelId: string;
  /** Of the channel's key that was used, never the key; null: the channel has none. */
  keyId: string | null;
  startedMs: number;
  firstByteMs: number | null;
  endedMs: number | null;
  /** The error's code; null: this attempt served. */
  error: string | null;
  upstreamStatus: number | null;
}

/** What happened in a call, in milliseconds since it arrived. */
export interface CallTrace {
  /** After limits and reservation. */
  admittedMs: number;
  /** When its row went to the books. */
  settledMs: number;
  attempts: AttemptTrace[];
}

/** A try that failed on one channel, and what became of its call. */
export interface FailedAttempt {
  /** Of the call. */
  id: string;
  requestId: string;
  /** When the call arrived. */
  at: number;
  model: string;
  /** The error's code, and what the upstream answered with; null when it gave no status. */
  error: string;
  upstreamStatus: number | null;
  /** What the caller got in the end: 200 where another try served. */
  status: number;
}

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
  /** Null: none was made. Absent from lists, which do not read it. */
  trace?: CallTrace | null;
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
   * `prompt`, if any, is kept beside the row. Resolves when that commit is on disk. Where it throws
   * `storage_unavailable`, whether the commit took place or not, the entry becomes one of status 503,
   * `storage_unavailable` and no cost as soon as the store takes it: what the caller must be told then. An entry of a
   * caller who has left stays as it was.
   */
  settle(row: UsageRecord, period: { day: string; month: string }, prompt?: string): Promise<void>;
  /**
   * Settles open rows of instances whose heartbeat is older than `deadBefore`, or of which `isGone` knows that they
   * run no more, at their reservation, flagged `estimated`. Tells how many.
   */
  settleOrphans(now: number, deadBefore: number, isGone?: (instanceId: string) => boolean): Promise<number>;
  heartbeat(now: number): Promise<void>;
  /** Takes this instance's heartbeat away: it runs no more. The store's own close() calls it. */
  leave(): Promise<void>;
  /** The other instances whose last heartbeat (ms) is at `since` or later, by id. */
  otherInstances(since: number): Promise<{ id: string; heartbeatAt: number }[]>;
  list(query: PageQuery & UsageFilter): Promise<Page<UsageRecord>>;
  /** One row with its trace, and the words that were kept beside it; null: no such row. */
  find(id: string): Promise<{ row: UsageRecord; prompt: string | null } | null>;
  /** The newest row of that request id, which may repeat; null: none. `userId`: of that user's alone. */
  findByRequest(requestId: string, userId?: string): Promise<string | null>;
  /** What keys, users or channels are called now; ids of what is gone are missing, but for playground keys. */
  names(kind: UsageSubject, ids: readonly string[]): Promise<Map<string, string>>;
  /**
   * Removes at most `limit` of what is older: settled rows with the words kept beside them, or those words alone.
   * Sums and balances stay. Tells how many went.
   */
  sweep(what: "rows" | "prompts", before: number, limit: number): Promise<number>;
  /** The newest calls with a try that failed on this channel, of those that another try served, too; the range is half open. */
  failedAttempts(query: {
    channelId: string;
    from: number;
    to: number;
    limit: number;
  }): Promise<FailedAttempt[]>;
  /** Sums over a range, from the hourly roll-ups where they hold the dimension: as quick at ten million rows as at ten. */
  summarize(query: UsageSummaryQuery): Promise<UsageSummary>;
}

/** What a row names by its id. */
export type UsageSubject = "key" | "user" | "channel";

export type UsageDimension =
  | "key"
  | "user"
  | "model"
  | "channel"
  /** Model and channel together: `model\nchannel id`. */
  | "route"
  | "operation"
  | "tag"
  | "end_user";

export interface UsageSummaryQuery extends Omit<UsageFilter, "from" | "to"> {
  from: number;
  to: number;
  by: UsageDimension | null;
  /** A group for each hour (UTC) besides. */
  isByHour: boolean;
  /** In place of the hours; read off the rows. */
  isByMinute?: boolean;
  /**
   * With `isByHour`: where each day of the range begins, in ascending order. Hours of a day may come as one group then,
   * which bears the day's beginning as its hour.
   */
  dayStarts?: readonly number[];
}

/** Sums of the settled calls of one group. */
export interface UsageGroup {
  /** Beginning of its hour or minute; null when not asked by either. */
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
  /** Calls by latency: one count for each bound, and a last one for what is above; all 0 by tag and end user. */
  latency: number[];
}

export interface UsageSummary {
  groups: UsageGroup[];
  /** Where rows were read and the range held more than may be: since when; null: the range is whole. */
  readFrom: number | null;
  latencyBoundsMs: readonly number[];
}

/** An outcome: how it ended, the error's code, or the HTTP status. */
export type UsageOutcome =
  | { kind: "ok" }
  | { kind: "failed" }
  | { kind: "error"; code: string }
  | { kind: "status"; status: number };

export interface UsageFilter {
  userId?: string;
  keyId?: string;
  model?: string;
  channelId?: string;
  operation?: UsageRecord["operation"];
  outcome?: UsageOutcome;
  /** One of the labels in `tags`, which stand with commas between. */
  tag?: string;
  /** The caller's own `user`. */
  endUser?: string;
  requestId?: string;
  from?: number;
  to?: number;
}
