import { type ChartSeries, colourOf } from "./series";

/** The colours of a chart with the names of its series; `previous` names the faint line of the previous period. */
export function Legend({ series, previous }: { series: readonly ChartSeries[]; previous: string }) {
  return (
    <ul aria-hidden="true" className="flex flex-wrap justify-end gap-x-4 gap-y-1 text-xs text-ink-muted">
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
          {previous}
        </li>
      ) : null}
    </ul>
  );
}
