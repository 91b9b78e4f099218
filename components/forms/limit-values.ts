/** Conversions between what a request holds and what a text field shows. An empty field means null. */

export const numberText = (value: number | null): string => (value === null ? "" : String(value));

/** `12.500000000` → `12.50`. */
export const dollarsText = (usd: string | null): string =>
  usd === null ? "" : usd.replace(/(\.\d{2}\d*?)0+$/, "$1");

/** A number with a decimal comma. Not `1,234`, which may also be a thousand. */
const DECIMAL_COMMA = /^(?:0?,\d+|\d+,\d{1,2})$/;

/**
 * A typed number with a decimal point. The keyboard of an iPhone has only a comma where the region writes decimals with
 * one. Other text stays as it is, for the schema to refuse.
 */
export function decimalText(text: string): string {
  const trimmed = text.trim();
  return DECIMAL_COMMA.test(trimmed) ? trimmed.replace(",", ".") : trimmed;
}

export const numberOrNull = (text: string): number | null =>
  text.trim() === "" ? null : Number(decimalText(text));

export const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** A typed amount of dollars. */
export const dollarsOrNull = (text: string): string | null => textOrNull(decimalText(text));

/** Spaces, commas or semicolons between words. */
export const WORD_SEPARATOR = /[\s,;，；]+/u;
export const splitWords = (text: string): string[] => text.split(WORD_SEPARATOR).filter(Boolean);

export const RATE_FIELDS = ["rpm", "tpm", "concurrency"] as const;
export const BUDGET_FIELDS = ["daily", "monthly", "total"] as const;

/** The rate limits and budgets (USD) of a key or a user as form fields; an empty text means no limit. */
export type LimitValues = Record<(typeof RATE_FIELDS)[number] | (typeof BUDGET_FIELDS)[number], string>;

interface Limits {
  rpm: number | null;
  tpm: number | null;
  concurrency: number | null;
  budget: { daily_usd: string | null; monthly_usd: string | null; total_usd: string | null };
}

export const NO_LIMITS: LimitValues = {
  rpm: "",
  tpm: "",
  concurrency: "",
  daily: "",
  monthly: "",
  total: "",
};

export function limitValues({ rpm, tpm, concurrency, budget }: Limits): LimitValues {
  return {
    rpm: numberText(rpm),
    tpm: numberText(tpm),
    concurrency: numberText(concurrency),
    daily: dollarsText(budget.daily_usd),
    monthly: dollarsText(budget.monthly_usd),
    total: dollarsText(budget.total_usd),
  };
}

/** The limits of a request. Not checked yet: a field may hold text that is not a number. */
export function limitsRequest(values: LimitValues): Limits {
  return {
    rpm: numberOrNull(values.rpm),
    tpm: numberOrNull(values.tpm),
    concurrency: numberOrNull(values.concurrency),
    budget: {
      daily_usd: dollarsOrNull(values.daily),
      monthly_usd: dollarsOrNull(values.monthly),
      total_usd: dollarsOrNull(values.total),
    },
  };
}

/** The form field of each request path whose name differs. */
export const LIMIT_FIELD_OF: Readonly<Record<string, keyof LimitValues>> = {
  "budget.daily_usd": "daily",
  "budget.monthly_usd": "monthly",
  "budget.total_usd": "total",
};
