import type { Prices } from "../../ports/store";

/** The usage of a call, or its worst case. */
export interface Quantities {
  inputTokens: number;
  characters: number;
  outputTokens: number;
  /** Milliseconds of audio. */
  audioMs: number;
}

/**
 * Nano-dollars of the quantities, rounded half up once over the sum. Prices are nano-dollars per million units;
 * the sum is in thousandths of a unit price, since audio is counted in milliseconds and priced in seconds.
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
 * Worst-case cost of an embeddings call in nano-dollars: its counted tokens plus 10 %, since an upstream may count more.
 */
export function maxEmbeddingCostNano(prices: Prices, inputTokens: number, characters: number): number {
  const withMargin = inputTokens + Math.ceil(inputTokens / 10);
  return costNano(prices, { inputTokens: withMargin, characters, outputTokens: 0, audioMs: 0 });
}
