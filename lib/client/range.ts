import { MINUTE_MS } from "../contracts/durations";

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Ranges that end now, by the name they have in the address (`?range=7d`). */
export const RANGES = { "1h": HOUR_MS, "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS } as const;
export type RangeName = keyof typeof RANGES;

/** The `interval` of `/api/usage/summary` and its kin. */
export type Interval = "minute" | "hour" | "day";
export const INTERVAL_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const satisfies Record<
  Interval,
  number
>;

/** Longest range one may choose: the interface's own bound for ranges by day. */
export const LONGEST_RANGE_MS = 92 * DAY_MS;

/** A stretch of time; milliseconds since 1970, `to` not within. */
export interface Span {
  from: number;
  to: number;
}

export interface Range extends Span {
  name: RangeName | "custom";
  /** Fitting pieces for a chart: at most 120 minutes, 7 days by hour, or days. */
  interval: Interval;
  /** As long, and right before it. */
  before: Span;
}

/** The pieces a chart of that length is cut into. */
export function intervalFor(spanMs: number): Interval {
  if (spanMs <= 2 * HOUR_MS) return "minute";
  return spanMs <= 7 * DAY_MS + HOUR_MS ? "hour" : "day";
}

/**
 * The range an address asks for: `range=1h|24h|7d|30d`, or `from` and `to` (RFC 3339). What it does not say, or says
 * wrongly, is `fallback`. A range that ends now ends with the minute or hour that is running, so that for as long as
 * that runs the same range has the same ends.
 */
export function readRange(
  query: { get(name: string): string | null },
  now: number,
  fallback: RangeName = "24h",
): Range {
  const from = Date.parse(query.get("from") ?? "");
  const to = Date.parse(query.get("to") ?? "");
  if (from < to && to - from <= LONGEST_RANGE_MS) return withBefore("custom", from, to);
  const asked = query.get("range") ?? "";
  const name = isRangeName(asked) ? asked : fallback;
  const piece = name === "1h" ? MINUTE_MS : HOUR_MS;
  const end = Math.floor(now / piece) * piece + piece;
  return withBefore(name, end - RANGES[name], end);
}

function isRangeName(text: string): text is RangeName {
  return Object.hasOwn(RANGES, text);
}

function withBefore(name: Range["name"], from: number, to: number): Range {
  const span = to - from;
  return { name, from, to, interval: intervalFor(span), before: { from: from - span, to: from } };
}

/** The query of a request for that range: `from=…&to=…&interval=…`. */
export function rangeQuery(range: Span & { interval?: Interval }): string {
  const query = new URLSearchParams({
    from: new Date(range.from).toISOString(),
    to: new Date(range.to).toISOString(),
  });
  if (range.interval) query.set("interval", range.interval);
  return query.toString();
}

/** Writes a choice into the page's address, as a step that the browser's Back undoes. */
export function putRangeInAddress(choice: RangeName | Span): void {
  const query = new URLSearchParams(window.location.search);
  for (const name of ["range", "from", "to"]) query.delete(name);
  if (typeof choice === "string") query.set("range", choice);
  else {
    query.set("from", new Date(choice.from).toISOString());
    query.set("to", new Date(choice.to).toISOString());
  }
  window.history.pushState(null, "", `?${query}`);
}
