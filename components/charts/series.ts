/** Colours a chart may use: variables of theme.css, without the dashes before them. */
export type ChartColour =
  | "chart-1"
  | "chart-2"
  | "chart-3"
  | "chart-4"
  | "chart-5"
  | "chart-6"
  | "good"
  | "warn"
  | "bad"
  | "info";

const IN_TURN = ["chart-1", "chart-2", "chart-3", "chart-4", "chart-5", "chart-6"] as const;

/** One line, or one layer of the bars. */
export interface ChartSeries {
  /** As it stands in the readout and the table. */
  name: string;
  /** One for each bucket; null where nothing is known (a line breaks there). */
  values: readonly (number | null)[];
  /** The same in the period before, bucket under bucket; drawn as a faint broken line. */
  before?: readonly (number | null)[];
  /** Bars of several series stand on each other in their order; default bar. */
  kind?: "bar" | "line";
  /** Default: the chart's colours in turn. */
  colour?: ChartColour;
}

/** The series' own colour, or the next in turn, as CSS. */
export function colourOf(series: Pick<ChartSeries, "colour">, index: number): string {
  return `var(--${series.colour ?? IN_TURN[index % IN_TURN.length] ?? IN_TURN[0]})`;
}

/** The highest point the axis must reach: bars stand on each other, lines by themselves. */
export function highest(series: readonly ChartSeries[], buckets: number): number {
  let most = 0;
  for (let index = 0; index < buckets; index++) {
    let stack = 0;
    for (const { kind, values, before } of series) {
      const value = values[index] ?? 0;
      if (kind === "line") most = Math.max(most, value);
      else stack += value;
      most = Math.max(most, before?.[index] ?? 0);
    }
    most = Math.max(most, stack);
  }
  return most;
}
