import { DAY_MS, HOUR_MS } from "../contracts/durations";
import { AppError } from "../errors";

/** Longest range by interval; by minute the calls themselves are read. More would not fit in a chart. */
export const MAX_RANGE_MS = { minute: 6 * HOUR_MS, hour: 92 * DAY_MS, day: 92 * DAY_MS } as const;

/** The requested range in milliseconds since 1970, by default the last 24 hours. Throws `invalid` when it is empty. */
export function requestedRange(query: { from?: string; to?: string }, now: number) {
  const to = query.to === undefined ? now : Date.parse(query.to);
  const from = query.from === undefined ? to - DAY_MS : Date.parse(query.from);
  if (from >= to) throw new AppError("invalid", "'from' must be before 'to'.");
  return { from, to };
}
