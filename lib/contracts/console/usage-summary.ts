import { z } from "zod";
import { Usd } from "../money";
import { limitUpTo } from "../paging";
import { Timestamp } from "../timestamp";
import { UsageFilters } from "./usage";

export const UsageInterval = z.enum(["minute", "hour", "day"]).meta({
  description:
    "Days are days of the instance's time zone, of whole hours in UTC: the hour in which a day begins counts to the " +
    "day before where midnight is not a full hour in UTC, as in India",
});

/** Most items by tag or end user, and the highest `limit`: callers may invent any number of labels. */
export const MAX_SUMMARY_ITEMS = 1_000;

/** `GET /api/usage/summary`: sums over a range, by time and by one dimension. */
export const UsageSummaryQuery = UsageFilters.extend({
  by: z.enum(["key", "user", "model", "channel", "operation", "tag", "end_user"]).optional(),
  interval: UsageInterval.optional(),
  order: z.enum(["calls", "cost", "tokens", "audio"]).optional().meta({
    description: "The amount by which the largest items are chosen where not all are returned; absent: calls",
  }),
  limit: limitUpTo(MAX_SUMMARY_ITEMS).optional().meta({
    type: "integer",
    minimum: 1,
    maximum: MAX_SUMMARY_ITEMS,
    description:
      "Only the largest items by `order`, with an interval of all periods; absent: all, but by tag or end user at most 1,000",
  }),
});
export type UsageSummaryQuery = z.output<typeof UsageSummaryQuery>;

export const UsageSums = z.strictObject({
  calls: z.int(),
  errors: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  characters: z.int(),
  audio_ms: z.int(),
  cost_usd: Usd,
  /** Means, and percentiles to the resolution of the histogram; null without calls. */
  latency_mean_ms: z.int().nullable(),
  first_byte_mean_ms: z.int().nullable(),
  latency_p50_ms: z.int().nullable(),
  latency_p95_ms: z.int().nullable(),
});
export type UsageSums = z.output<typeof UsageSums>;

export const UsageSummary = z.strictObject({
  from: Timestamp,
  to: Timestamp,
  /**
   * The time since which calls are included; null: the whole range is included. Not null when single calls must be
   * read, as for tags, end users and outcomes, and there are too many of them or the retention has deleted the earlier
   * ones.
   */
  read_from: Timestamp.nullable(),
  total: UsageSums,
  /**
   * Requests that were refused before a channel was called; null when a filter is about a field that they do not have.
   */
  rejected: z.int().nullable(),
  /** With `limit`, and always by tag or end user: only the largest by `order`. */
  items: z.array(
    UsageSums.extend({
      /**
       * Start of the minute or hour, or the day in the instance's time zone (`2026-11-20`); null when not requested.
       */
      period: z.string().nullable(),
      /**
       * Value of the dimension; null when the calls have none, or no dimension was requested. A call counts under each
       * of its tags.
       */
      name: z.string().nullable(),
      /** Present name of the key, user or channel with that ID; null: deleted, or another dimension. */
      label: z.string().nullable(),
    }),
  ),
});
export type UsageSummary = z.output<typeof UsageSummary>;
