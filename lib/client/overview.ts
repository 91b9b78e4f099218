import type { Overview } from "../contracts/console/overview";
import { INTERVAL_MS, type Range, rangeQuery } from "./range";

export const overviewQuery = (range: Range) => ({ ...rangeQuery(range), interval: range.interval });

/** Cookie of a browser in which the checklist of first steps was dismissed. */
export const STEPS_COOKIE = "patchbay-first-steps";
const YEAR_S = 365 * 24 * 3600;

/** Hides the checklist of first steps in this browser. */
export function dismissSteps(): void {
  // The Cookie Store API is not available over plain HTTP.
  // biome-ignore lint/suspicious/noDocumentCookie: see above
  document.cookie = `${STEPS_COOKIE}=dismissed; path=/; max-age=${YEAR_S}; samesite=lax`;
}

/** Start of each bucket. A day is given as a date and starts in the local time zone. */
export function bucketsOf({ periods }: Pick<Overview, "periods">): number[] {
  return periods.map((period) => {
    const [year = 0, month = 1, day = 1] = period.split("-").map(Number);
    return period.length === 10 ? new Date(year, month - 1, day).getTime() : Date.parse(period);
  });
}

export const bucketMsOf = ({ interval }: Pick<Range, "interval">): number => INTERVAL_MS[interval];

/** Relative change: 0.25 is a quarter more; null when `before` is 0. */
export function changeOf(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}
