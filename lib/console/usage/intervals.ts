import type { OverviewQuery } from "../../contracts/console/overview";
import { HOUR_MS, MINUTE_MS } from "../../contracts/durations";
import { toTimestamp } from "../../contracts/timestamp";
import { billingPeriod } from "../../ports/billing-period";
import type { UsageGroup } from "../../ports/store";
import { addSums, eachSum, NO_SUMS, type Sums } from "../../ports/store/usage-query";

/** A time range cut into equal intervals without gaps. */
export interface Intervals {
  /** Label of each interval: a timestamp, or a day of the instance's time zone. */
  periods: string[];
  starts: number[];
  sums: Sums[];
}

interface TimeRange {
  from: number;
  to: number;
  interval: OverviewQuery["interval"];
  timeZone: string;
}

const stepOf = (interval: TimeRange["interval"]) => (interval === "minute" ? MINUTE_MS : HOUR_MS);

function nameAt({ interval, timeZone }: Pick<TimeRange, "interval" | "timeZone">, at: number): string {
  return interval === "day" ? billingPeriod(timeZone, at).day : toTimestamp(at);
}

/** Start times of the intervals; the first is rounded down to the minute or hour. */
function startsOf(range: TimeRange): number[] {
  const { from, to, interval } = range;
  const step = stepOf(interval);
  const starts: number[] = [];
  let name = "";
  for (let at = from - (from % step); at < to; at += step) {
    const next = nameAt(range, at);
    if (next !== name) starts.push(at);
    name = next;
  }
  return starts;
}

/** Start times of the days of a range in a time zone; the first day starts at the range's first hour. */
export function dayStarts(range: { from: number; to: number; timeZone: string }): number[] {
  return startsOf({ ...range, interval: "day" });
}

/** Assigns groups by minute, hour or day to the intervals of a range; intervals without calls are 0. */
export function splitIntoIntervals(range: TimeRange, groups: readonly UsageGroup[]): Intervals {
  const starts = startsOf(range);
  const periods = starts.map((start) => nameAt(range, start));
  const indexes = new Map(periods.map((period, index) => [period, index]));
  const sums: Sums[] = starts.map(() => NO_SUMS);
  for (const group of groups) {
    const index = indexes.get(nameAt(range, group.hour ?? range.from));
    if (index !== undefined) sums[index] = addSums(sums[index] ?? NO_SUMS, group);
  }
  return { periods, starts, sums };
}

/**
 * Merges the first intervals where there are more than `count`. A range of days that begins at midnight has a preceding
 * period that may have one day more: across a change to daylight-saving time, it begins an hour before midnight.
 */
export function mergeSurplus({ periods, starts, sums }: Intervals, count: number): Intervals {
  const surplus = Math.max(0, starts.length - count);
  const first = sums.slice(0, surplus + 1).reduce(addSums, NO_SUMS);
  return {
    periods: periods.slice(surplus),
    starts: starts.slice(surplus),
    sums: sums.slice(surplus).map((one, index) => (index === 0 ? first : one)),
  };
}

/** Number of intervals elapsed by `now`; the running one counts by its elapsed share. */
export function elapsedIntervals({ starts }: Intervals, to: number, now: number): number {
  if (now >= to) return starts.length;
  const running = starts.findLastIndex((start) => start <= now);
  const start = starts[running] ?? now;
  const end = starts[running + 1] ?? to;
  return Math.max(0, running) + Math.min(1, Math.max(0, now - start) / Math.max(1, end - start));
}

/** Sum of the first `count` intervals; a fractional last one counts by its share. */
export function sumOf({ sums }: Intervals, count = Number.POSITIVE_INFINITY): Sums {
  return sums.reduce((total, one, index) => {
    const share = Math.min(1, Math.max(0, count - index));
    return share === 0 ? total : addSums(total, share === 1 ? one : shareOf(one, share));
  }, NO_SUMS);
}

function shareOf(sums: Sums, share: number): Sums {
  const part = (value: number) => Math.round(value * share);
  return {
    ...eachSum((name) => part(sums[name])),
    latencyMaxMs: sums.latencyMaxMs,
    latency: sums.latency.map(part),
  };
}
