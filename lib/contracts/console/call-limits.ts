import { z } from "zod";
import { wholeNumber } from "../whole-number";

/**
 * Limits of a key, or of all keys of a user together: requests and input tokens in any 60 seconds, and concurrent
 * requests; null: no limit.
 */
export const CallLimits = z.strictObject({
  rpm: z.int().nullable(),
  tpm: z.int().nullable(),
  concurrency: z.int().nullable(),
});

const Limit = wholeNumber(1, 1_000_000_000).nullable();

export const CallLimitFields = { rpm: Limit, tpm: Limit, concurrency: Limit };
