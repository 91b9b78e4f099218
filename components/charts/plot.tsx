import type { TimeTick } from "./chart-scale";
import { barPaths, bucketCentre, bucketWidth, linePath, type PlotFrame, yOf } from "./plot-geometry";
import { type ChartSeries, colourOf } from "./series";

interface PlotProps {
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
}

/** Draws a time chart: grid, labels, bars, lines. */
export function Plot(props: PlotProps) {
  const { frame, width, height, series, active } = props;
  const coloured = series.map((one, index) => ({ ...one, stroke: colourOf(one, index) }));
  const bars = coloured.filter((one) => one.kind !== "line");
  const paths = barPaths(frame, bars);
  const band = bucketWidth(frame);
  return (
    <svg aria-hidden="true" width={width} height={height} className="block overflow-visible">
      <Grid {...props} />
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
        <SeriesLines key={one.name} frame={frame} series={one} />
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

/** Horizontal lines with their values, and the labels of the time axis. */
function Grid({ frame, height, ticks, format, times, timeLabel }: PlotProps) {
  return (
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
  );
}

/** The dotted line of the previous period and, for a line series, the line itself. */
function SeriesLines({ frame, series }: { frame: PlotFrame; series: ChartSeries & { stroke: string } }) {
  const { kind, values, previous, stroke } = series;
  return (
    <g fill="none" strokeLinejoin="round" strokeLinecap="round">
      {previous ? (
        <path
          d={linePath(frame, previous)}
          className="stroke-ink-faint"
          strokeWidth={1.25}
          strokeDasharray="1 4"
        />
      ) : null}
      {kind === "line" ? (
        <>
          <path d={linePath(frame, values)} stroke={stroke} strokeWidth={1.75} />
          {isolatedValues(values).map(({ index, value }) => (
            <circle
              key={index}
              cx={bucketCentre(frame, index)}
              cy={yOf(frame, value)}
              r={2.5}
              fill={stroke}
            />
          ))}
        </>
      ) : null}
    </g>
  );
}

/** Values between two nulls: a line through a single value would be invisible. */
function isolatedValues(values: readonly (number | null)[]): { index: number; value: number }[] {
  return values.flatMap((value, index) => {
    const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
    return value !== null && isAlone ? [{ index, value }] : [];
  });
}
