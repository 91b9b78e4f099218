import type { ChartSeries } from "./series";

/** Where things stand on the drawing, in CSS pixels. */
export interface Frame {
  /** Left and right end of the plot, its top and its ground line. */
  left: number;
  right: number;
  top: number;
  bottom: number;
  buckets: number;
  /** The value at the plot's top. */
  most: number;
}

export const bandOf = (frame: Frame) => (frame.right - frame.left) / Math.max(1, frame.buckets);
export const centreOf = (frame: Frame, index: number) => frame.left + bandOf(frame) * (index + 0.5);
export const heightOf = (frame: Frame, value: number) =>
  frame.bottom - (value / frame.most) * (frame.bottom - frame.top);

/** The bucket under a place on the drawing. */
export function bucketAt(frame: Frame, x: number): number {
  const index = Math.floor((x - frame.left) / bandOf(frame));
  return Math.min(frame.buckets - 1, Math.max(0, index));
}

/** Space between two bars: none where they are as thin as a line. */
function gapOf(band: number): number {
  if (band >= 8) return Math.min(6, Math.round(band * 0.22));
  return band >= 4 ? 1 : 0;
}

/** One path for each series of bars, standing on those before it. A value above 0 is at least a pixel high. */
export function barPaths(frame: Frame, series: readonly ChartSeries[]): string[] {
  const band = bandOf(frame);
  const width = Math.max(1, band - gapOf(band));
  const tops = Array<number>(frame.buckets).fill(0);
  return series.map(({ values }) => {
    let path = "";
    for (let index = 0; index < frame.buckets; index++) {
      const value = values[index] ?? 0;
      if (value <= 0) continue;
      const ground = heightOf(frame, tops[index] ?? 0);
      tops[index] = (tops[index] ?? 0) + value;
      const top = Math.min(heightOf(frame, tops[index] ?? 0), ground - 1);
      const left = centreOf(frame, index) - width / 2;
      path += `M${left.toFixed(1)} ${ground.toFixed(1)}V${top.toFixed(1)}h${width.toFixed(1)}V${ground.toFixed(1)}z`;
    }
    return path;
  });
}

/** A line through the middles of the buckets; it breaks where a value is null, and a lone value is a dot. */
export function linePath(frame: Frame, values: readonly (number | null)[]): string {
  let path = "";
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const isStart = index === 0 || (values[index - 1] ?? null) === null;
    path += `${isStart ? "M" : "L"}${centreOf(frame, index).toFixed(1)} ${heightOf(frame, value).toFixed(1)}`;
    // With round ends a line of no length is a dot.
    if (isStart) path += "h0";
  }
  return path;
}
