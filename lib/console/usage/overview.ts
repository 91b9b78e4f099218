import type { Overview, OverviewQuery, OverviewSeries } from "../../contracts/console/overview";
import { HOUR_MS } from "../../contracts/durations";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { NO_SUMS } from "../../ports/store/usage-query";
import { requireUser } from "../access/guards";
import type { ReadContext } from "../context";
import { MAX_RANGE_MS, requestedRange } from "../requested-range";
import {
  dayStarts,
  elapsedIntervals,
  type Intervals,
  mergeSurplus,
  splitIntoIntervals,
  sumOf,
} from "./intervals";
import {
  channelShares,
  keyShares,
  listedShares,
  modelShares,
  routeShares,
  unpricedModels,
  unroutedShares,
} from "./shares";
import { toUsageSums } from "./to-usage-sums";

/** Most keys in the overview: the page shows no more. */
const MAX_KEYS = 8;

/**
 * The overview's figures for a range and for the preceding period of the same length. The preceding figures are 0 when
 * the calls of either are not read from its beginning. Members see their own calls and no channels. Throws
 * `unauthenticated`, `invalid`.
 */
export async function readOverview(ctx: ReadContext, query: OverviewQuery): Promise<Overview> {
  const user = requireUser(ctx);
  const isMember = user.role === "member";
  const { from, to } = requestedRange(query, ctx.clock.now());
  const { interval } = query;
  if (to - from > MAX_RANGE_MS[interval])
    throw new AppError(
      "invalid",
      `A range by ${interval} may have at most ${MAX_RANGE_MS[interval] / HOUR_MS} hours.`,
    );
  const { ledger } = ctx.store;
  const { timeZone } = ctx.instance;
  const isByMinute = interval === "minute";
  const counted = isByMinute ? { from, to } : wholeHours({ from, to });
  const previous = { from: 2 * counted.from - counted.to, to: counted.from };
  const inPieces = (span: { from: number; to: number }) => ({
    ...span,
    by: null,
    isByHour: !isByMinute,
    dayStarts: interval === "day" ? dayStarts({ ...span, timeZone }) : undefined,
  });
  const own = isMember ? { userId: user.id } : {};
  const now = await ledger.summarize({ ...own, ...inPieces(counted), isByMinute });
  const shares = {
    ...own,
    from: now.readFrom ?? counted.from,
    to: counted.to,
    isByHour: false,
    isExact: isByMinute,
    hasOnlyCallsAndCost: true,
  };
  const [before, byRoute, byKey, models, channels, rejected, failovers] = await Promise.all([
    ledger.summarize({ ...own, ...inPieces(previous), isByMinute }),
    ledger.summarize({ ...shares, by: "route" }),
    ledger.summarize({ ...shares, by: "key", maxGroups: MAX_KEYS }),
    ctx.store.models.all(),
    ctx.store.channels.all(),
    ctx.store.rejections.count({ ...own, from, to }),
    isMember ? [] : ledger.failovers(counted),
  ]);
  const intervals = splitIntoIntervals({ ...counted, interval, timeZone }, now.groups);
  // A range that was not read from its beginning is shorter than the other and cannot be compared with it.
  const isComparable = now.readFrom === null && before.readFrom === null;
  const earlier = mergeSurplus(
    splitIntoIntervals({ ...previous, interval, timeZone }, isComparable ? before.groups : []),
    intervals.starts.length,
  );
  const bounds = now.latencyBoundsMs;
  const ran = elapsedIntervals(intervals, counted.to, ctx.clock.now());
  return {
    from: toTimestamp(from),
    to: toTimestamp(to),
    read_from: timestampOrNull(now.readFrom),
    total: toUsageSums(sumOf(intervals), bounds),
    before: toUsageSums(sumOf(earlier, ran), bounds),
    rejected,
    periods: intervals.periods,
    series: seriesOf(intervals, intervals.periods.length, bounds),
    before_series: seriesOf(earlier, intervals.periods.length, bounds),
    keys: await keyShares(ctx, byKey.groups),
    ...unroutedShares(byRoute.groups),
    unpriced_models: unpricedModels(byRoute.groups, models, channels),
    ...listedShares(
      modelShares(byRoute.groups, isMember ? [] : models.filter((model) => model.enabled), models),
      isMember ? [] : channelShares(ctx, byRoute.groups, channels, failovers),
      isMember ? [] : routeShares(byRoute.groups, channels, failovers),
    ),
  };
}

/** The range extended to whole hours, because sums are kept by hour. */
function wholeHours({ from, to }: { from: number; to: number }): { from: number; to: number } {
  return { from: from - (from % HOUR_MS), to: Math.ceil(to / HOUR_MS) * HOUR_MS };
}

function seriesOf({ sums }: Intervals, length: number, bounds: readonly number[]): OverviewSeries {
  const all = Array.from({ length }, (_, index) => sums[index] ?? NO_SUMS);
  const shown = all.map((one) => toUsageSums(one, bounds));
  return {
    calls: all.map((one) => one.calls),
    errors: all.map((one) => one.errors),
    tokens: all.map((one) => one.inputTokens + one.outputTokens),
    audio_ms: all.map((one) => one.audioMs),
    cost_usd: shown.map((one) => one.cost_usd),
    latency_p50_ms: shown.map((one) => one.latency_p50_ms),
    latency_p95_ms: shown.map((one) => one.latency_p95_ms),
  };
}
