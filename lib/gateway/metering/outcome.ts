import { HTTP_STATUS, isAppError } from "../../errors";
import type { CallOutcome } from "../call";

/**
 * The outcome of a failed call: status and code of the error. `used`: the usage before it, as of a stream that broke;
 * nothing by default.
 */
export function failedOutcome(error: unknown, used: Partial<CallOutcome> = {}): CallOutcome {
  const code = isAppError(error) ? error.code : "internal";
  const isPassedOn404 = isAppError(error) && code === "invalid" && error.details.upstreamStatus === 404;
  return {
    inputTokens: 0,
    outputTokens: 0,
    audioMs: 0,
    estimated: false,
    cached: false,
    ...used,
    status: isPassedOn404 ? 404 : HTTP_STATUS[code],
    error: code,
  };
}
