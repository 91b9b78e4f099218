/** Tokens as they go into the books; `isTold` false where they are our own count. */
export interface ReconciledTokens {
  tokens: number;
  isTold: boolean;
}

/** How far an upstream's tokenizer, prompt and rounding may be from our count. */
const MOST_TIMES = 8;
const MOST_MORE = 1_000;

/**
 * What an upstream counted where it can be so, else what was counted here: nothing told, nought for something, or many
 * times as much is no count (RELIABILITY RB-5).
 */
export function reconcileTokens(told: number | null, counted: number): ReconciledTokens {
  const isSane =
    told !== null &&
    Number.isSafeInteger(told) &&
    told >= Math.min(1, counted) &&
    told <= counted * MOST_TIMES + MOST_MORE;
  return isSane ? { tokens: told, isTold: true } : { tokens: counted, isTold: false };
}
