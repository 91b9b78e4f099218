const NANO = 1_000_000_000;

/** Nano-dollars as dollars, to the last digit that is none: 2500000000 → "$2.50". */
export function usd(nano: number): string {
  const dollars = (nano / NANO).toFixed(9).replace(/0{1,7}$/, "");
  return `$${dollars}`;
}
