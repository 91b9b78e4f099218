import {
  MAX_SUMMARY_ITEMS,
  type UsageSummary,
  type UsageSummaryQuery,
} from "../../contracts/console/usage-summary";
import { HOUR_MS } from "../../contracts/durations";
import { timestampOrNull, toTimestamp } from "../../contracts/timestamp";
import { AppError } from "../../errors";
import { billingPeriod } from "../../ports/billing-period";
import { nextTurn } from "../../ports/run-in-slices";
import type { UsageFilter, UsageGroup } from "../../ports/store";
import { addSums, amountOf, byAmount, isLabel, NO_SUMS, type Sums } from "../../ports/store/usage-query";
import type { ReadContext } from "../context";
import { MAX_RANGE_MS, requestedRange } from "../requested-range";
import { usageFilter } from "./entries";
import { dayStarts } from "./intervals";
import { sentNames } from "./list-rejections";
import { toUsageSums } from "./to-usage-sums";

/** Longest range that is summed exactly; in a longer one, whole hours are counted at both ends. */
const MAX_EXACT_MS = 6 * HOUR_MS;

function readRange(query: UsageSummaryQuery, now: number): { from: number; to: number } {
  const { from, to } = requestedRange(query, now);
  if (query.interval === "minute" && to - from > MAX_RANGE_MS.minute)
    throw new AppError("invalid", "A range by minute may have at most 6 hours.");
  if (query.interval !== undefined && to - from > MAX_RANGE_MS.day)
    throw new AppError("invalid", "A range by hour or day may have at most 92 days.");
  return { from, to };
}

/**
 * Most labels whose amounts are added up before the largest are chosen: as many as the entries that a summary reads, so
 * that a label is left out only where calls have several each. Bounds the memory of one request.
 */
const MAX_COUNTED_LABELS = 100_000;
/** Yields to other work after this many labels were counted. */
const LABELS_PER_STEP = 1_000;

/** The comma-separated labels of a call; `[null]` when there are none. */
function labelsOf(tags: string | null): (string | null)[] {
  const labels = (tags ?? "").split(",").map((label) => label.trim());
  const unique = [...new Set(labels.filter((label) => label !== ""))];
  return unique.length > 0 ? unique : [null];
}

/** The names of the items that a group is counted under. */
function namesOf({ name }: UsageGroup, by: UsageSummaryQuery["by"]): (string | null)[] {
  return by === "tag" ? labelsOf(name) : [name];
}

interface Item {
  period: string | null;
  name: string | null;
  sums: Sums;
}

const keyOf = (period: string | null, name: string | null): string =>
  `${period}\n${name === null ? "" : `=${name}`}`;

/** A range of time of the answer, by the hour of a group; null without an interval. */
type PeriodOf = (hour: number | null) => string | null;

/** Calls `visit` for each group with its period and the names of its items; yields to other work now and then. */
async function forEachGroup(
  groups: readonly UsageGroup[],
  by: UsageSummaryQuery["by"],
  periodOf: PeriodOf,
  visit: (group: UsageGroup, period: string | null, names: readonly (string | null)[]) => void,
): Promise<void> {
  let counted = 0;
  for (const group of groups) {
    const names = namesOf(group, by);
    visit(group, periodOf(group.hour), names);
    counted += names.length;
    if (counted < LABELS_PER_STEP) continue;
    counted = 0;
    await nextTurn();
  }
}

/** The keys of the `max` items with the largest amounts; null when there are no more than that. */
async function largestItems(
  groups: readonly UsageGroup[],
  { by, order }: Pick<UsageSummaryQuery, "by" | "order">,
  max: number,
  periodOf: PeriodOf,
): Promise<Set<string> | null> {
  const amounts = new Map<string, number>();
  const maxCounted = isLabel(by) ? MAX_COUNTED_LABELS : Number.POSITIVE_INFINITY;
  const amount = amountOf(order);
  await forEachGroup(groups, by, periodOf, (group, period, names) => {
    const added = amount(group);
    for (const name of names) {
      const key = keyOf(period, name);
      const known = amounts.get(key);
      if (known !== undefined || amounts.size < maxCounted) amounts.set(key, (known ?? 0) + added);
    }
  });
  if (amounts.size <= max) return null;
  // A typed array sorts 100,000 numbers in milliseconds.
  const smallest = Float64Array.from(amounts.values()).sort().at(-max) ?? 0;
  const chosen = new Set<string>();
  for (const [key, value] of amounts) if (value > smallest) chosen.add(key);
  for (const [key, value] of amounts) if (value === smallest && chosen.size < max) chosen.add(key);
  return chosen;
}

/** Sums by period and name, and the total of all calls, including those whose items are left out. */
async function sumByItem(
  groups: readonly UsageGroup[],
  { by, order, limit }: Pick<UsageSummaryQuery, "by" | "order" | "limit">,
  periodOf: PeriodOf,
): Promise<{ items: Item[]; total: Sums }> {
  const isLabelled = isLabel(by);
  const compare = byAmount(order);
  const ordered = isLabelled ? groups.toSorted(compare) : groups;
  const max = limit ?? (isLabelled ? MAX_SUMMARY_ITEMS : null);
  const chosen = max === null ? null : await largestItems(ordered, { by, order }, max, periodOf);
  const items = new Map<string, Item>();
  let total: Sums = NO_SUMS;
  await forEachGroup(ordered, by, periodOf, (group, period, names) => {
    total = addSums(total, group);
    for (const name of names) {
      const key = keyOf(period, name);
      if (chosen?.has(key) === false) continue;
      const known = items.get(key);
      if (known !== undefined) known.sums = addSums(known.sums, group);
      else items.set(key, { period, name, sums: addSums(NO_SUMS, group) });
    }
  });
  const all = [...items.values()];
  return { items: chosen === null ? all : all.sort((a, b) => compare(a.sums, b.sums)), total };
}

async function labelsOfSubjects(
  ctx: ReadContext,
  by: UsageSummaryQuery["by"],
  items: readonly Item[],
): Promise<Map<string, string>> {
  if (by !== "key" && by !== "user" && by !== "channel") return new Map();
  const ids = new Set(items.flatMap((item) => item.name ?? []));
  return ctx.store.ledger.names(by, [...ids]);
}

/** The number of rejected requests; null where the filter selects by a property that they do not have. */
async function countRejected(
  ctx: ReadContext,
  filter: UsageFilter,
  range: { from: number; to: number },
): Promise<number | null> {
  const { userId, keyId, model, q, ...others } = filter;
  const isOnlyForCalls = Object.entries(others).some(
    ([name, value]) => name !== "from" && name !== "to" && value !== undefined,
  );
  if (isOnlyForCalls) return null;
  const models = model === undefined ? undefined : await sentNames(ctx, model);
  return ctx.store.rejections.count({ userId, keyId, models, q, ...range });
}

/**
 * Sums of calls over a range (by default the last day), by time and by one dimension; members see their own. All
 * playground keys count as one key. Throws `unauthenticated`, `invalid`, `not_found` (a member asks for another
 * user's).
 */
export async function summarizeUsage(ctx: ReadContext, query: UsageSummaryQuery): Promise<UsageSummary> {
  const filter = usageFilter(ctx, query);
  const { from, to } = readRange(query, ctx.clock.now());
  if (filter === null) throw new AppError("not_found", "User not found.");
  const { by = null, order, interval, limit } = query;
  // The store selects the largest items, except of labels: a call may have several, which `sumByItem` separates first.
  const isCut = limit !== undefined && by !== null && !isLabel(by) && interval === undefined;
  const [{ groups, total: ofAll, latencyBoundsMs, readFrom }, rejected] = await Promise.all([
    ctx.store.ledger.summarize({
      ...filter,
      from,
      to,
      by,
      isExact: to - from <= MAX_EXACT_MS,
      isByHour: interval === "hour" || interval === "day",
      isByMinute: interval === "minute",
      dayStarts: interval === "day" ? dayStarts({ from, to, timeZone: ctx.instance.timeZone }) : undefined,
      maxGroups: isCut ? limit : undefined,
      order,
    }),
    countRejected(ctx, filter, { from, to }),
  ]);
  const periodOf = (hour: number | null): string | null => {
    if (hour === null) return null;
    return interval === "day" ? billingPeriod(ctx.instance.timeZone, hour).day : toTimestamp(hour);
  };
  const { items, total } = await sumByItem(groups, query, periodOf);
  const labels = await labelsOfSubjects(ctx, query.by, items);
  return {
    from: toTimestamp(from),
    to: toTimestamp(to),
    read_from: timestampOrNull(readFrom),
    total: toUsageSums(ofAll ?? total, latencyBoundsMs),
    rejected,
    items: items.map(({ period, name, sums }) => ({
      period,
      name,
      label: name === null ? null : (labels.get(name) ?? null),
      ...toUsageSums(sums, latencyBoundsMs),
    })),
  };
}
