import { z } from "zod";
import { limitWithDefault } from "../paging";
import { Timestamp } from "../timestamp";

/** Range of failed attempts: by default the last 24 hours. */
export const ChannelAttemptsQuery = z.strictObject({
  from: Timestamp.optional(),
  to: Timestamp.optional(),
});
export type ChannelAttemptsQuery = z.output<typeof ChannelAttemptsQuery>;

/** Query for a channel's last errors: by default the last day and 20 errors. */
export const ChannelErrorsQuery = ChannelAttemptsQuery.extend({ limit: limitWithDefault(20) });
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
  /** Label of the upstream key that was used, else `****wxyz`; null: none, deleted, or not recorded. */
  key: z.string().nullable(),
  /** The upstream's own message without secrets, else ours; null: not recorded. */
  message: z.string().nullable(),
  /** Final status of the call; 200: recovered by failover. */
  status: z.int(),
});
export type ChannelError = z.output<typeof ChannelError>;

export const ChannelErrors = z.strictObject({ items: z.array(ChannelError) });

/** `GET /api/channels/attempts`. */
export const ChannelAttempts = z.strictObject({
  items: z.array(
    z.strictObject({
      channel_id: z.string(),
      /** Failed attempts whose call is counted for another channel, or for none. */
      failovers: z.int(),
    }),
  ),
});
export type ChannelAttempts = z.output<typeof ChannelAttempts>;
