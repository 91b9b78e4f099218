import { z } from "zod";
import { Usd } from "./money";
import { ListQuery, listOf } from "./paging";
import { Timestamp } from "./timestamp";

/** A call in the books (CONTRACT §7). */
export const UsageRow = z.strictObject({
  request_id: z.string(),
  at: Timestamp,
  key_id: z.string(),
  user_id: z.string(),
  model: z.string(),
  channel_id: z.string().nullable(),
  operation: z.enum(["speech", "embeddings"]),
  attempts: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  audio_ms: z.int(),
  cost_usd: Usd,
  status: z.int(),
  error: z.string().nullable(),
  cached: z.boolean(),
  estimated: z.boolean(),
  user: z.string().nullable(),
  tags: z.string().nullable(),
  latency_ms: z.int(),
  first_byte_ms: z.int().nullable(),
});
export type UsageRow = z.output<typeof UsageRow>;

export const UsageList = listOf(UsageRow);

const Id = z.string().min(1).max(128);

export const UsageQuery = ListQuery.extend({
  key_id: Id.optional(),
  user_id: Id.optional(),
  model: Id.optional(),
  channel_id: Id.optional(),
  from: Timestamp.optional(),
  to: Timestamp.optional(),
});
export type UsageQuery = z.output<typeof UsageQuery>;
