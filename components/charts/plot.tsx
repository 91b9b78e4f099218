import type { TimeTick } from "./chart-scale";
import { barPaths, bucketCentre, bucketWidth, linePath, type PlotFrame, yOf } from "./plot-geometry";
import { type ChartSeries, colourOf } from "./series";

/** Draws a time chart: grid, labels, bars, lines. */
export function Plot({
  frame,
  width,
  height,
  ticks,
  format,
  times,
  timeLabel,
  series,
  active,
}: {
  frame: PlotFrame;
  width: number;
  height: number;
  ticks: readonly number[];
  format(value: number): string;
  /** With their x coordinates. */
  times: readonly (TimeTick & { x: number })[];
  timeLabel(tick: TimeTick): string;
  series: readonly ChartSeries[];
  /** Index of the bucket whose values are shown. */
  active: number | null;
}) {
  const coloured = series.map((one, index) => ({ ...one, stroke: colourOf(one, index) }));
  const bars = coloured.filter((one) => one.kind !== "line");
  const paths = barPaths(frame, bars);
  const band = bucketWidth(frame);
  return (
    <svg aria-hidden="true" width={width} height={height} className="block overflow-visible">
      <g className="tabular fill-ink-faint text-xs">
        {ticks.map((value) => (
          <g key={value}>
            <line
              x1={frame.left}
              x2={frame.right}
              y1={yOf(frame, value)}
              y2={yOf(frame, value)}
              className={value === 0 ? "stroke-line-strong/60" : "stroke-line"}
              shapeRendering="crispEdges"
            />
            <text x={frame.left - 8} y={yOf(frame, value)} dy="0.32em" textAnchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {times.map((tick) => (
          <text key={tick.at} x={tick.x} y={height - 4} textAnchor="middle">
            {timeLabel(tick)}
          </text>
        ))}
      </g>
      {active === null ? null : (
        <rect
          x={bucketCentre(frame, active) - band / 2}
          y={frame.top}
          width={band}
          height={frame.bottom - frame.top}
          className="fill-ink/8"
        />
      )}
      {bars.map((one, index) => (
        <path key={one.name} d={paths[index]} fill={one.stroke} />
      ))}
      {coloured.map((one) => (
        <g key={one.name} fill="none" strokeLinejoin="round" strokeLinecap="round">
          {one.previous ? (
            <path
              d={linePath(frame, one.previous)}
              className="stroke-ink-faint"
              strokeWidth={1.25}
              strokeDasharray="1 4"
            />
          ) : null}
          {one.kind === "line" ? (
            <>
              <path d={linePath(frame, one.values)} stroke={one.stroke} strokeWidth={1.75} />
              {isolatedValues(one.values).map(({ index, value }) => (
                <circle
                  key={index}
                  cx={bucketCentre(frame, index)}
                  cy={yOf(frame, value)}
                  r={2.5}
                  fill={one.stroke}
                />
              ))}
            </>
          ) : null}
        </g>
      ))}
      {active === null
        ? null
        : coloured.map((one) => {
            const value = one.values[active] ?? null;
            return one.kind === "line" && value !== null ? (
              <circle
                key={one.name}
                cx={bucketCentre(frame, active)}
                cy={yOf(frame, value)}
                r={3.5}
                fill={one.stroke}
                className="stroke-panel"
                strokeWidth={1.5}
              />
            ) : null;
          })}
    </svg>
  );
}

/** Values between two nulls: a line through a single value would be invisible. */
function isolatedValues(values: readonly (number | null)[]): { index: number; value: number }[] {
  return values.flatMap((value, index) => {
    const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
    return value !== null && isAlone ? [{ index, value }] : [];
  });
}
