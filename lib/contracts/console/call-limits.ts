import { z } from "zod";

/**
 * Limits of a key, or of all keys of a user together: requests and input tokens in any 60 seconds, and concurrent
 * requests; null: no limit.
 */
export const CallLimits = z.strictObject({
  rpm: z.int().nullable(),
  tpm: z.int().nullable(),
  concurrency: z.int().nullable(),
});
export type CallLimits = z.infer<typeof CallLimits>;

const Limit = z.int("Must be a whole number.").min(1, "Must be 1 or more.").max(1_000_000_000).nullable();

/** The same fields in a request. */
export const CallLimitFields = { rpm: Limit, tpm: Limit, concurrency: Limit };
