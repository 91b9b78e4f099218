import { useTranslations } from "use-intl";
import { cn } from "../ui/class-names";
import { type ChartSeries, colourOf } from "./series";

/** The colours of a chart with the names of its series; `previous` names the faint line of the previous period. */
export function Legend({
  series,
  previous,
  className,
}: {
  series: readonly ChartSeries[];
  previous?: string;
  className?: string;
}) {
  const t = useTranslations("common.chart");
  return (
    <ul aria-hidden="true" className={cn("flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-muted", className)}>
      {series.map((one, index) => (
        <li key={one.name} className="flex items-center gap-1.5">
          <span className="size-2 rounded-full" style={{ backgroundColor: colourOf(one, index) }} />
          {one.name}
        </li>
      ))}
      {series.some((one) => one.previous) ? (
        <li className="flex items-center gap-1.5">
          <svg viewBox="0 0 18 2" className="h-0.5 w-4.5" aria-hidden="true">
            <path
              d="M1 1H17"
              className="stroke-ink-faint"
              strokeWidth={1.25}
              strokeDasharray="1 4"
              strokeLinecap="round"
            />
          </svg>
          {previous ?? t("before")}
        </li>
      ) : null}
    </ul>
  );
}
