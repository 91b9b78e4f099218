import { type AppError, HTTP_STATUS, isAppError, isPassedOn404 } from "../../errors";
import type { CallOutcome } from "../call";

const MAX_MESSAGE_LENGTH = 500;

/** The upstream's own message of a failed call, without secrets; null when it sent none. */
export function upstreamMessageOf({ details }: AppError): string | null {
  return details.upstreamMessage?.slice(0, MAX_MESSAGE_LENGTH) ?? null;
}

/** The message of a failed attempt for administrators: the upstream's own, else ours; null for internal errors. */
export function attemptMessage(error: unknown): string | null {
  if (!isAppError(error) || error.code === "internal" || error.code === "caller_left") return null;
  return upstreamMessageOf(error) ?? error.message.slice(0, MAX_MESSAGE_LENGTH);
}

/**
 * The outcome of a failed call: status and code of the error. `used`: the usage before the failure, such as that of a
 * broken stream; default: none.
 */
export function failedOutcome(error: unknown, used: Partial<CallOutcome> = {}): CallOutcome {
  const code = isAppError(error) ? error.code : "internal";
  return {
    inputTokens: 0,
    outputTokens: 0,
    audioMs: 0,
    estimated: false,
    cached: false,
    ...used,
    status: isAppError(error) && isPassedOn404(error) ? 404 : HTTP_STATUS[code],
    error: code,
    isCausedByRequest: isAppError(error) && error.details.isCausedByRequest === true,
    message: attemptMessage(error),
  };
}

/** Tokens for the ledger entry; `isReported`: the upstream's count, not our own. */
interface ReconciledTokens {
  tokens: number;
  isReported: boolean;
}

/** Largest plausible deviation of an upstream's count from ours: other tokenizer, added prompt, rounding. */
const MAX_TOKEN_RATIO = 8;
const MAX_EXCESS_TOKENS = 1_000;

/**
 * Returns the upstream's count if it is plausible, else our own: a count that is missing, 0 for a non-empty text or far
 * too large is ignored.
 */
export function reconcileTokens(reported: number | null, counted: number): ReconciledTokens {
  const isSane =
    reported !== null &&
    Number.isSafeInteger(reported) &&
    reported >= Math.min(1, counted) &&
    reported <= counted * MAX_TOKEN_RATIO + MAX_EXCESS_TOKENS;
  return isSane ? { tokens: reported, isReported: true } : { tokens: counted, isReported: false };
}
