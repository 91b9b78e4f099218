import { themeColor } from "../charts/theme-color";
import { type Focus, isLit } from "./focus";
import type { Plane, Spot } from "./map-geometry";
import type { Surface } from "./use-canvas";

export interface MapInk {
  ground: string;
  ink: string;
  muted: string;
  dot: string;
  signal: string;
  fonts: string;
}

export function readMapInk(element: Element): MapInk {
  return {
    ground: themeColor(element, "--ground"),
    ink: themeColor(element, "--ink"),
    muted: themeColor(element, "--ink-muted"),
    dot: themeColor(element, "--info"),
    signal: themeColor(element, "--signal"),
    fonts: getComputedStyle(element).fontFamily,
  };
}

interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const LONGEST_LABEL = 26;
/** Labels beyond so many say nothing to the eye. */
const MOST_LABELS = 60;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const letters = [...line];
  return letters.length > LONGEST_LABEL
    ? `${letters
        .slice(0, LONGEST_LABEL - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Places where a label may stand about its point, the best first. */
function boxesAbout(spot: Spot, width: number): Rectangle[] {
  const at = (left: number, top: number): Rectangle => ({ left, top, right: left + width, bottom: top + 16 });
  return [
    at(spot.x + 8, spot.y - 8),
    at(spot.x - 8 - width, spot.y - 8),
    at(spot.x - width / 2, spot.y - 24),
    at(spot.x - width / 2, spot.y + 8),
    at(spot.x - 6, spot.y - 24),
    at(spot.x - 6, spot.y + 8),
    at(spot.x + 6 - width, spot.y - 24),
    at(spot.x + 6 - width, spot.y + 8),
  ];
}

export interface MapFrame {
  plane: Plane;
  texts: readonly string[];
  lit: Focus | null;
  ink: MapInk;
  queryName: string;
}

/** Points with as many labels as find room, the lit ones first. */
export function drawMap(
  { pen, width, height }: Surface,
  { plane, texts, lit, ink, queryName }: MapFrame,
): void {
  const isSeen = ({ x, y }: Spot) => x > -8 && y > -8 && x < width + 8 && y < height + 8;
  const seen = plane.spots.flatMap((spot, index) => (isSeen(spot) ? [{ spot, index }] : []));
  const radius = seen.length > 150 ? 3 : 4;
  drawCord(pen, plane, lit, ink);
  pen.fillStyle = ink.dot;
  pen.strokeStyle = ink.ground;
  pen.lineWidth = 1;
  for (const { spot } of seen) {
    pen.beginPath();
    pen.arc(spot.x, spot.y, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  if (plane.query) drawQuery(pen, plane.query, ink);
  for (const { spot, index } of seen) {
    if (!isLit(lit, index)) continue;
    pen.fillStyle = ink.signal;
    pen.beginPath();
    pen.arc(spot.x, spot.y, 6, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  pen.font = `12px ${ink.fonts}`;
  pen.textBaseline = "middle";
  pen.textAlign = "left";
  const labels: Rectangle[] = [];
  const dots: Rectangle[] = seen
    .slice(0, 400)
    .map(({ spot: { x, y } }) => ({ left: x - 4, top: y - 4, right: x + 4, bottom: y + 4 }));
  const label = (spot: Spot, text: string, look: { color: string; isForced: boolean }) => {
    const wide = pen.measureText(text).width;
    const inside = ({ left, top, right, bottom }: Rectangle) =>
      left >= 2 && top >= 2 && right <= width - 2 && bottom <= height - 2;
    const places = boxesAbout(spot, wide).filter(inside);
    const isFreeOf = (others: readonly Rectangle[]) => (one: Rectangle) =>
      !others.some((other) => overlaps(one, other));
    const fallback = () => places.find(isFreeOf(labels)) ?? places[0] ?? pushInside(spot, wide, width);
    const chosen =
      places.filter(isFreeOf(dots)).find(isFreeOf(labels)) ?? (look.isForced ? fallback() : null);
    if (!chosen) return;
    labels.push(chosen);
    if (look.isForced) {
      pen.fillStyle = ink.ground;
      pen.globalAlpha = 0.85;
      pen.fillRect(chosen.left - 2, chosen.top, wide + 4, 16);
      pen.globalAlpha = 1;
    }
    pen.fillStyle = look.color;
    pen.fillText(text, chosen.left, chosen.top + 8.5);
  };
  const name = (index: number) => `${index + 1} ${shorten(texts[index] ?? "")}`;
  for (const { spot, index } of seen) {
    if (isLit(lit, index)) label(spot, name(index), { color: ink.ink, isForced: true });
  }
  if (plane.query) label(plane.query, queryName, { color: ink.ink, isForced: true });
  if (seen.length > MOST_LABELS) return;
  for (const { spot, index } of seen) {
    if (!isLit(lit, index)) {
      label(spot, seen.length > 14 ? String(index + 1) : name(index), { color: ink.muted, isForced: false });
    }
  }
}

function pushInside(spot: Spot, wide: number, width: number): Rectangle {
  const left = Math.max(2, Math.min(width - wide - 2, spot.x - wide / 2));
  return { left, top: spot.y - 24, right: left + wide, bottom: spot.y - 8 };
}

/** A cord between the two lit texts. */
function drawCord(pen: CanvasRenderingContext2D, { spots }: Plane, lit: Focus | null, ink: MapInk): void {
  const one = lit ? spots[lit.row] : undefined;
  const other = lit && lit.column !== null ? spots[lit.column] : undefined;
  if (!one || !other || one === other) return;
  pen.strokeStyle = ink.signal;
  pen.lineWidth = 2;
  pen.lineCap = "round";
  pen.beginPath();
  pen.moveTo(one.x, one.y);
  const sag = Math.min(48, Math.hypot(one.x - other.x, one.y - other.y) / 3);
  pen.quadraticCurveTo((one.x + other.x) / 2, (one.y + other.y) / 2 + sag, other.x, other.y);
  pen.stroke();
}

function drawQuery(pen: CanvasRenderingContext2D, { x, y }: Spot, ink: MapInk): void {
  pen.fillStyle = ink.ink;
  pen.beginPath();
  pen.moveTo(x, y - 7);
  pen.lineTo(x + 7, y);
  pen.lineTo(x, y + 7);
  pen.lineTo(x - 7, y);
  pen.closePath();
  pen.fill();
  pen.stroke();
}
