import type { Overview } from "../contracts/console/overview";
import { INTERVAL_MS, type Range, rangeQuery } from "./range";

/** Rows of the tail. */
const TAIL = 12;
export const RECENT_REQUESTS_PATH = `/api/usage?limit=${TAIL}`;
export const ALERTS_SUMMARY_PATH = "/api/alerts/summary";
export const overviewPath = (range: Range) => `/api/overview?${rangeQuery(range)}`;

/** Beginnings of the pieces; a day is told by its date alone, which is the same in every zone. */
export function bucketsOf({ periods }: Pick<Overview, "periods">): number[] {
  return periods.map((period) => {
    const [year = 0, month = 1, day = 1] = period.split("-").map(Number);
    return period.length === 10 ? new Date(year, month - 1, day).getTime() : Date.parse(period);
  });
}

export const bucketMsOf = ({ interval }: Pick<Range, "interval">): number => INTERVAL_MS[interval];

/** How much `now` is above `before`: 0.25 is a quarter more; null where nothing can be said. */
export function changeOf(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}
