"use client";

import useSWR from "swr";
import { useTranslations } from "use-intl";
import { api, callApi } from "@/lib/client/api";
import { RANGES, rangeQuery, readRange } from "@/lib/client/range";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";
import { DAY_MS } from "@/lib/contracts/durations";
import { Money } from "../charts/money";
import { useAmounts } from "../charts/use-amounts";
import { cn } from "../ui/class-names";
import { Skeleton } from "../ui/skeleton";

/** Limit of `key_ids` in one request. */
const MAX_KEY_IDS = 100;

/** Requests and spend (USD) of one key, in total and one value per day. */
interface Activity {
  total: { calls: number; spend: number };
  calls: readonly number[];
  spend: readonly number[];
}

/**
 * The days of the range up to the newest day with calls, which may be after today in UTC: the server counts days in the
 * instance's time zone.
 */
function daysOf(items: UsageSummary["items"], to: number): string[] {
  // The range includes only a part of its first and of its last day, so it touches one day more.
  const count = RANGES["30d"] / DAY_MS + 1;
  const utcDays = Array.from({ length: count }, (_, index) =>
    new Date(to - 1 - index * DAY_MS).toISOString().slice(0, 10),
  );
  const withCalls = items.flatMap((item) => item.period ?? []);
  return [...new Set([...utcDays, ...withCalls])].sort().slice(-count);
}

/** Activity of these keys over the last 30 days; zeros for keys without calls. */
export function activityByKey(
  ids: readonly string[],
  items: UsageSummary["items"],
  to: number,
): Map<string, Activity> {
  const days = daysOf(items, to);
  const zeros = () => days.map(() => 0);
  const byKey = new Map(
    ids.map((id) => [id, { total: { calls: 0, spend: 0 }, calls: zeros(), spend: zeros() }]),
  );
  for (const { period, name, calls, cost_usd } of items) {
    const known = byKey.get(name ?? "");
    if (known === undefined) continue;
    known.total.calls += calls;
    known.total.spend += Number(cost_usd);
    const day = days.indexOf(period ?? "");
    if (day === -1) continue;
    known.calls[day] = calls;
    known.spend[day] = Number(cost_usd);
  }
  return byKey;
}

/** Activity by key, for the keys that are loaded. `hasFailed`: the activity of the other keys could not be loaded. */
export interface Activities {
  byKey: ReadonlyMap<string, Activity> | undefined;
  hasFailed: boolean;
}

export function useKeyActivity(ids: readonly string[]): Activities {
  const { data, error } = useSWR(
    ids.length === 0 ? null : ["key-activity", ids.join(",")],
    async () => {
      const range = readRange(new URLSearchParams("range=30d"), Date.now());
      const starts = Array.from({ length: Math.ceil(ids.length / MAX_KEY_IDS) }, (_, at) => at * MAX_KEY_IDS);
      const summaries = await Promise.all(
        starts.map((start) =>
          callApi(api.summarizeUsage, {
            query: {
              ...rangeQuery(range),
              by: "key",
              interval: "day",
              key_ids: ids.slice(start, start + MAX_KEY_IDS).join(","),
            },
          }),
        ),
      );
      return activityByKey(
        ids,
        summaries.flatMap((summary) => summary.items),
        range.to,
      );
    },
    { keepPreviousData: true },
  );
  // May be the previous data: when the list becomes longer, its first keys keep their activity meanwhile.
  return { byKey: data, hasFailed: error !== undefined };
}

/** Requests and spend of a key over 30 days, each as bars with its sum. Has the same width while it loads. */
export function KeyActivity({ id, activities }: { id: string; activities: Activities }) {
  return (
    <span className="block w-48 max-w-full text-sm">
      <ActivityBars id={id} activities={activities} />
    </span>
  );
}

function ActivityBars({ id, activities }: { id: string; activities: Activities }) {
  const t = useTranslations("apiKeys.activity");
  const amounts = useAmounts();
  const activity = activities.byKey?.get(id);
  if (activity === undefined)
    return activities.hasFailed ? (
      <span className="text-ink-faint">—</span>
    ) : (
      <Skeleton className="h-5 w-36" />
    );
  if (activity.total.calls === 0) return <span className="text-ink-faint">{t("none")}</span>;
  const { calls, spend } = activity.total;
  return (
    <span className="grid w-fit grid-cols-[auto_auto] items-center gap-x-2 gap-y-1">
      <Sparkline values={activity.calls} />
      <span className="tabular">{t("requests", { number: calls, count: amounts.short(calls) })}</span>
      {spend > 0 ? (
        <>
          <Sparkline values={activity.spend} className="fill-info" />
          <Money usd={spend.toFixed(9)} />
        </>
      ) : null}
    </span>
  );
}

const STEP = 4;
const HEIGHT = 20;

/** Small bars without axes, next to their total as text. Every value above 0 is at least 1 px high. */
function Sparkline({ values, className }: { values: readonly number[]; className?: string }) {
  const max = Math.max(...values, 0);
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${values.length * STEP - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cn("h-5 w-24 shrink-0 fill-ink-faint", className)}
    >
      <rect x={0} y={HEIGHT - 0.5} width="100%" height={0.5} className="fill-line-strong" />
      {values.map((value, index) => {
        const height = value > 0 ? Math.max(1, (value / max) * HEIGHT) : 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar's position is its day
          <rect key={index} x={index * STEP} y={HEIGHT - height} width={STEP - 1} height={height} />
        );
      })}
    </svg>
  );
}
