"use client";

import { useSearchParams } from "next/navigation";
import { useTranslations } from "use-intl";
import { api } from "@/lib/client/api";
import { type CallFilters, callsQuery, REJECTED, readCallFilters } from "@/lib/client/calls";
import { type Range, rangeQuery, setRangeInUrl } from "@/lib/client/range";
import { spanOfBucket, toSeries } from "@/lib/client/usage-series";
import { useApi } from "@/lib/client/use-api";
import { useCalls } from "@/lib/client/use-calls";
import { useRange } from "@/lib/client/use-range";
import { TimeChart } from "../charts/time-chart";
import { useAmounts } from "../charts/use-amounts";
import { PageHeader } from "../shell/page-header";
import { ExportMenu } from "./export-menu";
import { FilterBar } from "./filter-bar";
import { RejectionList } from "./rejection-list";
import { RequestList } from "./request-list";

/** Every call, newest first, or the rejected requests. `timeZone`: of the instance, in which the server counts days. */
export function RequestsPage({ now, timeZone }: { now: number; timeZone: string }) {
  const t = useTranslations("requests.page");
  const range = useRange(now);
  const filters = readCallFilters(useSearchParams());
  return (
    <>
      <PageHeader
        title={t("title")}
        description={t("lead")}
        action={<ExportMenu filters={filters} range={range} />}
      />
      <FilterBar range={range} isOwn={false} />
      {filters.status === REJECTED ? (
        <RejectionList filters={filters} range={range} showsUsers />
      ) : (
        <Calls filters={filters} range={range} timeZone={timeZone} />
      )}
    </>
  );
}

/** Calls below a chart of calls over time that selects a period. */
function Calls({ filters, range, timeZone }: { filters: CallFilters; range: Range; timeZone: string }) {
  const t = useTranslations("requests.page");
  const amounts = useAmounts();
  const query = { ...rangeQuery(range), ...filters, interval: range.interval };
  const { data: summary } = useApi(api.summarizeUsage, { query }, { keepPreviousData: true });
  const calls = useCalls(callsQuery(filters, range), range.name);
  const { buckets, bucketMs, interval, items } = toSeries(range, summary);
  return (
    <>
      <div className="mb-4 rounded-md border bg-panel p-3 pt-4" title={t("zoom")}>
        <TimeChart
          label={t("chart")}
          height={104}
          buckets={buckets}
          bucketMs={bucketMs}
          series={[
            { name: t("succeeded"), values: items.map((sums) => (sums ? sums.calls - sums.errors : 0)) },
            { name: t("failed"), values: items.map((sums) => sums?.errors ?? 0), colour: "bad" },
          ]}
          format={amounts.count}
          formatTick={amounts.short}
          isWhole
          empty={summary === undefined ? "" : undefined}
          onPick={(index) => {
            const at = buckets[index];
            if (at !== undefined) setRangeInUrl(spanOfBucket(at, interval, timeZone));
          }}
        />
        {summary?.read_from ? (
          <p className="mt-2 text-sm text-ink-muted">
            {t("partial", { when: amounts.exact(summary.read_from) })}
          </p>
        ) : null}
      </div>
      <RequestList
        calls={calls}
        isFiltered={Object.keys(filters).length > 0}
        columns={["channel", "attempts", "requestId"]}
        isAdmin
      />
    </>
  );
}
