/** US dollars as `$` in every language: Patchbay has no other currency. */
export const DOLLARS = {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  numberingSystem: "latn",
} as const;

/** Number format of an amount: two decimals from a dollar on, two significant digits below. */
export function dollarsFormat(dollars: number) {
  return dollars > 0 && dollars < 1
    ? { ...DOLLARS, minimumSignificantDigits: 2, maximumSignificantDigits: 2 }
    : { ...DOLLARS, minimumFractionDigits: 2, maximumFractionDigits: 2 };
}
