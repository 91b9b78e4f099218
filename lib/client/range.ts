import { DAY_MS, HOUR_MS, MINUTE_MS } from "../contracts/durations";

/** Lengths of the ranges that end now, by their name in the URL (`?range=7d`). */
export const RANGES = { "1h": HOUR_MS, "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS } as const;
export type RangeName = keyof typeof RANGES;

/** The `interval` parameter of `/api/usage/summary` and similar endpoints. */
type Interval = "minute" | "hour" | "day";
export const INTERVAL_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const satisfies Record<
  Interval,
  number
>;

/** Longest selectable range: the API's limit for ranges by hour or day. */
export const MAX_RANGE_MS = 92 * DAY_MS;

/** A period in milliseconds since 1970; `to` is exclusive. */
export interface Span {
  from: number;
  to: number;
}

export interface Range extends Span {
  name: RangeName | "custom";
  /** Bucket length for charts: minutes up to 2 hours, hours up to 7 days, else days. */
  interval: Interval;
}

/** Bucket length for a chart of that length. The extra hour allows for a clock change. */
export function intervalFor(spanMs: number): Interval {
  if (spanMs <= 2 * HOUR_MS) return "minute";
  return spanMs <= 7 * DAY_MS + HOUR_MS ? "hour" : "day";
}

/**
 * Reads the range from a URL's query: `range=1h|24h|7d|30d`, or `from` and `to` (RFC 3339); 24 hours when missing or
 * invalid. A range that ends now ends at the end of the current minute or hour, so that its requests stay the same
 * within that time.
 */
export function readRange(query: { get(name: string): string | null }, now: number): Range {
  const from = Date.parse(query.get("from") ?? "");
  const to = Date.parse(query.get("to") ?? "");
  if (from < to && to - from <= MAX_RANGE_MS) return rangeOf("custom", from, to);
  const requested = query.get("range") ?? "";
  const name = isRangeName(requested) ? requested : "24h";
  const step = name === "1h" ? MINUTE_MS : HOUR_MS;
  const end = Math.floor(now / step) * step + step;
  return rangeOf(name, end - RANGES[name], end);
}

export function isRangeName(text: string): text is RangeName {
  return Object.hasOwn(RANGES, text);
}

export function rangeOf(name: Range["name"], from: number, to: number): Range {
  return { name, from, to, interval: intervalFor(to - from) };
}

/**
 * The start of a `period` in an API reply, in milliseconds since 1970. The API gives a day as a date; its start is
 * taken in the local time zone, so that it is shown as that day.
 */
export function startOfPeriod(period: string): number {
  const [year = 0, month = 1, day = 1] = period.split("-").map(Number);
  return period.length === 10 ? new Date(year, month - 1, day).getTime() : Date.parse(period);
}

/** Query of an API request for a range. */
export function rangeQuery({ from, to }: Span): { from: string; to: string } {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** The query with this range in place of its own. */
export function withRange(query: URLSearchParams, choice: RangeName | Span): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const name of ["range", "from", "to"]) changed.delete(name);
  if (typeof choice === "string") changed.set("range", choice);
  else for (const [name, value] of Object.entries(rangeQuery(choice))) changed.set(name, value);
  return changed;
}

/** Sets the range in the page's URL, as a new history entry. */
export function setRangeInUrl(choice: RangeName | Span): void {
  window.history.pushState(null, "", `?${withRange(new URLSearchParams(window.location.search), choice)}`);
}
