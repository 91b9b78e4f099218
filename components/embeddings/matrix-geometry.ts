/** Where the matrix's cells lie: in the box on the screen, scrolled and zoomed. All in CSS pixels. */
export interface Geometry {
  count: number;
  /** Side of a cell. */
  cell: number;
  /** Width of the band of numbers at the left, height of the one on top. */
  gutter: number;
}

/** Cells grow no larger than this, however few they are. */
const LARGEST_CELL = 64;
/** Sides one can zoom to; values are legible from the third on. */
const ZOOMS = [6, 14, 28, 40] as const;
/** From this side on a cell shows its value. */
export const LEGIBLE_CELL = 25;

export function gutterOf(count: number): number {
  return count > 99 ? 32 : 26;
}

/** The side at which the whole matrix fits into a box `width` wide; whole pixels where that is no loss. */
export function fitCell(count: number, width: number): number {
  const cell = Math.min(LARGEST_CELL, Math.max(0.1, width - gutterOf(count)) / Math.max(1, count));
  return cell >= 4 ? Math.floor(cell) : cell;
}

/** The next side in a direction; `fit` when there is none smaller. Null when there is none larger. */
export function zoomFrom(cell: number, fit: number, direction: 1 | -1): number | null {
  const steps = [fit, ...ZOOMS.filter((step) => step > fit * 1.2)];
  const next =
    direction > 0 ? steps.find((step) => step > cell + 0.01) : steps.findLast((step) => step < cell - 0.01);
  return next ?? (direction > 0 ? null : fit);
}

/** Side of the whole square with its bands. */
export function extentOf({ count, cell, gutter }: Geometry): number {
  return gutter + count * cell;
}

/** The row or column under a coordinate of the box; null over a band or beyond the last. */
export function positionAt(geometry: Geometry, offset: number, scroll: number): number | null {
  if (offset < geometry.gutter) return null;
  const position = Math.floor((offset - geometry.gutter + scroll) / geometry.cell);
  return position < geometry.count ? position : null;
}

/** The scroll offset that brings a position into a box of `size`, moved no more than needed. */
export function scrollTo(geometry: Geometry, position: number, scroll: number, size: number): number {
  const start = position * geometry.cell;
  const room = size - geometry.gutter;
  if (start < scroll) return start;
  if (start + geometry.cell > scroll + room) return start + geometry.cell - room;
  return scroll;
}

/** How many numbers to skip so that those shown do not touch. */
export function tickStep(cell: number, width: number): number {
  return [1, 2, 5, 10, 20, 25, 50, 100].find((step) => step * cell >= width) ?? 250;
}
