import { z } from "zod";
import { Usd } from "../money";
import { ListQuery, listOf, SearchText } from "../paging";
import { boundedLine } from "../text";
import { Timestamp } from "../timestamp";
import { CircuitReason } from "./channels";
import { SkipReason } from "./routing";

export const UsageRow = z.strictObject({
  /** Unique; a request ID may repeat. */
  id: z.string(),
  request_id: z.string(),
  at: Timestamp,
  /** `open` while the call runs. */
  state: z.enum(["open", "settled"]),
  key_id: z.string(),
  /** Present names of key, user and channel; null: deleted. */
  key_name: z.string().nullable(),
  user_id: z.string(),
  user_name: z.string().nullable(),
  model: z.string(),
  channel_id: z.string().nullable(),
  channel_name: z.string().nullable(),
  operation: z.enum(["speech", "embeddings"]),
  attempts: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  characters: z.int(),
  audio_ms: z.int(),
  cost_usd: Usd,
  status: z.int(),
  error: z.string().nullable(),
  cached: z.boolean(),
  estimated: z.boolean(),
  /** The request's own field `user`: its end user. */
  user: z.string().nullable(),
  tags: z.string().nullable(),
  latency_ms: z.int(),
  first_byte_ms: z.int().nullable(),
  /** The cost exceeded what was reserved for the call; it is charged whole. */
  overrun: z.boolean(),
});
export type UsageRow = z.output<typeof UsageRow>;

/** One attempt on one channel; times are milliseconds since the call arrived. */
export const UsageAttempt = z.strictObject({
  channel_id: z.string(),
  channel_name: z.string().nullable(),
  /** Label or `****wxyz` of the channel's key; null: none, deleted, or hidden from members. */
  key: z.string().nullable(),
  started_ms: z.number(),
  first_byte_ms: z.number().nullable(),
  ended_ms: z.number().nullable(),
  error: z.string().nullable(),
  upstream_status: z.int().nullable(),
  /** What the upstream refused: the channel's key, or its account, such as one without credit. */
  upstream_refusal: z.enum(["credentials", "account"]).nullable(),
  /** The upstream's own message without secrets, else ours; null: none, or hidden from members. */
  message: z.string().nullable(),
});
export type UsageAttempt = z.output<typeof UsageAttempt>;

/** A channel that serves the model, but was not tried by a request that failed. */
export const SkippedChannel = z.strictObject({
  channel_id: z.string(),
  channel_name: z.string().nullable(),
  /** `attempts`: it accepts requests, but the call had no attempts or no time left. */
  reason: SkipReason.or(z.literal("attempts")),
  /** With `circuit`: why and when it opened. */
  circuit_reason: CircuitReason.nullable(),
  since: Timestamp.nullable(),
});
export type SkippedChannel = z.output<typeof SkippedChannel>;

/** `GET /api/usage/{id}`: a call with its timeline. */
export const UsageDetail = UsageRow.extend({
  /** Display form of the caller's key; null: deleted. */
  key_display: z.string().nullable(),
  /** Null: no trace (older calls, and calls still running). */
  trace: z
    .strictObject({
      /** After the limits were checked and the reservation was made. */
      admitted_ms: z.number(),
      settled_ms: z.number(),
      attempts: z.array(UsageAttempt),
      /** Empty for members. */
      skipped: z.array(SkippedChannel),
    })
    .nullable(),
  /** Settings besides model and text; null: the default, or not recorded. */
  parameters: z.strictObject({
    /** Speech: one voice per speaker, in the order in which they speak. */
    voices: z.array(z.string()).nullable(),
    language: z.string().nullable(),
    speed: z.number().nullable(),
    /** Embeddings: dimensions as requested, and the number of texts. */
    dimensions: z.int().nullable(),
    inputs: z.int().nullable(),
  }),
  /** The prompt; null: not stored. */
  prompt: z.string().nullable(),
});
export type UsageDetail = z.output<typeof UsageDetail>;

export const UsageList = listOf(UsageRow).extend({
  /**
   * A filter without an index reads a limited number of calls. The page has all matching calls since this time, and
   * `next_cursor` continues with earlier ones. Null: the page is full, or nothing is left to read.
   */
  searched_from: Timestamp.nullable(),
});
export type UsageList = z.output<typeof UsageList>;

const Id = boundedLine(1, 128);

/** Filters of lists, sums and exports of calls. */
export const UsageFilters = z.strictObject({
  /** `play`: the keys of all playground sessions. */
  key_id: Id.optional(),
  /** Up to 100 keys, separated by commas. */
  key_ids: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}(?:,[A-Za-z0-9_-]{1,64}){0,99}$/, "Must be 1 to 100 IDs separated by commas.")
    .optional(),
  user_id: Id.optional(),
  model: Id.optional(),
  channel_id: Id.optional(),
  operation: z.enum(["speech", "embeddings"]).optional(),
  /** `ok`, `failed`, an error's code (`upstream_timeout`) or an HTTP status (`502`). */
  status: z
    .string()
    .regex(/^(?:[a-z_]{2,40}|[1-5]\d\d)$/, "Must be ok, failed, an error's code or an HTTP status.")
    .optional(),
  /** One of a call's comma-separated `x-patchbay-tags`. */
  tag: boundedLine(1, 256).optional(),
  /** The request's own `user` field. */
  end_user: boundedLine(1, 1_024).optional(),
  request_id: Id.optional(),
  /** Part of the request ID, model, error, end user, tags or the key's name; case is ignored. */
  q: SearchText.optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
});
export type UsageFilters = z.output<typeof UsageFilters>;

export const UsageQuery = ListQuery.extend(UsageFilters.shape);

/** `csv`: RFC 4180; `jsonl`: one JSON object a line. */
export const ExportFormat = z.enum(["csv", "jsonl"]).default("csv");
export type ExportFormat = z.output<typeof ExportFormat>;

export const UsageExportQuery = UsageFilters.extend({ format: ExportFormat });

/** Columns of the CSV file and fields of the JSON lines, in order. */
export const USAGE_EXPORT_COLUMNS = [
  "at",
  "id",
  "request_id",
  "key_id",
  "key_name",
  "user_id",
  "user_name",
  "model",
  "channel_id",
  "channel_name",
  "operation",
  "attempts",
  "input_tokens",
  "output_tokens",
  "characters",
  "audio_ms",
  "cost_usd",
  "status",
  "error",
  "cached",
  "estimated",
  "user",
  "tags",
  "latency_ms",
  "first_byte_ms",
  // A call that runs has no status and no cost yet.
  "state",
  "overrun",
] as const satisfies readonly (keyof UsageRow)[];

/** An export of rows, as /openapi.json shows it. */
export function exportContent(what: string, columns: readonly string[]) {
  const head = `${columns.join(",")}\r\n`;
  return {
    "text/csv": z.string().meta({
      description: `RFC 4180: a line of names, then one for each ${what}; with a byte order mark for a session`,
      pattern: `^\\uFEFF?${head}`,
      examples: [head],
    }),
    "application/x-ndjson": z.string().meta({
      description: `A JSON object on a line of its own for each ${what}`,
      pattern: `^(?:\\{"${columns[0]}":[^\\n]*\\}\\n)*$`,
      examples: [""],
    }),
  };
}
