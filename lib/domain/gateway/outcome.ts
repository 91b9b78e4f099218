import { HTTP_STATUS, isAppError } from "../../errors";
import type { CallOutcome } from "./call";

/**
 * The outcome of a call that failed: status and code of the error, and what was used before it (nothing unless told).
 * Pass what had already been made when a stream breaks.
 */
export function failedOutcome(error: unknown, used: Partial<CallOutcome> = {}): CallOutcome {
  const code = isAppError(error) ? error.code : "internal";
  const status = (isAppError(error) ? error.details.upstreamStatus : undefined) ?? HTTP_STATUS[code];
  return {
    inputTokens: 0,
    outputTokens: 0,
    audioMs: 0,
    estimated: false,
    cached: false,
    ...used,
    status,
    error: code,
  };
}
