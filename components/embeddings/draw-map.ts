import { themeColor } from "../charts/theme-color";
import type { Surface } from "../charts/use-canvas";
import { type Focus, isHighlighted } from "./focus-store";
import { type Box, createPlacer, LABEL_HEIGHT, placesAroundBox, placesAroundPoint } from "./label-places";
import { convexHull, type MapLayout, type MapScene, type Point } from "./map-geometry";

export interface MapColours {
  background: string;
  text: string;
  muted: string;
  dot: string;
  signal: string;
  /** Colours of the clusters, used in rotation. */
  clusters: readonly string[];
  fonts: string;
}

const CLUSTER_COLOURS = ["--chart-2", "--chart-3", "--chart-4", "--chart-5", "--chart-6"] as const;

export function readMapColours(element: Element): MapColours {
  return {
    background: themeColor(element, "--ground"),
    text: themeColor(element, "--ink"),
    muted: themeColor(element, "--ink-muted"),
    dot: themeColor(element, "--info"),
    signal: themeColor(element, "--signal"),
    clusters: CLUSTER_COLOURS.map((name) => themeColor(element, name)),
    fonts: getComputedStyle(element).fontFamily,
  };
}

/** Maximum characters of a label on a small and on a roomy canvas. */
const LABEL_LENGTH = { small: 26, roomy: 44 } as const;
/** Minimum canvas area per visible point, in square CSS pixels, at which labels show texts, and numbers. */
const AREA_PER_TEXT = 6_000;
const AREA_PER_NUMBER = 1_400;
/** Above this canvas area in square CSS pixels, labels show texts where they fit, however many points there are. */
const ROOMY_AREA = 240_000;
const MAX_LABELS = 120;
/** Maximum number of points that labels avoid; more would make a frame too slow. */
const MAX_OBSTACLES = 400;

function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ");
  const letters = [...line];
  return letters.length > length
    ? `${letters
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

interface MapFrame {
  scene: MapScene;
  layout: MapLayout;
  highlight: Focus | null;
  colours: MapColours;
  queryName: string;
}

interface VisiblePoint {
  point: Point;
  index: number;
}

/** Draws the clusters, the points, the query and as many labels as fit; highlighted points always have their label. */
export function drawMap(surface: Surface, frame: MapFrame): void {
  const { ctx, width, height } = surface;
  const { scene, layout, highlight, colours } = frame;
  const isVisible = ({ x, y }: Point) => x > -8 && y > -8 && x < width + 8 && y < height + 8;
  const visible = layout.points.flatMap((point, index) => (isVisible(point) ? [{ point, index }] : []));
  const colourOf = clusterColours(scene, colours);
  const outlines = scene.clusters.map((cluster) => drawCluster(ctx, layout, cluster.members, colourOf));
  drawHighlightedPair(ctx, frame);
  ctx.strokeStyle = colours.background;
  ctx.lineWidth = 1;
  const radius = visible.length > 150 ? 3 : 4;
  for (const { point, index } of visible)
    drawPoint(ctx, point, { colour: colourOf.get(index) ?? colours.dot, radius });
  if (layout.query) drawQuery(ctx, layout.query, colours);
  for (const { point, index } of visible) {
    if (isHighlighted(highlight, index)) drawPoint(ctx, point, { colour: colours.signal, radius: 6 });
  }
  drawLabels(surface, frame, visible, outlines);
}

/** The colour of each text that is in a cluster. */
function clusterColours({ clusters }: MapScene, colours: MapColours): ReadonlyMap<number, string> {
  return new Map(
    clusters.flatMap(({ members }, at) => {
      const colour = colours.clusters[at % colours.clusters.length] ?? colours.dot;
      return members.map((index) => [index, colour] as const);
    }),
  );
}

/** Pixels between the points of a cluster and its outline. */
const OUTLINE_MARGIN = 15;

/** Draws the outline of a cluster; returns its box. */
function drawCluster(
  ctx: CanvasRenderingContext2D,
  { points }: MapLayout,
  members: readonly number[],
  colourOf: ReadonlyMap<number, string>,
): Box {
  const around = members.flatMap((index) => {
    const point = points[index];
    if (!point) return [];
    return Array.from({ length: 16 }, (_, at) => ({
      x: point.x + OUTLINE_MARGIN * Math.cos((at * Math.PI) / 8),
      y: point.y + OUTLINE_MARGIN * Math.sin((at * Math.PI) / 8),
    }));
  });
  const outline = convexHull(around);
  ctx.beginPath();
  for (const { x, y } of outline) ctx.lineTo(x, y);
  ctx.closePath();
  const colour = colourOf.get(members[0] ?? -1) ?? "";
  ctx.fillStyle = colour;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.globalAlpha = 0.1;
  ctx.fill();
  ctx.globalAlpha = 0.7;
  ctx.stroke();
  ctx.globalAlpha = 1;
  const [xs, ys] = [outline.map(({ x }) => x), outline.map(({ y }) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}

function drawPoint(
  ctx: CanvasRenderingContext2D,
  { x, y }: Point,
  { colour, radius }: { colour: string; radius: number },
): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
}

/** Draws a curved line between the two highlighted texts. */
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

/** Draws labels in order of importance: highlighted points, the query, the clusters, then the others where they fit. */
function drawLabels(
  surface: Surface,
  { scene, layout, highlight, colours, queryName }: MapFrame,
  visible: readonly VisiblePoint[],
  outlines: readonly Box[],
): void {
  const { ctx } = surface;
  ctx.font = `12px ${colours.fonts}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const area = surface.width * surface.height;
  const isRoomy = area > ROOMY_AREA;
  const draw = createLabelDrawer(surface, colours, visible);
  const textOf = (index: number) =>
    shorten(scene.texts[index] ?? "", isRoomy ? LABEL_LENGTH.roomy : LABEL_LENGTH.small);
  const labelOf = (index: number) => `${index + 1} ${textOf(index)}`;
  const onPlate = { colour: colours.text, isForced: true };
  for (const { point, index } of visible) {
    if (isHighlighted(highlight, index))
      draw((width) => placesAroundPoint(point, width), labelOf(index), onPlate);
  }
  const { query } = layout;
  if (query) draw((width) => placesAroundPoint(query, width), queryName, onPlate);
  ctx.font = `500 12px ${colours.fonts}`;
  for (const [at, { members }] of scene.clusters.entries()) {
    const [outline, nearest] = [outlines[at], members[0]];
    if (!outline || nearest === undefined) continue;
    const label = `${textOf(nearest)} (${members.length})`;
    draw((width) => placesAroundBox(outline, width), label, { colour: colours.text, isForced: false });
  }
  ctx.font = `12px ${colours.fonts}`;
  const others = visible.filter(({ index }) => !isHighlighted(highlight, index));
  const showsTexts = isRoomy || visible.length * AREA_PER_TEXT <= area;
  const showsNumbers = visible.length * AREA_PER_NUMBER <= area;
  let count = 0;
  for (const { point, index } of others) {
    if (count >= MAX_LABELS) return;
    const drawHere = (text: string) =>
      draw((width) => placesAroundPoint(point, width), text, { colour: colours.muted, isForced: false });
    if (showsTexts && drawHere(labelOf(index))) count += 1;
    else if (showsNumbers && (isRoomy || !showsTexts) && drawHere(String(index + 1))) count += 1;
  }
}

/**
 * Returns a function that draws a label in the first place that is free, and returns false if none is. A forced label
 * is always drawn, on a background of its own.
 */
function createLabelDrawer(surface: Surface, colours: MapColours, visible: readonly VisiblePoint[]) {
  const { ctx } = surface;
  const obstacles = visible.slice(0, MAX_OBSTACLES).map(({ point }) => point);
  const place = createPlacer(surface, obstacles);
  return (
    placesFor: (width: number) => Box[],
    text: string,
    look: { colour: string; isForced: boolean },
  ): boolean => {
    const box = place(placesFor(ctx.measureText(text).width), look.isForced);
    if (!box) return false;
    if (look.isForced) {
      ctx.fillStyle = colours.background;
      ctx.globalAlpha = 0.85;
      ctx.fillRect(box.left - 2, box.top, box.right - box.left + 4, LABEL_HEIGHT);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = look.colour;
    ctx.fillText(text, box.left, box.top + 8.5);
    return true;
  };
}
