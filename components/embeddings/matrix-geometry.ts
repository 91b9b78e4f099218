/** Size of the matrix on the screen, in CSS pixels. */
export interface Geometry {
  count: number;
  /** Side length of a cell. */
  cell: number;
  /** Width of the number column at the left and height of the number row on top. */
  gutter: number;
}

/** Largest side of a cell when the whole matrix fits. */
const MAX_CELL = 64;
/** Cell sides of the zoom levels; from the third on, cells show their values. */
const ZOOM_LEVELS = [6, 14, 28, 40] as const;
/** Smallest side at which a cell shows its value. */
export const LEGIBLE_CELL = 25;

export function gutterOf(count: number): number {
  return count > 99 ? 32 : 26;
}

/** The cell side at which the whole matrix fits into `width`; rounded down to whole pixels from 4 px on. */
export function fitCell(count: number, width: number): number {
  const cell = Math.min(MAX_CELL, Math.max(0.1, width - gutterOf(count)) / Math.max(1, count));
  return cell >= 4 ? Math.floor(cell) : cell;
}

/** The next zoom level in a direction: `fit` when none is smaller, null when none is larger. */
export function zoomFrom(cell: number, fit: number, direction: 1 | -1): number | null {
  const steps = [fit, ...ZOOM_LEVELS.filter((step) => step > fit * 1.2)];
  const next =
    direction > 0 ? steps.find((step) => step > cell + 0.01) : steps.findLast((step) => step < cell - 0.01);
  return next ?? (direction > 0 ? null : fit);
}

/** Side length of the whole matrix with its numbers. */
export function extentOf({ count, cell, gutter }: Geometry): number {
  return gutter + count * cell;
}

/** The row or column at an offset within the box; null over the numbers or after the last one. */
export function positionAt(geometry: Geometry, offset: number, scroll: number): number | null {
  if (offset < geometry.gutter) return null;
  const position = Math.floor((offset - geometry.gutter + scroll) / geometry.cell);
  return position < geometry.count ? position : null;
}

/** The scroll offset nearest to `scroll` that shows a row or column in a box of `size`. Offsets are in CSS pixels. */
export function scrollToPosition(geometry: Geometry, position: number, scroll: number, size: number): number {
  const start = position * geometry.cell;
  const visible = size - geometry.gutter;
  if (start < scroll) return start;
  if (start + geometry.cell > scroll + visible) return start + geometry.cell - visible;
  return scroll;
}

/** The smallest step between shown numbers at which they do not touch. `width`: of one number, in CSS pixels. */
export function tickStep(cell: number, width: number): number {
  return [1, 2, 5, 10, 20, 25, 50, 100].find((step) => step * cell >= width) ?? 250;
}
