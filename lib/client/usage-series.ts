import type { UsageSummary } from "../contracts/console/usage-summary";
import { HOUR_MS } from "../contracts/durations";
import { INTERVAL_MS, type Range, rangeOf, type Span, startOfPeriod } from "./range";

type Item = UsageSummary["items"][number];

/** Totals per bucket without gaps; an item is null where there was no call. */
interface UsageSeries {
  buckets: number[];
  bucketMs: number;
  interval: Range["interval"];
  items: (Item | null)[];
}

/** Days of a range, extended to the days that have data: the server may count days in another time zone. */
function daysOf({ from, to }: Range, withData: readonly number[]): number[] {
  const first = new Date(Math.min(from, ...withData));
  const last = Math.max(to - 1, ...withData);
  const days: number[] = [];
  // Each day is computed from its date: after a day that a clock change makes begin at 1:00, adding days with `setDate`
  // would keep that hour.
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

/**
 * The series for a chart of the requested range, from its summary over time. While that summary loads, `summary` may
 * still be the one of the previous range; the series is then that of the previous range.
 */
export function toSeries(requested: Range, summary: UsageSummary | undefined): UsageSeries {
  const range = summary
    ? rangeOf(requested.name, Date.parse(summary.from), Date.parse(summary.to))
    : requested;
  const { interval } = range;
  const bucketMs = INTERVAL_MS[interval];
  const byStart = new Map<number, Item>();
  for (const item of summary?.items ?? []) {
    if (item.period !== null) byStart.set(startOfPeriod(item.period), item);
  }
  const buckets = interval === "day" ? daysOf(range, [...byStart.keys()]) : bucketsOf(range, bucketMs);
  return { buckets, bucketMs, interval, items: buckets.map((at) => byStart.get(at) ?? null) };
}

/** Time zones are at most 14 hours ahead of UTC and 12 behind it; a day has at most 25 hours. */
const DAY_HOURS = { first: -14, last: 12 + 25 };

/**
 * The period of the bucket at `at`. As in the API, a day is a day in the instance's time zone, made of the whole UTC
 * hours that begin in it.
 */
export function spanOfBucket(at: number, interval: Range["interval"], timeZone: string): Span {
  if (interval !== "day") return { from: at, to: at + INTERVAL_MS[interval] };
  const local = new Date(at);
  const midnight = Date.UTC(local.getFullYear(), local.getMonth(), local.getDate());
  const dayIn = (zone: string) => new Intl.DateTimeFormat("en-US", { timeZone: zone, dateStyle: "short" });
  const day = dayIn("UTC").format(midnight);
  const format = dayIn(timeZone);
  const hours: number[] = [];
  for (let hour = DAY_HOURS.first; hour <= DAY_HOURS.last; hour += 1) {
    const start = midnight + hour * HOUR_MS;
    if (format.format(start) === day) hours.push(start);
  }
  return { from: hours.at(0) ?? at, to: (hours.at(-1) ?? at) + HOUR_MS };
}
