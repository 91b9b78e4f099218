import type { OverviewQuery } from "../../contracts/overview";
import { toTimestamp } from "../../contracts/timestamp";
import type { UsageGroup } from "../../ports/store";
import { billingPeriod } from "../gateway/billing-period";
import { addSums, NO_SUMS, type Sums } from "./summarize";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A stretch of time cut into equal pieces without holes. */
export interface Pieces {
  /** How each is called in a reply: an instant, or a day of the instance's zone. */
  periods: string[];
  starts: number[];
  sums: Sums[];
}

interface Stretch {
  from: number;
  to: number;
  interval: OverviewQuery["interval"];
  timeZone: string;
}

/** Puts groups by minute or hour into the pieces of a stretch; what no call fell into is 0. */
export function cutIntoPieces(stretch: Stretch, groups: readonly UsageGroup[]): Pieces {
  const { from, to, interval, timeZone } = stretch;
  const step = interval === "minute" ? MINUTE_MS : HOUR_MS;
  const nameOf = (at: number) => (interval === "day" ? billingPeriod(timeZone, at).day : toTimestamp(at));
  const pieces: Pieces = { periods: [], starts: [], sums: [] };
  const places = new Map<string, number>();
  for (let at = from - (from % step); at < to; at += step) {
    const name = nameOf(at);
    if (places.has(name)) continue;
    places.set(name, pieces.periods.length);
    pieces.periods.push(name);
    pieces.starts.push(at);
    pieces.sums.push(NO_SUMS);
  }
  for (const group of groups) {
    const place = places.get(nameOf(group.hour ?? from));
    if (place !== undefined) pieces.sums[place] = addSums(pieces.sums[place] ?? NO_SUMS, group);
  }
  return pieces;
}

/** How many pieces have run by `now`, the running one as the share of it that has. */
export function elapsedPieces({ starts }: Pieces, to: number, now: number): number {
  if (now >= to) return starts.length;
  const running = starts.findLastIndex((start) => start <= now);
  const start = starts[running] ?? now;
  const end = starts[running + 1] ?? to;
  return Math.max(0, running) + Math.min(1, Math.max(0, now - start) / Math.max(1, end - start));
}

/** Sums of the first `count` pieces; of the last one its share. */
export function sumOf({ sums }: Pieces, count = Number.POSITIVE_INFINITY): Sums {
  return sums.reduce((total, one, index) => {
    const share = Math.min(1, Math.max(0, count - index));
    // A piece without calls has no histogram to add.
    return share === 0 || one.calls === 0 ? total : addSums(total, share === 1 ? one : shareOf(one, share));
  }, NO_SUMS);
}

function shareOf(sums: Sums, share: number): Sums {
  const part = (value: number) => Math.round(value * share);
  return {
    calls: part(sums.calls),
    errors: part(sums.errors),
    inputTokens: part(sums.inputTokens),
    outputTokens: part(sums.outputTokens),
    characters: part(sums.characters),
    audioMs: part(sums.audioMs),
    costNano: part(sums.costNano),
    latencySumMs: part(sums.latencySumMs),
    firstByteSumMs: part(sums.firstByteSumMs),
    firstByteCalls: part(sums.firstByteCalls),
    latency: sums.latency.map(part),
  };
}
