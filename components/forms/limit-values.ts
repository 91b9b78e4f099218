/** Conversions between what a request holds and what a text field shows. An empty field means null. */

export const numberText = (value: number | null): string => (value === null ? "" : String(value));

/** `12.500000000` → `12.50`. */
export const dollarsText = (usd: string | null): string =>
  usd === null ? "" : usd.replace(/(\.\d{2}\d*?)0+$/, "$1");

export const numberOrNull = (text: string): number | null => (text.trim() === "" ? null : Number(text));

export const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

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
      daily_usd: textOrNull(values.daily),
      monthly_usd: textOrNull(values.monthly),
      total_usd: textOrNull(values.total),
    },
  };
}

/** The form field of each request path whose name differs. */
export const LIMIT_FIELD_OF: Readonly<Record<string, keyof LimitValues>> = {
  "budget.daily_usd": "daily",
  "budget.monthly_usd": "monthly",
  "budget.total_usd": "total",
};
