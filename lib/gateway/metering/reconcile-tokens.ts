/** Tokens for the ledger entry; `isReported`: the upstream's count, not our own. */
export interface ReconciledTokens {
  tokens: number;
  isReported: boolean;
}

/** Largest plausible deviation of an upstream's count from ours: other tokenizer, added prompt, rounding. */
const MAX_RATIO = 8;
const MAX_EXCESS = 1_000;

/**
 * Returns the upstream's count if it is plausible, else our own: a count that is missing, 0 for a non-empty text or far
 * too large is ignored.
 */
export function reconcileTokens(reported: number | null, counted: number): ReconciledTokens {
  const isSane =
    reported !== null &&
    Number.isSafeInteger(reported) &&
    reported >= Math.min(1, counted) &&
    reported <= counted * MAX_RATIO + MAX_EXCESS;
  return isSane ? { tokens: reported, isReported: true } : { tokens: counted, isReported: false };
}
