import { themeColor } from "../charts/theme-color";
import { type Focus, isHighlighted } from "./focus-store";
import type { MapLayout, Point } from "./map-geometry";
import type { Surface } from "./use-canvas";

export interface MapColours {
  background: string;
  text: string;
  muted: string;
  dot: string;
  signal: string;
  fonts: string;
}

export function readMapColours(element: Element): MapColours {
  return {
    background: themeColor(element, "--ground"),
    text: themeColor(element, "--ink"),
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

const MAX_LABEL_LENGTH = 26;
/** With more visible points than this, only the highlighted ones are labelled. */
const MAX_LABELS = 60;
/** With more visible points than this, labels show the number without the text. */
const MAX_TEXT_LABELS = 14;
/** Points that labels avoid; more would make a frame too slow. */
const MAX_OBSTACLES = 400;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ");
  const letters = [...line];
  return letters.length > MAX_LABEL_LENGTH
    ? `${letters
        .slice(0, MAX_LABEL_LENGTH - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

interface MapFrame {
  layout: MapLayout;
  texts: readonly string[];
  highlight: Focus | null;
  colours: MapColours;
  queryName: string;
}

interface VisiblePoint {
  point: Point;
  index: number;
}

/** Draws the points, the query and as many labels as fit; labels of highlighted points are always drawn. */
export function drawMap(surface: Surface, frame: MapFrame): void {
  const { ctx, width, height } = surface;
  const { layout, highlight, colours } = frame;
  const isVisible = ({ x, y }: Point) => x > -8 && y > -8 && x < width + 8 && y < height + 8;
  const visible = layout.points.flatMap((point, index) => (isVisible(point) ? [{ point, index }] : []));
  drawHighlightedPair(ctx, frame);
  ctx.strokeStyle = colours.background;
  ctx.lineWidth = 1;
  drawPoints(
    ctx,
    visible.map(({ point }) => point),
    { colour: colours.dot, radius: visible.length > 150 ? 3 : 4 },
  );
  if (layout.query) drawQuery(ctx, layout.query, colours);
  const highlighted = visible.filter(({ index }) => isHighlighted(highlight, index));
  drawPoints(
    ctx,
    highlighted.map(({ point }) => point),
    { colour: colours.signal, radius: 6 },
  );
  drawLabels(surface, frame, visible);
}

function drawPoints(
  ctx: CanvasRenderingContext2D,
  points: readonly Point[],
  { colour, radius }: { colour: string; radius: number },
): void {
  ctx.fillStyle = colour;
  for (const { x, y } of points) {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
}

/** Draws a sagging line between the two highlighted texts. */
function drawHighlightedPair(
  ctx: CanvasRenderingContext2D,
  { layout: { points }, highlight, colours }: MapFrame,
): void {
  const one = highlight ? points[highlight.row] : undefined;
  const other = highlight && highlight.column !== null ? points[highlight.column] : undefined;
  if (!one || !other || one === other) return;
  ctx.strokeStyle = colours.signal;
  ctx.lineWidth = 2;
  ctx.lineCap = "round";
  ctx.beginPath();
  ctx.moveTo(one.x, one.y);
  const sag = Math.min(48, Math.hypot(one.x - other.x, one.y - other.y) / 3);
  ctx.quadraticCurveTo((one.x + other.x) / 2, (one.y + other.y) / 2 + sag, other.x, other.y);
  ctx.stroke();
}

function drawQuery(ctx: CanvasRenderingContext2D, { x, y }: Point, colours: MapColours): void {
  ctx.fillStyle = colours.text;
  ctx.beginPath();
  ctx.moveTo(x, y - 7);
  ctx.lineTo(x + 7, y);
  ctx.lineTo(x, y + 7);
  ctx.lineTo(x - 7, y);
  ctx.closePath();
  ctx.fill();
  ctx.stroke();
}

/** Draws labels in order of importance: highlighted points, the query, then the others where they fit. */
function drawLabels(surface: Surface, frame: MapFrame, visible: readonly VisiblePoint[]): void {
  const { ctx } = surface;
  const { layout, texts, highlight, colours, queryName } = frame;
  ctx.font = `12px ${colours.fonts}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const drawLabel = createLabelDrawer(
    surface,
    colours,
    visible.slice(0, MAX_OBSTACLES).map(({ point }) => point),
  );
  const fullLabel = (index: number) => `${index + 1} ${shorten(texts[index] ?? "")}`;
  for (const { point, index } of visible) {
    if (isHighlighted(highlight, index)) {
      drawLabel(point, fullLabel(index), { colour: colours.text, isForced: true });
    }
  }
  if (layout.query) drawLabel(layout.query, queryName, { colour: colours.text, isForced: true });
  if (visible.length > MAX_LABELS) return;
  for (const { point, index } of visible) {
    if (isHighlighted(highlight, index)) continue;
    const text = visible.length > MAX_TEXT_LABELS ? String(index + 1) : fullLabel(index);
    drawLabel(point, text, { colour: colours.muted, isForced: false });
  }
}

/**
 * Returns a function that draws one label where it overlaps neither `points` nor a label drawn before. A label without
 * such a position is left out; a forced one is drawn over the points, on the background colour.
 */
function createLabelDrawer({ ctx, width, height }: Surface, colours: MapColours, points: readonly Point[]) {
  const labels: Rectangle[] = [];
  const dots = points.map(({ x, y }) => ({ left: x - 4, top: y - 4, right: x + 4, bottom: y + 4 }));
  const isInside = ({ left, top, right, bottom }: Rectangle) =>
    left >= 2 && top >= 2 && right <= width - 2 && bottom <= height - 2;
  const isClearOf = (others: readonly Rectangle[]) => (one: Rectangle) =>
    !others.some((other) => overlaps(one, other));

  return (point: Point, text: string, look: { colour: string; isForced: boolean }): void => {
    const labelWidth = ctx.measureText(text).width;
    const candidates = labelPositions(point, labelWidth).filter(isInside);
    const fallback = () =>
      candidates.find(isClearOf(labels)) ?? candidates[0] ?? shiftInside(point, labelWidth, width);
    const chosen =
      candidates.filter(isClearOf(dots)).find(isClearOf(labels)) ?? (look.isForced ? fallback() : null);
    if (!chosen) return;
    labels.push(chosen);
    if (look.isForced) {
      ctx.fillStyle = colours.background;
      ctx.globalAlpha = 0.85;
      ctx.fillRect(chosen.left - 2, chosen.top, labelWidth + 4, 16);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = look.colour;
    ctx.fillText(text, chosen.left, chosen.top + 8.5);
  };
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Positions for a label around its point, in order of preference. */
function labelPositions(point: Point, width: number): Rectangle[] {
  const at = (left: number, top: number): Rectangle => ({ left, top, right: left + width, bottom: top + 16 });
  return [
    at(point.x + 8, point.y - 8),
    at(point.x - 8 - width, point.y - 8),
    at(point.x - width / 2, point.y - 24),
    at(point.x - width / 2, point.y + 8),
    at(point.x - 6, point.y - 24),
    at(point.x - 6, point.y + 8),
    at(point.x + 6 - width, point.y - 24),
    at(point.x + 6 - width, point.y + 8),
  ];
}

/** A position above the point, moved sideways until the label is inside the canvas. */
function shiftInside(point: Point, labelWidth: number, width: number): Rectangle {
  const left = Math.max(2, Math.min(width - labelWidth - 2, point.x - labelWidth / 2));
  return { left, top: point.y - 24, right: left + labelWidth, bottom: point.y - 8 };
}
