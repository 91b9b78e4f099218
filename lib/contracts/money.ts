import { z } from "zod";

/** Nano-dollars in a dollar. */
const NANO = 1_000_000_000n;
const USD_FORMAT = /^(\d{1,7})(?:\.(\d{1,9}))?$/;
/** Amounts up to Number.MAX_SAFE_INTEGER nano-dollars, rounded down to whole dollars. */
const USD_PATTERN =
  "^(?:[0-9]{1,6}|[0-8][0-9]{6}|900[0-6][0-9]{3}|9007(?:0[0-9]{2}|1[0-8][0-9]|19[0-8]))(?:\\.[0-9]{1,9})?$";

/** `200` → `"0.000000200"`: always nine decimals, exact for every safe integer. */
export function nanoToUsd(nano: number): string {
  const amount = BigInt(nano);
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % NANO).toString().padStart(9, "0");
  return `${amount < 0n ? "-" : ""}${size / NANO}.${fraction}`;
}

/** `"0.0000002"` → `200`; null when the text is not an amount with at most nine decimals, or exceeds a safe integer. */
export function usdToNano(text: string): number | null {
  const parts = USD_FORMAT.exec(text);
  if (parts === null) return null;
  const nano = BigInt(parts[1] ?? "0") * NANO + BigInt((parts[2] ?? "").padEnd(9, "0"));
  return nano <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(nano) : null;
}

/** Dollars as a decimal string: the form of money in all requests and replies of the console. */
export const Usd = z
  .string()
  .refine(
    (text) => usdToNano(text) !== null,
    'Must be dollars below 9,007,199 as a decimal string with at most 9 decimals, such as "12.50".',
  )
  .meta({
    description: "Dollars as a decimal string with up to nine decimals, below 9,007,199",
    pattern: USD_PATTERN,
    examples: ["12.50"],
  });

/** Spending limits; null: unlimited. */
export const Budget = z.strictObject({
  total_usd: Usd.nullable(),
  daily_usd: Usd.nullable(),
  monthly_usd: Usd.nullable(),
});
export type Budget = z.infer<typeof Budget>;

/** Changes of a budget: an omitted field stays unchanged (in a new key: unlimited). */
export const BudgetChange = Budget.partial();
export type BudgetChange = z.infer<typeof BudgetChange>;

/** Settled plus reserved spending in each period of a budget. */
export const Spent = z.strictObject({ total_usd: Usd, daily_usd: Usd, monthly_usd: Usd });
export type Spent = z.infer<typeof Spent>;
