/** Dollars as `$`, in every language: there is no other money here that it could be taken for. */
export const DOLLARS = {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  numberingSystem: "latn",
} as const;

/** How an amount of dollars is written: cents from a dollar on, the first two digits that say something below. */
export function dollarsFormat(dollars: number) {
  return dollars > 0 && dollars < 1
    ? { ...DOLLARS, minimumSignificantDigits: 2, maximumSignificantDigits: 2 }
    : { ...DOLLARS, minimumFractionDigits: 2, maximumFractionDigits: 2 };
}
