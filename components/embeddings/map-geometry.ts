import type { Projection } from "./pca";

/** The visible part of the map: zoom factor (1 shows everything) and offset in CSS pixels. */
export interface MapView {
  zoom: number;
  x: number;
  y: number;
}

export const FULL_VIEW: MapView = { zoom: 1, x: 0, y: 0 };
export const MAX_ZOOM = 24;
const MARGIN = 26;

export interface Point {
  x: number;
  y: number;
}

/** Positions on the canvas in CSS pixels. */
export interface MapLayout {
  width: number;
  height: number;
  points: Point[];
  query: Point | null;
}

/** Fits all points into a box and zooms; both axes share one scale, so that distances keep their proportions. */
export function layOutMap(
  { points }: Projection,
  query: readonly [number, number] | null,
  box: { width: number; height: number },
  view: MapView,
): MapLayout {
  const all: Point[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) all.push({ x: points[at] ?? 0, y: points[at + 1] ?? 0 });
  if (query) all.push({ x: query[0], y: query[1] });
  const [left, right, low, high] = [
    all.reduce((min, one) => Math.min(min, one.x), Number.POSITIVE_INFINITY),
    all.reduce((max, one) => Math.max(max, one.x), Number.NEGATIVE_INFINITY),
    all.reduce((min, one) => Math.min(min, one.y), Number.POSITIVE_INFINITY),
    all.reduce((max, one) => Math.max(max, one.y), Number.NEGATIVE_INFINITY),
  ];
  const available = { x: Math.max(1, box.width - 2 * MARGIN), y: Math.max(1, box.height - 2 * MARGIN) };
  const scale = view.zoom * Math.min(available.x / (right - left || 1), available.y / (high - low || 1));
  const toCanvas = (one: Point): Point => ({
    x: box.width / 2 + view.x + (one.x - (left + right) / 2) * scale,
    y: box.height / 2 + view.y - (one.y - (low + high) / 2) * scale,
  });
  const onCanvas = all.map(toCanvas);
  return { ...box, query: query ? (onCanvas.pop() ?? null) : null, points: onCanvas };
}

/** Zooms by a factor, between 1 and MAX_ZOOM, keeping the point `around` of the box in its position. */
export function zoomAround(
  view: MapView,
  factor: number,
  around: Point,
  box: { width: number; height: number },
): MapView {
  const zoom = Math.max(1, Math.min(MAX_ZOOM, view.zoom * factor));
  const by = zoom / view.zoom;
  const [x, y] = [around.x - box.width / 2, around.y - box.height / 2];
  return clampView({ zoom, x: x - (x - view.x) * by, y: y - (y - view.y) * by }, box);
}

/** Limits the offset so that the zoomed map still covers the box. */
export function clampView(view: MapView, { width, height }: { width: number; height: number }): MapView {
  const maxOffset = (size: number) => ((view.zoom - 1) * size) / 2;
  const clamp = (value: number, max: number) => Math.max(-max, Math.min(max, value));
  return { zoom: view.zoom, x: clamp(view.x, maxOffset(width)), y: clamp(view.y, maxOffset(height)) };
}

/** Index of the point nearest to a position, within `radius` pixels; null when there is none. */
export function pointAt({ points }: MapLayout, at: Point, radius: number): number | null {
  let best: number | null = null;
  let bestDistance = radius;
  for (const [index, point] of points.entries()) {
    const distance = Math.hypot(point.x - at.x, point.y - at.y);
    if (distance >= bestDistance) continue;
    bestDistance = distance;
    best = index;
  }
  return best;
}

/** Index of the next point in a direction; a sideways distance costs twice. Null when no point lies there. */
export function nextPoint(
  { points }: MapLayout,
  from: number,
  [dx, dy]: readonly [number, number],
): number | null {
  const here = points[from];
  if (!here) return null;
  let best: number | null = null;
  let bestCost = Number.POSITIVE_INFINITY;
  for (const [index, point] of points.entries()) {
    const ahead = (point.x - here.x) * dx + (point.y - here.y) * dy;
    const aside = Math.abs((point.x - here.x) * dy) + Math.abs((point.y - here.y) * dx);
    if (index === from || ahead <= 0.5) continue;
    const cost = ahead + 2 * aside;
    if (cost >= bestCost) continue;
    bestCost = cost;
    best = index;
  }
  return best;
}
