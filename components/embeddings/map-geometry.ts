import type { Projection } from "@/components/embeddings/pca";

/** What part of the map is seen: `zoom` times the whole, moved by so many pixels. */
export interface MapView {
  zoom: number;
  x: number;
  y: number;
}

export const WHOLE_MAP: MapView = { zoom: 1, x: 0, y: 0 };
export const LARGEST_ZOOM = 24;
const MARGIN = 26;

export interface Spot {
  x: number;
  y: number;
}

export interface Plane {
  width: number;
  height: number;
  spots: Spot[];
  /** Where the query lies. */
  query: Spot | null;
}

/** Fits all points into a box, one scale for both axes so that distances stay true, then zooms. */
export function layOut(
  { points }: Projection,
  query: readonly [number, number] | null,
  box: { width: number; height: number },
  view: MapView,
): Plane {
  const all: Spot[] = [];
  for (let at = 0; at + 1 < points.length; at += 2) all.push({ x: points[at] ?? 0, y: points[at + 1] ?? 0 });
  if (query) all.push({ x: query[0], y: query[1] });
  const [left, right, low, high] = [
    all.reduce((least, one) => Math.min(least, one.x), Number.POSITIVE_INFINITY),
    all.reduce((most, one) => Math.max(most, one.x), Number.NEGATIVE_INFINITY),
    all.reduce((least, one) => Math.min(least, one.y), Number.POSITIVE_INFINITY),
    all.reduce((most, one) => Math.max(most, one.y), Number.NEGATIVE_INFINITY),
  ];
  const room = { x: Math.max(1, box.width - 2 * MARGIN), y: Math.max(1, box.height - 2 * MARGIN) };
  const scale = view.zoom * Math.min(room.x / (right - left || 1), room.y / (high - low || 1));
  const place = (one: Spot): Spot => ({
    x: box.width / 2 + view.x + (one.x - (left + right) / 2) * scale,
    y: box.height / 2 + view.y - (one.y - (low + high) / 2) * scale,
  });
  const placed = all.map(place);
  return { ...box, query: query ? (placed.pop() ?? null) : null, spots: placed };
}

/** Zooms by a factor about a place of the box, which keeps its point; held between the whole and the largest zoom. */
export function zoomAbout(
  view: MapView,
  factor: number,
  about: Spot,
  box: { width: number; height: number },
): MapView {
  const zoom = Math.max(1, Math.min(LARGEST_ZOOM, view.zoom * factor));
  const by = zoom / view.zoom;
  const [x, y] = [about.x - box.width / 2, about.y - box.height / 2];
  return holdInside({ zoom, x: x - (x - view.x) * by, y: y - (y - view.y) * by }, box);
}

/** Moves the map, no farther than its edge to the middle of the box. */
export function holdInside(view: MapView, { width, height }: { width: number; height: number }): MapView {
  const reach = (size: number) => ((view.zoom - 1) * size) / 2;
  const hold = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return { zoom: view.zoom, x: hold(view.x, reach(width)), y: hold(view.y, reach(height)) };
}

/** The point nearest to a place, no farther than `reach`; null when there is none. */
export function spotAt({ spots }: Plane, at: Spot, reach: number): number | null {
  let best: number | null = null;
  let least = reach;
  for (const [index, spot] of spots.entries()) {
    const distance = Math.hypot(spot.x - at.x, spot.y - at.y);
    if (distance >= least) continue;
    least = distance;
    best = index;
  }
  return best;
}

/** The next point from one in a direction: near, and rather straight ahead than aside. Null: none lies there. */
export function spotBeyond(
  { spots }: Plane,
  from: number,
  [dx, dy]: readonly [number, number],
): number | null {
  const here = spots[from];
  if (!here) return null;
  let best: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, spot] of spots.entries()) {
    const ahead = (spot.x - here.x) * dx + (spot.y - here.y) * dy;
    const aside = Math.abs((spot.x - here.x) * dy) + Math.abs((spot.y - here.y) * dx);
    if (index === from || ahead <= 0.5) continue;
    const cost = ahead + 2 * aside;
    if (cost >= least) continue;
    least = cost;
    best = index;
  }
  return best;
}
