import { themeColor } from "../charts/theme-color";
import type { Surface } from "../charts/use-canvas";
import type { Focus } from "./focus-store";
import { type HeatColours, stepOf } from "./heat-colours";
import { type Geometry, LEGIBLE_CELL, tickStep } from "./matrix-geometry";
import { type Scale, type SquareMatrix, valueAt } from "./similarity";

/** Order of the texts in the matrix: text `order[position]` is row and column `position`. */
export interface MatrixLayout {
  values: SquareMatrix;
  scale: Scale;
  order: readonly number[];
  /** Position of each text. */
  positions: readonly number[];
}

export interface MatrixColours {
  background: string;
  faint: string;
  signal: string;
  onSignal: string;
  fonts: string;
}

export function readMatrixColours(element: Element): MatrixColours {
  return {
    background: themeColor(element, "--ground"),
    faint: themeColor(element, "--ink-faint"),
    signal: themeColor(element, "--signal"),
    onSignal: themeColor(element, "--on-signal"),
    fonts: getComputedStyle(element).fontFamily,
  };
}

/** Renders one pixel per cell, so that drawing a frame is one scaled copy for any number of cells. */
export function renderBitmap(layout: MatrixLayout, heat: HeatColours): HTMLCanvasElement {
  const { count } = layout.values;
  const bitmap = document.createElement("canvas");
  bitmap.width = Math.max(1, count);
  bitmap.height = Math.max(1, count);
  const ctx = bitmap.getContext("2d");
  if (!ctx || count === 0) return bitmap;
  const image = ctx.createImageData(count, count);
  const pixels = new Uint32Array(image.data.buffer);
  for (let row = 0; row < count; row += 1) {
    const of = layout.order[row] ?? 0;
    for (let column = 0; column < count; column += 1) {
      const value = valueAt(layout.values, of, layout.order[column] ?? 0);
      pixels[row * count + column] =
        row === column ? heat.self : (heat.packed[stepOf(value, layout.scale)] ?? 0);
    }
  }
  ctx.putImageData(image, 0, 0);
  return bitmap;
}

/** Two decimals without the leading zero, short enough for a cell. */
function shortValue(value: number): string {
  const text = value.toFixed(2);
  if (text === "1.00") return "1";
  return /^-?0\.00$/.test(text) ? "0" : text.replace("0.", ".");
}

/** Positions `from` up to but not including `to`. */
interface PositionRange {
  from: number;
  to: number;
}

function visibleRange({ count, cell, gutter }: Geometry, scroll: number, size: number): PositionRange {
  return {
    from: Math.max(0, Math.floor(scroll / cell)),
    to: Math.min(count, Math.ceil((scroll + size - gutter) / cell)),
  };
}

interface MatrixFrame {
  geometry: Geometry;
  scroll: { left: number; top: number };
  layout: MatrixLayout;
  bitmap: HTMLCanvasElement;
  heat: HeatColours;
  colours: MatrixColours;
  highlight: Focus | null;
}

/** The visible cells and where they are drawn, in CSS pixels. */
interface VisibleCells {
  rows: PositionRange;
  columns: PositionRange;
  x(position: number): number;
  y(position: number): number;
}

/** Draws the visible part of the matrix: colours, values where they are legible, text numbers and the highlight. */
export function drawMatrix(surface: Surface, frame: MatrixFrame): void {
  const { ctx, width, height, ratio } = surface;
  const { geometry, scroll } = frame;
  const { cell, gutter, count } = geometry;
  const columns = visibleRange(geometry, scroll.left, width);
  const rows = visibleRange(geometry, scroll.top, height);
  const x = (position: number) => gutter + position * cell - scroll.left;
  const y = (position: number) => gutter + position * cell - scroll.top;

  ctx.save();
  ctx.beginPath();
  ctx.rect(gutter, gutter, Math.min(width - gutter, count * cell), Math.min(height - gutter, count * cell));
  ctx.clip();
  ctx.imageSmoothingEnabled = cell * ratio < 1;
  const [columnCount, rowCount] = [columns.to - columns.from, rows.to - rows.from];
  if (columnCount > 0 && rowCount > 0) {
    ctx.drawImage(
      frame.bitmap,
      columns.from,
      rows.from,
      columnCount,
      rowCount,
      x(columns.from),
      y(rows.from),
      columnCount * cell,
      rowCount * cell,
    );
  }
  const cells: VisibleCells = { rows, columns, x, y };
  if (cell >= 9) drawGaps(surface, frame, cells);
  if (cell >= LEGIBLE_CELL) drawValues(surface, frame, cells);
  drawHighlight(surface, frame, cells);
  ctx.restore();
  drawNumbers(surface, frame, cells);
}

function drawGaps(
  { ctx, width, height }: Surface,
  { geometry, colours }: MatrixFrame,
  cells: VisibleCells,
): void {
  const gap = geometry.cell >= 20 ? 2 : 1;
  ctx.fillStyle = colours.background;
  for (let column = cells.columns.from; column <= cells.columns.to; column += 1) {
    ctx.fillRect(cells.x(column) - gap / 2, 0, gap, height);
  }
  for (let row = cells.rows.from; row <= cells.rows.to; row += 1) {
    ctx.fillRect(0, cells.y(row) - gap / 2, width, gap);
  }
}

function drawValues(
  { ctx }: Surface,
  { geometry, layout, heat, colours }: MatrixFrame,
  cells: VisibleCells,
): void {
  const { cell } = geometry;
  ctx.font = `${cell >= 44 ? 14 : 12}px ${colours.fonts}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (let row = cells.rows.from; row < cells.rows.to; row += 1) {
    for (let column = cells.columns.from; column < cells.columns.to; column += 1) {
      const value = valueAt(layout.values, layout.order[row] ?? 0, layout.order[column] ?? 0);
      ctx.fillStyle =
        row === column ? colours.faint : (heat.textColours[stepOf(value, layout.scale)] ?? colours.faint);
      ctx.fillText(shortValue(value), cells.x(column) + cell / 2, cells.y(row) + cell / 2 + 0.5);
    }
  }
}

function drawHighlight(
  { ctx, width, height }: Surface,
  { geometry, layout, colours, highlight }: MatrixFrame,
  cells: VisibleCells,
): void {
  if (!highlight) return;
  const { cell } = geometry;
  const row = layout.positions[highlight.row] ?? 0;
  const column = layout.positions[highlight.column ?? highlight.row] ?? 0;
  ctx.strokeStyle = colours.signal;
  ctx.lineWidth = 1;
  const bands = cell >= 4 ? [0, cell] : [cell / 2];
  ctx.globalAlpha = 0.75;
  ctx.beginPath();
  for (const offset of bands) {
    const [across, down] = [Math.round(cells.y(row) + offset), Math.round(cells.x(column) + offset)];
    ctx.moveTo(0, across + 0.5);
    ctx.lineTo(width, across + 0.5);
    ctx.moveTo(down + 0.5, 0);
    ctx.lineTo(down + 0.5, height);
  }
  ctx.stroke();
  ctx.globalAlpha = 1;
  if (highlight.column === null) return;
  const grow = Math.max(0, (7 - cell) / 2);
  const outline = (atRow: number, atColumn: number, lineWidth: number) => {
    ctx.lineWidth = lineWidth;
    ctx.strokeRect(cells.x(atColumn) - grow, cells.y(atRow) - grow, cell + 2 * grow, cell + 2 * grow);
  };
  outline(column, row, 1);
  outline(row, column, cell >= 9 ? 3 : 2);
}

/** Draws the text numbers along the top and left edges. */
function drawNumbers(surface: Surface, frame: MatrixFrame, cells: VisibleCells): void {
  const { ctx } = surface;
  ctx.font = `12px ${frame.colours.fonts}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  drawColumnNumbers(surface, frame, cells);
  drawRowNumbers(surface, frame, cells);
}

function drawColumnNumbers({ ctx, width }: Surface, frame: MatrixFrame, cells: VisibleCells): void {
  const { geometry, layout, highlight } = frame;
  const { cell, gutter } = geometry;
  const highlighted = highlight ? layout.positions[highlight.column ?? highlight.row] : undefined;
  const step = tickStep(cell, gutter - 2);
  // Skips a number that the edge would cut off; moves a highlighted one inside instead.
  const last = width - (cell < gutter ? gutter / 2 - 2 : 0);
  for (let column = cells.columns.from; column < cells.columns.to; column += 1) {
    const isHighlighted = column === highlighted;
    if (!isHighlighted && !hasNumber(column, step, highlighted, geometry)) continue;
    const centre = cells.x(column) + cell / 2;
    if (centre <= gutter || (centre > last && !isHighlighted)) continue;
    drawNumber(ctx, frame, column, { x: Math.min(centre, last), y: gutter / 2, isHighlighted });
  }
}

function drawRowNumbers({ ctx, height }: Surface, frame: MatrixFrame, cells: VisibleCells): void {
  const { geometry, layout, highlight } = frame;
  const { cell, gutter } = geometry;
  const highlighted = highlight ? layout.positions[highlight.row] : undefined;
  const step = tickStep(cell, 16);
  const last = height - (cell < 16 ? 8 : 0);
  for (let row = cells.rows.from; row < cells.rows.to; row += 1) {
    const isHighlighted = row === highlighted;
    if (!isHighlighted && !hasNumber(row, step, highlighted, geometry)) continue;
    const centre = cells.y(row) + cell / 2;
    if (centre <= gutter || (centre > last && !isHighlighted)) continue;
    drawNumber(ctx, frame, row, { x: gutter / 2 - 1, y: Math.min(centre, last), isHighlighted });
  }
}

/** Whether a position is labelled: every `step`-th one that does not touch the highlighted number. */
function hasNumber(
  position: number,
  step: number,
  highlighted: number | undefined,
  { cell, gutter }: Geometry,
): boolean {
  if (step === 1) return true;
  const isTick = position === 0 || (position + 1) % step === 0;
  const touches = highlighted !== undefined && Math.abs(position - highlighted) * cell < gutter - 4;
  return isTick && !touches;
}

function drawNumber(
  ctx: CanvasRenderingContext2D,
  { layout, colours }: MatrixFrame,
  position: number,
  { x, y, isHighlighted }: { x: number; y: number; isHighlighted: boolean },
): void {
  const number = String((layout.order[position] ?? 0) + 1);
  if (isHighlighted) {
    const width = ctx.measureText(number).width + 10;
    ctx.fillStyle = colours.signal;
    ctx.beginPath();
    ctx.roundRect(x - width / 2, y - 9, width, 18, 4);
    ctx.fill();
  }
  ctx.fillStyle = isHighlighted ? colours.onSignal : colours.faint;
  ctx.fillText(number, x, y + 0.5);
}
