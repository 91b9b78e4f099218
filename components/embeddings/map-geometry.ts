import type { Cluster } from "./clusters";
import type { Neighbour } from "./similarity";

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

/** What a map shows. */
export interface MapScene {
  texts: readonly string[];
  /** x and y of each text, interleaved. */
  points: Float64Array;
  query: readonly [number, number] | null;
  /** Clusters to outline and label; empty: none. */
  clusters: readonly Cluster[];
}

/** Positions on the canvas in CSS pixels. */
export interface MapLayout {
  width: number;
  height: number;
  points: Point[];
  query: Point | null;
}

/** A box, or the extent of the points, is elongated if one side exceeds the other by more than this factor. */
const ELONGATED = 1.2;

/** The extent and middle of the points on both axes; 0 without points. */
function rangeOf(points: readonly Point[]) {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const range = (values: readonly number[]) => {
    const low = values.reduce((min, one) => Math.min(min, one), values[0] ?? 0);
    const high = values.reduce((max, one) => Math.max(max, one), values[0] ?? 0);
    return { extent: high - low, middle: (low + high) / 2 };
  };
  return { x: range(xs), y: range(ys) };
}

/** True when the points fill the box better after a quarter turn, which is allowed as the axes have no meaning. */
function fitsBetterTurned(
  points: readonly Point[],
  { width, height }: { width: number; height: number },
): boolean {
  const { x, y } = rangeOf(points);
  const [isWide, isTall] = [width > height * ELONGATED, height > width * ELONGATED];
  return (isWide && y.extent > x.extent * ELONGATED) || (isTall && x.extent > y.extent * ELONGATED);
}

/** Fits all points into a box and zooms; both axes share one scale, so that distances keep their proportions. */
export function layOutMap(
  { points, query }: Pick<MapScene, "points" | "query">,
  box: { width: number; height: number },
  view: MapView,
): MapLayout {
  let all: Point[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) all.push({ x: points[at] ?? 0, y: points[at + 1] ?? 0 });
  if (query) all.push({ x: query[0], y: query[1] });
  if (fitsBetterTurned(all, box)) all = all.map(({ x, y }) => ({ x: y, y: -x }));
  const { x: across, y: up } = rangeOf(all);
  const available = { x: Math.max(1, box.width - 2 * MARGIN), y: Math.max(1, box.height - 2 * MARGIN) };
  const scale = view.zoom * Math.min(available.x / (across.extent || 1), available.y / (up.extent || 1));
  const onCanvas = all.map(
    (one): Point => ({
      x: box.width / 2 + view.x + (one.x - across.middle) * scale,
      y: box.height / 2 + view.y - (one.y - up.middle) * scale,
    }),
  );
  const { width, height } = box;
  return { width, height, query: query ? (onCanvas.pop() ?? null) : null, points: onCanvas };
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

/** Index of the next point in a direction; sideways distance counts double. Null when no point lies there. */
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

/** Number of nearest texts that determine the position of a query. */
const QUERY_NEIGHBOURS = 5;

/**
 * Position of a query on a map that has no projection formula (UMAP): the mean position of its nearest texts, weighted
 * by similarity. UMAP's own transform of new vectors starts from such a mean. `ranking`: most similar first.
 */
export function placeByNeighbours(points: Float64Array, ranking: readonly Neighbour[]): [number, number] {
  const nearest = ranking.slice(0, QUERY_NEIGHBOURS);
  // Squared, so that the nearest texts count most; without any similarity all count the same.
  const weights = nearest.map(({ similarity }) => Math.max(0, similarity) ** 2);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const at: [number, number] = [0, 0];
  for (const [rank, { index }] of nearest.entries()) {
    const share = sum > 0 ? (weights[rank] ?? 0) / sum : 1 / nearest.length;
    at[0] += share * (points[index * 2] ?? 0);
    at[1] += share * (points[index * 2 + 1] ?? 0);
  }
  return at;
}

/** The corners of the convex hull (monotone chain, Andrew 1979), in order. */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.x - b.x || a.y - b.y);
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of ordered) {
      for (;;) {
        const [before, last] = [chain.at(-2), chain.at(-1)];
        if (!before || !last) break;
        const turn = (last.x - before.x) * (point.y - before.y) - (last.y - before.y) * (point.x - before.x);
        if (turn > 0) break;
        chain.pop();
      }
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.toReversed())];
}
