/** The day and month of daily and monthly budgets: `2026-11-20` and `2026-11`. */
export interface BillingPeriod {
  day: string;
  month: string;
}

/** Time zone offsets are multiples of 15 minutes, so no day begins inside a quarter of an hour. */
const QUARTER_MS = 900_000;

const formatters = new Map<string, Intl.DateTimeFormat>();
let latest: { timeZone: string; quarter: number; period: BillingPeriod } | null = null;

/** Day and month of `at` (milliseconds since 1970) in an IANA time zone. */
export function billingPeriod(timeZone: string, at: number): BillingPeriod {
  const quarter = Math.floor(at / QUARTER_MS);
  if (latest !== null && latest.quarter === quarter && latest.timeZone === timeZone) return latest.period;
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    formatters.set(timeZone, formatter);
  }
  const parts = new Map(formatter.formatToParts(at).map((part) => [part.type, part.value]));
  const month = `${parts.get("year")}-${parts.get("month")}`;
  const period = { day: `${month}-${parts.get("day")}`, month };
  latest = { timeZone, quarter, period };
  return period;
}
