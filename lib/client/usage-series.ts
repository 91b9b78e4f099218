import type { UsageSummary } from "../contracts/console/usage-summary";
import { INTERVAL_MS, type Range } from "./range";

type Item = UsageSummary["items"][number];

/** Sums over equal pieces of time without holes; `items` null where there was no call. */
export interface UsageSeries {
  buckets: number[];
  bucketMs: number;
  items: (Item | null)[];
}

/** `2026-11-20` as the beginning of that day here, so that it is written as that day whatever zone counted it. */
function startOfDay(text: string): number {
  const [year = 0, month = 1, day = 1] = text.split("-").map(Number);
  return new Date(year, month - 1, day).getTime();
}

function daysOf({ from, to }: Range, told: readonly number[]): number[] {
  const first = new Date(Math.min(from, ...told));
  const last = Math.max(to - 1, ...told);
  const days: number[] = [];
  const day = new Date(first.getFullYear(), first.getMonth(), first.getDate());
  for (; day.getTime() <= last; day.setDate(day.getDate() + 1)) days.push(day.getTime());
  return days;
}

function piecesOf({ from, to }: Range, pieceMs: number): number[] {
  const pieces: number[] = [];
  for (let at = Math.floor(from / pieceMs) * pieceMs; at < to; at += pieceMs) pieces.push(at);
  return pieces;
}

/** What a chart of a range draws, from its summary by time. */
export function toSeries(range: Range, summary: UsageSummary | undefined): UsageSeries {
  const bucketMs = INTERVAL_MS[range.interval];
  const isDaily = range.interval === "day";
  const byStart = new Map<number, Item>();
  for (const item of summary?.items ?? []) {
    if (item.period !== null) byStart.set(isDaily ? startOfDay(item.period) : Date.parse(item.period), item);
  }
  const buckets = isDaily ? daysOf(range, [...byStart.keys()]) : piecesOf(range, bucketMs);
  return { buckets, bucketMs, items: buckets.map((at) => byStart.get(at) ?? null) };
}
