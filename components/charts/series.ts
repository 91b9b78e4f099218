const DEFAULT_COLOURS = ["chart-1", "chart-2", "chart-3", "chart-4", "chart-5", "chart-6"] as const;
/** Variables of theme.css without the leading dashes. */
type ChartColour = (typeof DEFAULT_COLOURS)[number] | "warn" | "bad";

/** One line, or one layer of stacked bars. */
export interface ChartSeries {
  /** Shown in the readout and the table. */
  name: string;
  /** One per bucket; null where the value is unknown (interrupts a line). */
  values: readonly (number | null)[];
  /** Values of the previous period, bucket by bucket; drawn as a faint dotted line. */
  previous?: readonly (number | null)[];
  /** Bars of several series are stacked in their order. Default: bar. */
  kind?: "bar" | "line";
  /** Default: the chart colours in order. */
  colour?: ChartColour;
}

/** CSS colour of a series: its own, else the chart colour of its index. */
export function colourOf(series: Pick<ChartSeries, "colour">, index: number): string {
  return `var(--${series.colour ?? DEFAULT_COLOURS[index % DEFAULT_COLOURS.length] ?? DEFAULT_COLOURS[0]})`;
}

/** A value as text; a dash where it is unknown. */
export const valueText = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? "–" : format(value);

interface ChartColumn {
  name: string;
  values: readonly (number | null)[];
}

/** A column for each series, followed by one for its previous period, if any, which `nameBefore` names. */
export const columnsOf = (
  series: readonly ChartSeries[],
  nameBefore: (name: string) => string,
): ChartColumn[] =>
  series.flatMap(({ name, values, previous }) => [
    { name, values },
    ...(previous ? [{ name: nameBefore(name), values: previous }] : []),
  ]);

/** The largest value of a chart: of the stacked bars of a bucket, of a line, or of a previous period. */
export function maxOf(series: readonly ChartSeries[], buckets: number): number {
  let max = 0;
  for (let index = 0; index < buckets; index++) {
    max = Math.max(max, heightOf(series, index));
    for (const { previous } of series) max = Math.max(max, previous?.[index] ?? 0);
  }
  return max;
}

/** The height of a bucket: of its stacked bars, or of its highest line. */
export function heightOf(series: readonly ChartSeries[], index: number): number {
  let [stack, line] = [0, 0];
  for (const { kind, values } of series) {
    const value = values[index] ?? 0;
    if (kind === "line") line = Math.max(line, value);
    else stack += value;
  }
  return Math.max(stack, line);
}
