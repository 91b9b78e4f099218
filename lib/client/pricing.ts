/** What can be said of a model's prices: dollars, nothing to pay, or that nobody has set any. */
export type Pricing = "priced" | "free" | "unpriced";

/**
 * Free is what an engine built in makes (`isBuiltIn`: all who serve it are), and what somebody set a price of 0 for. An
 * upstream's model without any price costs the operator money all the same.
 */
export function pricingOf(prices: readonly (number | null)[], isBuiltIn: boolean): Pricing {
  if (prices.some((price) => price !== null && price > 0)) return "priced";
  return isBuiltIn || prices.some((price) => price !== null) ? "free" : "unpriced";
}
