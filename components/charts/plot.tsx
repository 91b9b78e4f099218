import type { TimeTick } from "@/components/charts/chart-scale";
import { bandOf, barPaths, centreOf, type Frame, heightOf, linePath } from "./bars";
import { type ChartSeries, colourOf } from "./series";

/** The drawing of a time chart: grid, labels, bars, lines. Words and pointer are the chart's. */
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
  frame: Frame;
  width: number;
  height: number;
  ticks: readonly number[];
  format(value: number): string;
  /** With their places on the drawing. */
  times: readonly (TimeTick & { x: number })[];
  timeLabel(tick: TimeTick): string;
  series: readonly ChartSeries[];
  /** The bucket that is read out. */
  active: number | null;
}) {
  const coloured = series.map((one, index) => ({ ...one, stroke: colourOf(one, index) }));
  const bars = coloured.filter((one) => one.kind !== "line");
  const paths = barPaths(frame, bars);
  const band = bandOf(frame);
  return (
    <svg aria-hidden="true" width={width} height={height} className="block overflow-visible">
      <g className="tabular fill-ink-faint text-xs">
        {ticks.map((value) => (
          <g key={value}>
            <line
              x1={frame.left}
              x2={frame.right}
              y1={heightOf(frame, value)}
              y2={heightOf(frame, value)}
              className={value === 0 ? "stroke-line-strong/60" : "stroke-line"}
              shapeRendering="crispEdges"
            />
            <text x={frame.left - 8} y={heightOf(frame, value)} dy="0.32em" textAnchor="end">
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
          x={centreOf(frame, active) - band / 2}
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
          {one.before ? (
            <path
              d={linePath(frame, one.before)}
              className="stroke-ink-faint"
              strokeWidth={1.25}
              strokeDasharray="1 4"
            />
          ) : null}
          {one.kind === "line" ? (
            <>
              <path d={linePath(frame, one.values)} stroke={one.stroke} strokeWidth={1.75} />
              {aloneIn(one.values).map(({ index, value }) => (
                <circle
                  key={index}
                  cx={centreOf(frame, index)}
                  cy={heightOf(frame, value)}
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
                cx={centreOf(frame, active)}
                cy={heightOf(frame, value)}
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

/** Values without a neighbour: a line through one of them is a speck that nobody sees. */
function aloneIn(values: readonly (number | null)[]): { index: number; value: number }[] {
  return values.flatMap((value, index) => {
    const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
    return value !== null && isAlone ? [{ index, value }] : [];
  });
}
