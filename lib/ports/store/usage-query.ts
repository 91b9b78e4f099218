/** What an entry refers to by ID. */
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

/** Tags and end users: callers may invent any number of them. */
export const isLabel = (by: UsageDimension | null | undefined): boolean => by === "tag" || by === "end_user";

export interface UsageSummaryQuery extends Omit<UsageFilter, "from" | "to"> {
  from: number;
  to: number;
  by: UsageDimension | null;
  /** Also groups by hour (UTC). */
  isByHour: boolean;
  /** Groups by minute instead of hour; read from the entries. */
  isByMinute?: boolean;
  /**
   * Counts only the calls between `from` and `to`: the parts of hours at both ends are read from the entries. Otherwise
   * the hours at both ends count as a whole.
   */
  isExact?: boolean;
  /**
   * With `isByHour`: the beginning of each day of the range, in ascending order. The hours of a day may then come as
   * one group with the day's beginning as its hour.
   */
  dayStarts?: readonly number[];
  /** With `by`, without `isByHour` and `isByMinute`: at most this many groups, those with the largest `order`. */
  maxGroups?: number;
  /** Absent: calls. */
  order?: UsageAmount;
  /** Sums calls, errors and cost only, which takes less time; all others are 0. */
  hasOnlyCallsAndCost?: boolean;
}

/** Sums of the settled calls of one group. */
export interface UsageGroup {
  /** Beginning of its hour or minute; null when not grouped by either. */
  hour: number | null;
  /** Value of the dimension; null where the calls have none, or no dimension was requested. */
  name: string | null;
  calls: number;
  errors: number;
  inputTokens: number;
  outputTokens: number;
  characters: number;
  audioMs: number;
  costNano: number;
  latencySumMs: number;
  /** The slowest call; null where the sums come from roll-ups, which do not have it. */
  latencyMaxMs: number | null;
  firstByteSumMs: number;
  firstByteCalls: number;
  /** Calls by latency: one count per bound, and a last one for what is above; all 0 by tag and end user. */
  latency: number[];
}

export interface UsageSummary {
  groups: UsageGroup[];
  /** With `maxGroups`: the sums of all groups, including those left out; may be absent when there are no groups. */
  total?: Sums;
  /**
   * The time from which calls are included, where sums come from entries and the range has more of them than the limit,
   * or the retention has deleted some. Null: the whole range.
   */
  readFrom: number | null;
  latencyBoundsMs: readonly number[];
}

/** How the call ended: successful or failed, the error's code, or the HTTP status. */
export type UsageOutcome =
  | { kind: "ok" }
  | { kind: "failed" }
  | { kind: "error"; code: string }
  | { kind: "status"; status: number };

export interface UsageFilter {
  userId?: string;
  keyId?: string;
  keyIds?: readonly string[];
  model?: string;
  channelId?: string;
  operation?: "speech" | "embeddings";
  outcome?: UsageOutcome;
  /** One of the comma-separated labels in `tags`. */
  tag?: string;
  /** The caller's own `user` field. */
  endUser?: string;
  requestId?: string;
  /** Part of the request ID, model, error, end user, a tag or the present name of the key; case is ignored. */
  q?: string | null;
  from?: number;
  to?: number;
}

/** The sums of a group of calls, by any dimension. */
export type Sums = Omit<UsageGroup, "hour" | "name">;

type PlainSum = Exclude<keyof Sums, "latencyMaxMs" | "latency">;

/** Makes each sum, except the slowest call and the histogram. */
export function eachSum(make: (name: PlainSum) => number): Pick<Sums, PlainSum> {
  return {
    calls: make("calls"),
    errors: make("errors"),
    inputTokens: make("inputTokens"),
    outputTokens: make("outputTokens"),
    characters: make("characters"),
    audioMs: make("audioMs"),
    costNano: make("costNano"),
    latencySumMs: make("latencySumMs"),
    firstByteSumMs: make("firstByteSumMs"),
    firstByteCalls: make("firstByteCalls"),
  };
}

/** What groups are compared by. */
export type UsageAmount = "calls" | "cost" | "tokens" | "audio";

/** The sums that an amount consists of. */
export const SUMS_OF_AMOUNT: Readonly<Record<UsageAmount, readonly PlainSum[]>> = {
  calls: ["calls"],
  cost: ["costNano"],
  tokens: ["inputTokens", "outputTokens"],
  audio: ["audioMs"],
};

/** Compares groups by an amount, largest first. */
export function byAmount(order?: UsageAmount): (a: Sums, b: Sums) => number {
  const amount = amountOf(order);
  return (a, b) => amount(b) - amount(a);
}

/** The amount by which sums are ordered. */
export function amountOf(order: UsageAmount = "calls"): (sums: Sums) => number {
  const names = SUMS_OF_AMOUNT[order];
  return (sums) => names.reduce((all, name) => all + sums[name], 0);
}

export const NO_SUMS: Sums = { ...eachSum(() => 0), latencyMaxMs: 0, latency: [] };

/** Adds two groups; a histogram without buckets (no call, or not read) adds nothing. */
export function addSums(a: Sums, b: Sums): Sums {
  const [longer, shorter] =
    a.latency.length >= b.latency.length ? [a.latency, b.latency] : [b.latency, a.latency];
  return {
    ...eachSum((name) => a[name] + b[name]),
    latencyMaxMs:
      a.latencyMaxMs === null || b.latencyMaxMs === null ? null : Math.max(a.latencyMaxMs, b.latencyMaxMs),
    latency: longer.map((count, index) => count + (shorter[index] ?? 0)),
  };
}
