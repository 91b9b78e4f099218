import { type Table, valueAt } from "@/components/embeddings/similarity";
import { themeColor } from "../charts/theme-color";
import type { Focus } from "./focus";
import { type Heat, stepOf } from "./heat";
import { type Geometry, LEGIBLE_CELL, tickStep } from "./matrix-geometry";
import type { Surface } from "./use-canvas";

/** The values as they are laid out: text `order[position]` stands at `position` of rows and columns. */
export interface Sheet {
  table: Table;
  scale: { least: number; most: number };
  order: readonly number[];
  /** Position of each text. */
  places: readonly number[];
}

export interface MatrixInk {
  ground: string;
  faint: string;
  signal: string;
  onSignal: string;
  fonts: string;
}

export function readMatrixInk(element: Element): MatrixInk {
  return {
    ground: themeColor(element, "--ground"),
    faint: themeColor(element, "--ink-faint"),
    signal: themeColor(element, "--signal"),
    onSignal: themeColor(element, "--on-signal"),
    fonts: getComputedStyle(element).fontFamily,
  };
}

/** One pixel a cell: a frame is then one scaled copy, whatever the number of cells. */
export function renderSheet(sheet: Sheet, heat: Heat): HTMLCanvasElement {
  const { count } = sheet.table;
  const bitmap = document.createElement("canvas");
  bitmap.width = Math.max(1, count);
  bitmap.height = Math.max(1, count);
  const pen = bitmap.getContext("2d");
  if (!pen || count === 0) return bitmap;
  const image = pen.createImageData(count, count);
  const pixels = new Uint32Array(image.data.buffer);
  for (let row = 0; row < count; row += 1) {
    const of = sheet.order[row] ?? 0;
    for (let column = 0; column < count; column += 1) {
      const value = valueAt(sheet.table, of, sheet.order[column] ?? 0);
      pixels[row * count + column] =
        row === column ? heat.self : (heat.packed[stepOf(value, sheet.scale)] ?? 0);
    }
  }
  pen.putImageData(image, 0, 0);
  return bitmap;
}

/** Two decimals without the zero before the point: what fits into a cell. */
export function shortValue(value: number): string {
  const text = value.toFixed(2);
  if (text === "1.00") return "1";
  return /^-?0\.00$/.test(text) ? "0" : text.replace("0.", ".");
}

interface Visible {
  from: number;
  to: number;
}

function visible({ count, cell, gutter }: Geometry, scroll: number, size: number): Visible {
  return {
    from: Math.max(0, Math.floor(scroll / cell)),
    to: Math.min(count, Math.ceil((scroll + size - gutter) / cell)),
  };
}

export interface MatrixFrame {
  geometry: Geometry;
  scroll: { left: number; top: number };
  sheet: Sheet;
  bitmap: HTMLCanvasElement;
  heat: Heat;
  ink: MatrixInk;
  lit: Focus | null;
}

/** Paints what of the matrix lies in the box: colours, values where they are legible, numbers, and what is lit. */
export function drawMatrix(surface: Surface, frame: MatrixFrame): void {
  const { pen, width, height, ratio } = surface;
  const { geometry, scroll } = frame;
  const { cell, gutter, count } = geometry;
  const columns = visible(geometry, scroll.left, width);
  const rows = visible(geometry, scroll.top, height);
  const x = (position: number) => gutter + position * cell - scroll.left;
  const y = (position: number) => gutter + position * cell - scroll.top;

  pen.save();
  pen.beginPath();
  pen.rect(gutter, gutter, Math.min(width - gutter, count * cell), Math.min(height - gutter, count * cell));
  pen.clip();
  pen.imageSmoothingEnabled = cell * ratio < 1;
  const [wide, high] = [columns.to - columns.from, rows.to - rows.from];
  if (wide > 0 && high > 0) {
    pen.drawImage(
      frame.bitmap,
      columns.from,
      rows.from,
      wide,
      high,
      x(columns.from),
      y(rows.from),
      wide * cell,
      high * cell,
    );
  }
  if (cell >= 9) drawGaps(surface, frame, { rows, columns, x, y });
  if (cell >= LEGIBLE_CELL) drawValues(surface, frame, { rows, columns, x, y });
  drawLit(surface, frame, { rows, columns, x, y });
  pen.restore();
  drawNumbers(surface, frame, { rows, columns, x, y });
}

interface Places {
  rows: Visible;
  columns: Visible;
  x(position: number): number;
  y(position: number): number;
}

function drawGaps({ pen, width, height }: Surface, { geometry, ink }: MatrixFrame, places: Places): void {
  const gap = geometry.cell >= 20 ? 2 : 1;
  pen.fillStyle = ink.ground;
  for (let column = places.columns.from; column <= places.columns.to; column += 1) {
    pen.fillRect(places.x(column) - gap / 2, 0, gap, height);
  }
  for (let row = places.rows.from; row <= places.rows.to; row += 1) {
    pen.fillRect(0, places.y(row) - gap / 2, width, gap);
  }
}

function drawValues({ pen }: Surface, { geometry, sheet, heat, ink }: MatrixFrame, places: Places): void {
  const { cell } = geometry;
  pen.font = `${cell >= 44 ? 14 : 12}px ${ink.fonts}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let row = places.rows.from; row < places.rows.to; row += 1) {
    for (let column = places.columns.from; column < places.columns.to; column += 1) {
      const value = valueAt(sheet.table, sheet.order[row] ?? 0, sheet.order[column] ?? 0);
      pen.fillStyle = row === column ? ink.faint : (heat.inks[stepOf(value, sheet.scale)] ?? ink.faint);
      pen.fillText(shortValue(value), places.x(column) + cell / 2, places.y(row) + cell / 2 + 0.5);
    }
  }
}

function drawLit(
  { pen, width, height }: Surface,
  { geometry, sheet, ink, lit }: MatrixFrame,
  places: Places,
): void {
  if (!lit) return;
  const { cell } = geometry;
  const row = sheet.places[lit.row] ?? 0;
  const column = sheet.places[lit.column ?? lit.row] ?? 0;
  pen.strokeStyle = ink.signal;
  pen.lineWidth = 1;
  const bands = cell >= 4 ? [0, cell] : [cell / 2];
  pen.globalAlpha = 0.75;
  pen.beginPath();
  for (const offset of bands) {
    const [across, down] = [Math.round(places.y(row) + offset), Math.round(places.x(column) + offset)];
    pen.moveTo(0, across + 0.5);
    pen.lineTo(width, across + 0.5);
    pen.moveTo(down + 0.5, 0);
    pen.lineTo(down + 0.5, height);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  if (lit.column === null) return;
  const grow = Math.max(0, (7 - cell) / 2);
  const frameAt = (atRow: number, atColumn: number, thick: number) => {
    pen.lineWidth = thick;
    pen.strokeRect(places.x(atColumn) - grow, places.y(atRow) - grow, cell + 2 * grow, cell + 2 * grow);
  };
  frameAt(column, row, 1);
  frameAt(row, column, cell >= 9 ? 3 : 2);
}

function drawNumbers(
  { pen, width, height }: Surface,
  { geometry, sheet, ink, lit }: MatrixFrame,
  places: Places,
): void {
  const { cell, gutter } = geometry;
  const litRow = lit ? sheet.places[lit.row] : undefined;
  const litColumn = lit ? sheet.places[lit.column ?? lit.row] : undefined;
  const isNear = (one: number, other: number | undefined) =>
    other !== undefined && one !== other && Math.abs(one - other) * cell < gutter - 4;
  pen.font = `12px ${ink.fonts}`;
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  const write = (position: number, across: number, down: number, isHere: boolean) => {
    const number = String((sheet.order[position] ?? 0) + 1);
    if (isHere) {
      const wide = pen.measureText(number).width + 10;
      pen.fillStyle = ink.signal;
      pen.beginPath();
      pen.roundRect(across - wide / 2, down - 9, wide, 18, 4);
      pen.fill();
    }
    pen.fillStyle = isHere ? ink.onSignal : ink.faint;
    pen.fillText(number, across, down + 0.5);
  };
  const step = tickStep(cell, gutter - 2);
  const down = tickStep(cell, 16);
  const isTick = (position: number, every: number) =>
    every === 1 || position === 0 || (position + 1) % every === 0;
  for (let column = places.columns.from; column < places.columns.to; column += 1) {
    const center = places.x(column) + cell / 2;
    const isHere = column === litColumn;
    if (!isHere && (!isTick(column, step) || (step > 1 && isNear(column, litColumn)))) continue;
    // A number that would be cut at the edge is left out; a lit one is moved in.
    const last = width - (cell < gutter ? gutter / 2 - 2 : 0);
    if (center <= gutter || (center > last && !isHere)) continue;
    write(column, Math.min(center, last), gutter / 2, isHere);
  }
  for (let row = places.rows.from; row < places.rows.to; row += 1) {
    const center = places.y(row) + cell / 2;
    const isHere = row === litRow;
    if (!isHere && (!isTick(row, down) || (down > 1 && isNear(row, litRow)))) continue;
    const last = height - (cell < 16 ? 8 : 0);
    if (center <= gutter || (center > last && !isHere)) continue;
    write(row, gutter / 2 - 1, Math.min(center, last), isHere);
  }
}
