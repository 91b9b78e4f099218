import { useTranslations } from "use-intl";
import { INTERVAL_MS, type Range, startOfPeriod } from "@/lib/client/range";
import type { Overview, OverviewSeries } from "@/lib/contracts/console/overview";
import { Legend } from "../charts/legend";
import type { ChartSeries } from "../charts/series";
import { TimeChart } from "../charts/time-chart";
import { useAmounts } from "../charts/use-amounts";
import type { OverviewFigure } from "./use-figure-texts";

interface View {
  series: ChartSeries[];
  format(value: number): string;
  tick?(value: number): string;
  isWhole?: boolean;
}

const succeeded = (of: OverviewSeries) => of.calls.map((count, index) => count - (of.errors[index] ?? 0));

/** One figure over the range, with the previous period as a faint line. */
export function OverviewChart({
  overview,
  range,
  figure,
}: {
  overview: Overview;
  range: Range;
  figure: OverviewFigure;
}) {
  const t = useTranslations("overview");
  const view = useView(overview, figure);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Legend series={view.series} previous={t(`previousPeriod.${range.name}`)} />
      <TimeChart
        label={t(`figure.${figure}`)}
        buckets={overview.periods.map(startOfPeriod)}
        bucketMs={INTERVAL_MS[range.interval]}
        series={view.series}
        format={view.format}
        formatTick={view.tick ?? view.format}
        isWhole={view.isWhole ?? false}
        height={232}
        empty={t("chart.empty")}
      />
    </div>
  );
}

function useView(overview: Overview, figure: OverviewFigure): View {
  const t = useTranslations("overview.chart");
  const amounts = useAmounts();
  const now = overview.series;
  // Without calls in the previous period there is nothing to compare with.
  const then = overview.before.calls === 0 ? null : overview.before_series;
  const withPrevious = (read: (series: OverviewSeries) => ChartSeries["values"]) => ({
    values: read(now),
    ...(then ? { previous: read(then) } : {}),
  });
  switch (figure) {
    case "calls":
      return {
        series: [
          { name: t("succeeded"), ...withPrevious(succeeded) },
          { name: t("failed"), values: now.errors, colour: "bad" },
        ],
        format: amounts.count,
        tick: amounts.short,
        isWhole: true,
      };
    case "errors":
      return {
        series: [{ name: t("failed"), ...withPrevious((of) => of.errors), colour: "bad" }],
        format: amounts.count,
        tick: amounts.short,
        isWhole: true,
      };
    case "audio":
      return {
        series: [{ name: t("audio"), ...withPrevious((of) => of.audio_ms) }],
        format: amounts.audio,
      };
    case "tokens":
      return {
        series: [{ name: t("tokens"), ...withPrevious((of) => of.tokens) }],
        format: amounts.count,
        tick: amounts.short,
        isWhole: true,
      };
    case "spend":
      return {
        series: [{ name: t("spend"), ...withPrevious((of) => of.cost_usd.map(Number)) }],
        format: amounts.money,
        // Ticks are round values: they are shown with all their digits.
        tick: amounts.exactMoney,
      };
    case "latency":
      return {
        series: [
          { name: t("p50"), kind: "line", ...withPrevious((of) => of.latency_p50_ms) },
          { name: t("p95"), kind: "line", values: now.latency_p95_ms, colour: "chart-2" },
        ],
        format: amounts.estimatedMs,
        tick: amounts.ms,
      };
    default:
      return figure satisfies never;
  }
}
