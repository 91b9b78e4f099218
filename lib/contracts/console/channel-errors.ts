import { z } from "zod";
import { queryInteger } from "../paging";
import { Timestamp } from "../timestamp";

/** Query for a channel's last errors: by default the last day and 20 errors. */
export const ChannelErrorsQuery = z.strictObject({
  from: Timestamp.optional(),
  to: Timestamp.optional(),
  limit: queryInteger(1, 100, 20),
});
export type ChannelErrorsQuery = z.output<typeof ChannelErrorsQuery>;

/** A failed attempt on one channel. */
export const ChannelError = z.strictObject({
  /** ID of the call: `/api/usage/{id}` has its details. */
  id: z.string(),
  request_id: z.string(),
  at: Timestamp,
  model: z.string(),
  error: z.string(),
  /** Status of the upstream; null: it sent none. */
  upstream_status: z.int().nullable(),
  /** The upstream's own message without secrets, else ours; null: not recorded. */
  message: z.string().nullable(),
  /** Final status of the call; 200: recovered by failover. */
  status: z.int(),
});
export type ChannelError = z.output<typeof ChannelError>;

export const ChannelErrors = z.strictObject({ items: z.array(ChannelError) });
