import { z } from "zod";
import { ListQuery, listOf } from "../paging";
import { Timestamp } from "../timestamp";
import { ExportFormat, UsageFilters } from "./usage";

/** The limit that refused a request: of its API key, or of all keys of the same user together. */
export const RefusedLimit = z.enum([
  "key_rpm",
  "user_rpm",
  "key_tpm",
  "user_tpm",
  "key_concurrency",
  "user_concurrency",
  /** Bytes of request bodies in progress. */
  "key_bodies",
  "user_bodies",
  /** Repeats with an Idempotency-Key that wait for the reply to the first request. */
  "key_repeats",
  "user_repeats",
  "key_budget",
  "user_budget",
  /** Wrong API keys from one address. */
  "wrong_keys",
]);
export type RefusedLimit = z.output<typeof RefusedLimit>;

/** Rejected requests of one minute with the same API key, model, error code and limit, and the latest of them. */
export const Rejection = z.strictObject({
  id: z.string(),
  /** Number of requests. */
  calls: z.int(),
  minute: Timestamp,
  /**
   * Null: the request had no valid key, or was refused before its key was checked (`unknown_url`,
   * `method_not_allowed`).
   */
  key_id: z.string().nullable(),
  /** Current names of key and user; null: deleted. */
  key_name: z.string().nullable(),
  user_id: z.string().nullable(),
  user_name: z.string().nullable(),
  /**
   * The name that the request sent; null: it sent none, it was refused before its body was read, or the name was not
   * recorded because too many different names were sent.
   */
  model: z.string().nullable(),
  error: z.string(),
  limit: RefusedLimit.nullable(),
  /** The latest of the requests. */
  at: Timestamp,
  request_id: z.string(),
  status: z.int(),
  message: z.string(),
  /** Seconds of its `Retry-After`; null: it had none. */
  retry_after: z.int().nullable(),
  /** The caller's address; null: unknown. */
  address: z.string().nullable(),
});
export type Rejection = z.output<typeof Rejection>;

export const RejectionList = listOf(Rejection);

/** Filters of rejected requests; `request_id` finds only the latest request of a row, since no other ID is stored. */
export const RejectionQuery = ListQuery.extend(
  UsageFilters.pick({ key_id: true, user_id: true, model: true, request_id: true, from: true, to: true })
    .shape,
).extend({
  /** An error's code (`rate_limited`) or an HTTP status (`429`). */
  status: z
    .string()
    .regex(/^(?:[a-z_]{2,40}|[1-5]\d\d)$/, "Must be an error's code or an HTTP status.")
    .optional(),
});
export type RejectionQuery = z.output<typeof RejectionQuery>;

export const RejectionExportQuery = RejectionQuery.omit({ limit: true, cursor: true }).extend({
  format: ExportFormat,
});

/** Columns of the CSV file and fields of the JSON lines, in order. */
export const REJECTION_COLUMNS = [
  "at",
  "id",
  "calls",
  "minute",
  "key_id",
  "key_name",
  "user_id",
  "user_name",
  "model",
  "error",
  "limit",
  "request_id",
  "status",
  "message",
  "retry_after",
  "address",
] as const satisfies readonly (keyof Rejection)[];

/** Summary of the latest rejected request of an API key. */
export const LastRejection = z.strictObject({
  at: Timestamp,
  error: z.string(),
  limit: RefusedLimit.nullable(),
});
export type LastRejection = z.output<typeof LastRejection>;
