import { DAY_MS } from "@/lib/contracts/durations";
import { type TimeTick, timeTicks } from "./chart-scale";
import type { ChartSeries } from "./series";

/** Space above the plot, and below it for the time labels, in CSS pixels. */
const TOP = 10;
const BOTTOM = 26;
/** Upper estimates of the width of a digit and of a time label. */
const DIGIT_WIDTH = 7;
const TIME_LABEL_WIDTH = 68;

/** The area of the plot within its drawing, in CSS pixels. */
export interface PlotFrame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  buckets: number;
  /** The value at the top of the plot. */
  max: number;
}

/** Leaves room for axis labels of up to `tickLength` characters. */
export function plotFrame(plot: {
  width: number;
  height: number;
  buckets: number;
  max: number;
  tickLength: number;
}): PlotFrame {
  const left = 12 + DIGIT_WIDTH * plot.tickLength;
  return {
    left,
    right: Math.max(left + 1, plot.width),
    top: TOP,
    bottom: plot.height - BOTTOM,
    buckets: plot.buckets,
    max: plot.max,
  };
}

export const bucketWidth = (frame: PlotFrame) => (frame.right - frame.left) / Math.max(1, frame.buckets);
export const bucketCentre = (frame: PlotFrame, index: number) =>
  frame.left + bucketWidth(frame) * (index + 0.5);
export const yOf = (frame: PlotFrame, value: number) =>
  frame.bottom - (value / frame.max) * (frame.bottom - frame.top);

/** Index of the bucket at an x coordinate. */
export function bucketAt(frame: PlotFrame, x: number): number {
  const index = Math.floor((x - frame.left) / bucketWidth(frame));
  return Math.min(frame.buckets - 1, Math.max(0, index));
}

/** Space between two bars; none where they are as thin as a line. */
function gapOf(band: number): number {
  if (band >= 8) return Math.min(6, Math.round(band * 0.22));
  return band >= 4 ? 1 : 0;
}

/** One path per series of bars, each stacked on the previous one. A value above 0 is at least one pixel high. */
export function barPaths(frame: PlotFrame, series: readonly ChartSeries[]): string[] {
  const band = bucketWidth(frame);
  const width = Math.max(1, band - gapOf(band));
  const tops = Array<number>(frame.buckets).fill(0);
  return series.map(({ values }) => {
    let path = "";
    for (let index = 0; index < frame.buckets; index++) {
      const value = values[index] ?? 0;
      if (value <= 0) continue;
      const base = yOf(frame, tops[index] ?? 0);
      tops[index] = (tops[index] ?? 0) + value;
      const top = Math.min(yOf(frame, tops[index] ?? 0), base - 1);
      const left = bucketCentre(frame, index) - width / 2;
      path += `M${left.toFixed(1)} ${base.toFixed(1)}V${top.toFixed(1)}h${width.toFixed(1)}V${base.toFixed(1)}z`;
    }
    return path;
  });
}

/** A line through the centres of the buckets, interrupted at null values. */
export function linePath(frame: PlotFrame, values: readonly (number | null)[]): string {
  let path = "";
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const isStart = index === 0 || (values[index - 1] ?? null) === null;
    path += `${isStart ? "M" : "L"}${bucketCentre(frame, index).toFixed(1)} ${yOf(frame, value).toFixed(1)}`;
    // With round line ends, a line of length 0 is drawn as a dot.
    if (isStart) path += "h0";
  }
  return path;
}

/** Labels of the time axis: at the left edge of a bucket (days: at its centre); none that an end would cut off. */
export function timeLabels(
  frame: PlotFrame,
  buckets: readonly number[],
  bucketMs: number,
): (TimeTick & { x: number })[] {
  const [first = 0] = buckets;
  const end = (buckets.at(-1) ?? 0) + bucketMs;
  const plotWidth = frame.right - frame.left;
  const offset = bucketMs >= DAY_MS ? bucketWidth(frame) / 2 : 0;
  return timeTicks(first, end, Math.max(2, Math.floor(plotWidth / TIME_LABEL_WIDTH)))
    .map((tick) => ({ ...tick, x: frame.left + ((tick.at - first) / (end - first)) * plotWidth + offset }))
    .filter((tick) => tick.x > frame.left + 8 && tick.x < frame.right - 20);
}
