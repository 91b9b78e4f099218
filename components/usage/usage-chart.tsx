import { useTranslations } from "use-intl";
import type { Range } from "@/lib/client/range";
import { toSeries } from "@/lib/client/usage-series";
import type { UsageSummary } from "@/lib/contracts/console/usage-summary";
import type { ChartSeries } from "../charts/series";
import { TimeChart } from "../charts/time-chart";
import { useAmounts } from "../charts/use-amounts";
import type { Figure } from "./figures";

type Sums = UsageSummary["items"][number];

interface View {
  series: ChartSeries[];
  format(value: number): string;
  tick?(value: number): string;
}

/** The series of a figure, and how its values are written. */
function useView(figure: Figure, items: readonly (Sums | null)[]): View {
  const t = useTranslations("usage.chart");
  const amounts = useAmounts();
  const values = (read: (sums: Sums) => number) => items.map((sums) => (sums === null ? 0 : read(sums)));
  const views: Record<Figure, View> = {
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

/** One figure of the range over time. */
export function UsageChart({
  summary,
  range,
  figure,
  onPick,
}: {
  summary: UsageSummary | undefined;
  range: Range;
  figure: Figure;
  onPick(from: number, bucketMs: number): void;
}) {
  const t = useTranslations("usage.chart");
  const { buckets, bucketMs, items } = toSeries(range, summary);
  const view = useView(figure, items);
  return (
    <TimeChart
      label={t(figure)}
      buckets={buckets}
      bucketMs={bucketMs}
      series={view.series}
      format={view.format}
      formatTick={view.tick}
      isWhole={figure === "calls" || figure === "tokens"}
      height={240}
      empty={summary === undefined ? "" : undefined}
      onPick={(index) => onPick(buckets[index] ?? range.from, bucketMs)}
    />
  );
}
