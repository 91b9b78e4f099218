import type { Prices } from "../../ports/store";

/** What a call used, or may use at worst. */
export interface Quantities {
  inputTokens: number;
  characters: number;
  outputTokens: number;
  /** Milliseconds of audio. */
  audioMs: number;
}

/**
 * Nano-dollars of the quantities, rounded half up once over the sum. Prices are nano-dollars per million units;
 * the sum is kept in thousandths of a unit-price, since audio is counted in milliseconds and priced in seconds.
 */
export function costNano(prices: Prices, used: Quantities): number {
  const perThousandth: [price: number | null, thousandths: number][] = [
    [prices.inputPerMillionTokens, used.inputTokens * 1_000],
    [prices.inputPerMillionCharacters, used.characters * 1_000],
    [prices.outputPerMillionTokens, used.outputTokens * 1_000],
    [prices.outputPerMillionSeconds, used.audioMs],
  ];
  let sum = 0n;
  for (const [price, thousandths] of perThousandth) {
    if (price !== null && price !== 0 && thousandths > 0)
      sum += BigInt(price) * BigInt(Math.round(thousandths));
  }
  return sum === 0n ? 0 : Number((sum + 500_000_000n) / 1_000_000_000n);
}

/**
 * The most an embeddings call may cost: its counted tokens and 10 % more, since an upstream may count otherwise.
 * Result in nano-dollars.
 */
export function worstEmbeddingCostNano(prices: Prices, inputTokens: number, characters: number): number {
  const withMargin = inputTokens + Math.ceil(inputTokens / 10);
  return costNano(prices, { inputTokens: withMargin, characters, outputTokens: 0, audioMs: 0 });
}
