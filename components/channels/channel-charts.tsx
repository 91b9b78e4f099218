"use client";

import { type ReactNode, useMemo } from "react";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { type Range, rangeQuery } from "@/lib/client/range";
import { toSeries } from "@/lib/client/usage-series";
import { useApi } from "@/lib/client/use-api";
import type { UsageSummary, UsageSums } from "@/lib/contracts/console/usage-summary";
import { TimeChart } from "../charts/time-chart";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { Skeleton } from "../ui/skeleton";

/** Metrics of a channel over a range, with charts of calls and latency. */
export function ChannelCharts({ id, range }: { id: string; range: Range }) {
  const t = useTranslations("channels.detail");
  const format = useAmounts();
  const options = { refreshInterval: 30_000, keepPreviousData: true };
  const ofChannel = { ...rangeQuery(range), channel_id: id, interval: range.interval };
  const own = useApi(api.summarizeUsage, { query: ofChannel }, options);
  // With an interval of minutes only the newest calls are read; without an interval, full hours come from stored sums.
  const all = useApi(api.summarizeUsage, { query: { ...rangeQuery(range), by: "channel" } }, options);
  const { buckets, bucketMs, items } = useMemo(() => toSeries(range, own.data), [range, own.data]);
  // Counts attempts over the same period as the sums.
  const since = all.data?.read_from ? { from: all.data.read_from } : {};
  const ofSums = all.data ? { query: { ...rangeQuery(range), ...since } } : null;
  const attempts = useApi(api.countChannelAttempts, ofSums, options);
  const failed = [own, all, attempts].find(({ data, error }) => error && !data);
  if (failed) return <CallError error={failed.error} onRetry={() => void failed.mutate()} />;
  const failovers = attempts.data?.items.find((one) => one.channel_id === id)?.failovers ?? 0;
  const axes = {
    buckets,
    bucketMs,
    isWhole: true,
    height: 180,
    // While loading, nothing is known about the range.
    empty: own.data === undefined ? "" : undefined,
  };
  const valuesOf = (read: (sums: UsageSums) => number | null) => items.map((sums) => (sums ? read(sums) : 0));
  const latencyOf = (read: (sums: UsageSums) => number | null) =>
    items.map((sums) => (sums ? read(sums) : null));
  return (
    <div className="grid gap-4">
      <MetricsRow id={id} channels={attempts.data && all.data?.items} failovers={failovers} />
      {failovers > 0 ? (
        <p className="text-sm text-ink-muted">{t("failovers", { count: failovers })}</p>
      ) : null}
      {own.data?.read_from ? (
        <p className="text-sm text-ink-muted">
          {t("partial", { when: format.exact(own.data.read_from) })}
          {all.data?.read_from ? ` ${t("partialTotals", { when: format.exact(all.data.read_from) })}` : null}
        </p>
      ) : null}
      <div className="grid gap-4 lg:grid-cols-2">
        <ChartBox title={t("callsChart")}>
          <TimeChart
            label={t("callsBy")}
            {...axes}
            format={format.count}
            series={[
              { name: t("good"), values: valuesOf((sums) => sums.calls - sums.errors) },
              { name: t("failed"), values: valuesOf((sums) => sums.errors), colour: "bad" },
            ]}
          />
        </ChartBox>
        <ChartBox title={t("latencyChart")}>
          <TimeChart
            label={t("latencyBy")}
            {...axes}
            format={format.estimatedMs}
            formatTick={format.ms}
            series={[
              { name: t("p50"), kind: "line", values: latencyOf((sums) => sums.latency_p50_ms) },
              {
                name: t("p95"),
                kind: "line",
                values: latencyOf((sums) => sums.latency_p95_ms),
                colour: "warn",
              },
            ]}
          />
        </ChartBox>
      </div>
    </div>
  );
}

function ChartBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid gap-2 rounded-md border bg-panel p-4">
      <h2 className="text-sm text-ink-muted">{title}</h2>
      {children}
    </section>
  );
}

/**
 * `channels`: the sums of every channel in the range; undefined while they load. `failovers`: failed attempts on this
 * channel whose call counts for another channel or for none; the sums do not include them.
 */
function MetricsRow({
  id,
  channels,
  failovers,
}: {
  id: string;
  channels: UsageSummary["items"] | undefined;
  failovers: number;
}) {
  const t = useTranslations("channels.detail");
  const format = useAmounts();
  const sums = channels?.find((one) => one.name === id);
  // Items without a name are calls without a channel: served from the cache, or by no channel at all.
  const served = (channels ?? []).reduce((sum, one) => sum + (one.name === null ? 0 : one.calls), 0);
  const attempts = (sums?.calls ?? 0) + failovers;
  const ms = (value: number | null | undefined) => (value == null ? "–" : format.estimatedMs(value));
  const metrics: [Parameters<typeof t>[0], string][] = [
    ["calls", format.count(sums?.calls ?? 0)],
    ["share", served > 0 ? format.share((sums?.calls ?? 0) / served) : "–"],
    ["errorRate", attempts > 0 ? format.share(((sums?.errors ?? 0) + failovers) / attempts) : "–"],
    ["p50", ms(sums?.latency_p50_ms)],
    ["p95", ms(sums?.latency_p95_ms)],
    ["spend", format.money(Number(sums?.cost_usd ?? 0))],
  ];
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-md border bg-line sm:grid-cols-3 lg:grid-cols-6">
      {metrics.map(([name, value]) => (
        <div key={name} className="grid gap-0.5 bg-panel px-4 py-3">
          <dt className="text-sm text-ink-muted">{t(name)}</dt>
          <dd className="tabular text-xl">{channels ? value : <Skeleton className="my-1 h-5 w-16" />}</dd>
        </div>
      ))}
    </dl>
  );
}
