/** Whether a model has a price, is free, or has no price set. */
export type Pricing = "priced" | "free" | "unpriced";

/**
 * Free: served by built-in engines only (`isBuiltIn`), or with a price of 0. A model of an upstream without a price is
 * `unpriced`: the upstream may still charge for it.
 */
export function pricingOf(prices: readonly (number | null)[], isBuiltIn: boolean): Pricing {
  if (prices.some((price) => price !== null && price > 0)) return "priced";
  return isBuiltIn || prices.some((price) => price !== null) ? "free" : "unpriced";
}
