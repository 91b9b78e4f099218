"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { type CallFilters, callsQuery, REJECTED, readCallFilters, rejectionsHref } from "@/lib/client/calls";
import { setQueryParam } from "@/lib/client/query-params";
import { type Range, rangeQuery, setRangeInUrl } from "@/lib/client/range";
import { spanOfBucket, toSeries } from "@/lib/client/usage-series";
import { useApi, useApiCache } from "@/lib/client/use-api";
import { useCalls } from "@/lib/client/use-calls";
import { useRange } from "@/lib/client/use-range";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";
import type { ChartSeries } from "../charts/series";
import { TimeChart } from "../charts/time-chart";
import { useAmounts } from "../charts/use-amounts";
import { CallError } from "../forms/call-error";
import { ExportMenu } from "../requests/export-menu";
import { FilterBar } from "../requests/filter-bar";
import { RejectedLink } from "../requests/rejected-link";
import { RejectionList } from "../requests/rejection-list";
import { RequestList } from "../requests/request-list";
import { PageHeader } from "../shell/page-header";
import { Notice } from "../ui/notice";
import { Breakdown } from "./breakdown";
import { type Figure, Figures, isFigure } from "./figures";

/** The usage of the range, or its rejected requests. */
export function UsagePage({ isAdmin, now, timeZone }: { isAdmin: boolean; now: number; timeZone: string }) {
  const t = useTranslations("usage");
  const range = useRange(now);
  const filters = readCallFilters(useSearchParams());
  const isRejected = filters.status === REJECTED;
  return (
    <>
      <PageHeader
        title={t("title")}
        description={isAdmin ? t("lead") : t("leadOwn")}
        action={<ExportMenu filters={filters} range={range} />}
      />
      <FilterBar range={range} isOwn={!isAdmin} />
      {isRejected ? (
        <RejectionList filters={filters} range={range} showsUsers={isAdmin} />
      ) : (
        <Usage filters={filters} range={range} isAdmin={isAdmin} timeZone={timeZone} />
      )}
    </>
  );
}

/** Figures, one of them over time, its breakdown, and the calls. */
function Usage({
  filters,
  range,
  isAdmin,
  timeZone,
}: {
  filters: CallFilters;
  range: Range;
  isAdmin: boolean;
  /** The instance's time zone, in which the server counts days. */
  timeZone: string;
}) {
  const t = useTranslations("usage");
  const amounts = useAmounts();
  const requested = useSearchParams().get("figure");
  const figure: Figure = isFigure(requested) ? requested : "calls";
  const query = { ...rangeQuery(range), ...filters };
  const { data: summary, error } = useApi(
    api.summarizeUsage,
    { query: { ...query, interval: range.interval } },
    { keepPreviousData: true },
  );
  const calls = useCalls(callsQuery(filters, range), range.name);
  const { buckets, bucketMs, interval, items } = toSeries(range, summary);
  const view = useChartView(figure, items);
  const figuresFailed = Boolean(error && !summary);
  // One error is enough when figures and calls both fail to load.
  const callsFailed = figuresFailed && Boolean(calls.error && !calls.rows);
  const { clear } = useApiCache();
  // Reloads everything on the page, so that the calls recover together with the figures.
  const retry = () => void clear(api.listCalls, api.getCall, api.summarizeUsage);

  return (
    <>
      {figuresFailed ? (
        <CallError error={error} onRetry={retry} className="mb-6" />
      ) : (
        <div className="mb-8 grid gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
          <section className="min-w-0">
            <Figures
              total={summary?.total}
              figure={figure}
              onFigure={(next) => setQueryParam("figure", next === "calls" ? null : next)}
            />
            <div className="rounded-b-md border border-t-0 bg-panel p-4 pt-6">
              <TimeChart
                label={t(`chart.${figure}`)}
                buckets={buckets}
                bucketMs={bucketMs}
                series={view.series}
                format={view.format}
                formatTick={view.tick}
                isWhole={figure === "calls" || figure === "tokens"}
                height={240}
                empty={summary === undefined ? "" : undefined}
                onPick={(index) => {
                  const at = buckets[index];
                  if (at !== undefined) setRangeInUrl(spanOfBucket(at, interval, timeZone));
                }}
              />
            </div>
          </section>
          <Breakdown filters={filters} range={range} figure={figure} isOwn={!isAdmin} />
        </div>
      )}
      {summary?.rejected ? (
        <RejectedLink
          calls={summary.rejected}
          href={rejectionsHref(isAdmin, range, filters)}
          className="-mt-4 mb-8"
        />
      ) : null}
      {summary?.read_from ? (
        <Notice tone="info" className="mb-6">
          {t("partial", { when: amounts.exact(summary.read_from) })}
        </Notice>
      ) : null}
      {callsFailed ? null : (
        <>
          <h2 className="mb-3 font-medium">{t("calls")}</h2>
          <RequestList
            calls={calls}
            isFiltered={Object.keys(filters).length > 0}
            columns={["channel", "key"]}
            isAdmin={isAdmin}
          />
        </>
      )}
    </>
  );
}

type Sums = UsageSummary["items"][number];

interface ChartView {
  series: ChartSeries[];
  format(value: number): string;
  tick?(value: number): string;
}

/** The series of a figure, and the formats of its values. */
function useChartView(figure: Figure, items: readonly (Sums | null)[]): ChartView {
  const t = useTranslations("usage.chart");
  const amounts = useAmounts();
  const values = (read: (sums: Sums) => number) => items.map((sums) => (sums === null ? 0 : read(sums)));
  const views: Record<Figure, ChartView> = {
    calls: {
      series: [
        { name: t("succeeded"), values: values((sums) => sums.calls - sums.errors) },
        { name: t("failed"), values: values((sums) => sums.errors), colour: "bad" },
      ],
      format: amounts.count,
      tick: amounts.short,
    },
    cost: {
      series: [{ name: t("spend"), values: values((sums) => Number(sums.cost_usd)) }],
      format: amounts.money,
      tick: amounts.exactMoney,
    },
    tokens: {
      series: [
        { name: t("input"), values: values((sums) => sums.input_tokens) },
        { name: t("output"), values: values((sums) => sums.output_tokens), colour: "chart-2" },
      ],
      format: amounts.count,
      tick: amounts.short,
    },
    audio: {
      series: [{ name: t("seconds"), values: values((sums) => sums.audio_ms) }],
      format: amounts.audio,
    },
  };
  return views[figure];
}
