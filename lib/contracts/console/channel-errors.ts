import { z } from "zod";
import { queryInteger } from "../paging";
import { Timestamp } from "../timestamp";

/** What a channel's last errors are asked by: the last day and twenty of them, unless told. */
export const ChannelErrorsQuery = z.strictObject({
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  limit: queryInteger(1, 100, 20),
});
export type ChannelErrorsQuery = z.output<typeof ChannelErrorsQuery>;

/** A try that failed on one channel. */
export const ChannelError = z.strictObject({
  /** Of the call: `/api/usage/{id}` has the rest of it. */
  id: z.string(),
  request_id: z.string(),
  at: Timestamp,
  model: z.string(),
  error: z.string(),
  /** What the upstream answered with; null: it gave no status. */
  upstream_status: z.int().nullable(),
  /** What the caller got in the end; 200: another try served. */
  status: z.int(),
});
export type ChannelError = z.output<typeof ChannelError>;

export const ChannelErrors = z.strictObject({ items: z.array(ChannelError) });
