import { useTranslations } from "use-intl";
import { type ChartSeries, colourOf, valueText } from "./series";

/** The values of one bucket, shown next to it. */
export function Readout({
  x,
  width,
  title,
  series,
  index,
  format,
}: {
  /** X coordinate of the bucket's centre. */
  x: number;
  width: number;
  title: string;
  series: readonly ChartSeries[];
  index: number;
  format(value: number): string;
}) {
  const t = useTranslations("common.chart");
  return (
    <div
      aria-hidden="true"
      data-slot="readout"
      className="pointer-events-none absolute top-0 z-10 grid w-max max-w-60 gap-1 rounded-sm border bg-raised px-3 py-2 text-sm shadow-float"
      style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}
    >
      <p className="text-ink-muted">{title}</p>
      {series.map((one, position) => (
        <div key={one.name} className="grid gap-0.5">
          <p className="flex items-center gap-2">
            <span
              className="size-2 shrink-0 rounded-full"
              style={{ backgroundColor: colourOf(one, position) }}
            />
            <span className="flex-1 truncate pr-4">{one.name}</span>
            <span className="tabular font-medium">{valueText(one.values[index], format)}</span>
          </p>
          {one.previous ? (
            <p className="flex justify-between pl-4 text-ink-faint">
              <span className="pr-4">{t("before")}</span>
              <span className="tabular">{valueText(one.previous[index], format)}</span>
            </p>
          ) : null}
        </div>
      ))}
    </div>
  );
}
