import type { UsageSummary } from "../contracts/console/usage-summary";
import { INTERVAL_MS, type Range, startOfPeriod } from "./range";

type Item = UsageSummary["items"][number];

/** Totals per bucket without gaps; an item is null where there was no call. */
interface UsageSeries {
  buckets: number[];
  bucketMs: number;
  items: (Item | null)[];
}

/** Days of a range, extended to the days that have data: the server may count days in another time zone. */
function daysOf({ from, to }: Range, withData: readonly number[]): number[] {
  const first = new Date(Math.min(from, ...withData));
  const last = Math.max(to - 1, ...withData);
  const days: number[] = [];
  // Each day from its date: `setDate` keeps the hour of a day that a clock change begins at 1:00.
  const startOfDay = (index: number) =>
    new Date(first.getFullYear(), first.getMonth(), first.getDate() + index).getTime();
  for (let day = startOfDay(0); day <= last; day = startOfDay(days.length)) days.push(day);
  return days;
}

function bucketsOf({ from, to }: Range, bucketMs: number): number[] {
  const buckets: number[] = [];
  for (let at = Math.floor(from / bucketMs) * bucketMs; at < to; at += bucketMs) buckets.push(at);
  return buckets;
}

/** Series for a chart of a range, from its summary over time. */
export function toSeries(range: Range, summary: UsageSummary | undefined): UsageSeries {
  const bucketMs = INTERVAL_MS[range.interval];
  const isDaily = range.interval === "day";
  const byStart = new Map<number, Item>();
  for (const item of summary?.items ?? []) {
    if (item.period !== null) byStart.set(startOfPeriod(item.period), item);
  }
  const buckets = isDaily ? daysOf(range, [...byStart.keys()]) : bucketsOf(range, bucketMs);
  return { buckets, bucketMs, items: buckets.map((at) => byStart.get(at) ?? null) };
}
