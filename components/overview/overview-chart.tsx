import { useTranslations } from "use-intl";
import { bucketMsOf, bucketsOf } from "@/lib/client/overview";
import type { Range } from "@/lib/client/range";
import type { Overview, OverviewSeries } from "@/lib/contracts/console/overview";
import { Legend } from "../charts/legend";
import type { ChartSeries } from "../charts/series";
import { TimeChart } from "../charts/time-chart";
import { useAmounts } from "../charts/use-amounts";
import type { Figure } from "./use-figure-texts";

interface View {
  series: ChartSeries[];
  format(value: number): string;
  tick?(value: number): string;
  isWhole?: boolean;
}

const succeeded = (of: OverviewSeries) => of.calls.map((count, index) => count - (of.errors[index] ?? 0));

/** One figure over the range, with the time before it as a faint line. */
export function OverviewChart({
  overview,
  range,
  figure,
}: {
  overview: Overview;
  range: Range;
  figure: Figure;
}) {
  const t = useTranslations("overview");
  const amounts = useAmounts();
  const { series: now, before_series } = overview;
  // A line of nothing compares with nothing.
  const then = overview.before.calls === 0 ? null : before_series;
  const views: Record<Figure, () => View> = {
    calls: () => ({
      series: [
        { name: t("chart.succeeded"), values: succeeded(now), ...(then ? { before: succeeded(then) } : {}) },
        { name: t("chart.failed"), values: now.errors, colour: "bad" },
      ],
      format: amounts.count,
      tick: amounts.short,
      isWhole: true,
    }),
    errors: () => ({
      series: [
        {
          name: t("chart.failed"),
          values: now.errors,
          ...(then ? { before: then.errors } : {}),
          colour: "bad",
        },
      ],
      format: amounts.count,
      tick: amounts.short,
      isWhole: true,
    }),
    audio: () => ({
      series: [{ name: t("chart.audio"), values: now.audio_ms, ...(then ? { before: then.audio_ms } : {}) }],
      format: amounts.audio,
    }),
    tokens: () => ({
      series: [{ name: t("chart.tokens"), values: now.tokens, ...(then ? { before: then.tokens } : {}) }],
      format: amounts.count,
      tick: amounts.short,
      isWhole: true,
    }),
    spend: () => ({
      series: [
        {
          name: t("chart.spend"),
          values: now.cost_usd.map(Number),
          ...(then ? { before: then.cost_usd.map(Number) } : {}),
        },
      ],
      format: amounts.money,
    }),
    latency: () => ({
      series: [
        {
          name: t("chart.p50"),
          kind: "line",
          values: now.latency_p50_ms,
          ...(then ? { before: then.latency_p50_ms } : {}),
        },
        { name: t("chart.p95"), kind: "line", values: now.latency_p95_ms, colour: "chart-2" },
      ],
      format: amounts.ms,
    }),
  };
  const view = views[figure]();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Legend series={view.series} before={t(`before.${range.name}`)} className="justify-end" />
      <TimeChart
        label={t(`figure.${figure}`)}
        buckets={bucketsOf(overview)}
        bucketMs={bucketMsOf(range)}
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
