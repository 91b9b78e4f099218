import type { Point } from "./map-geometry";

/** A box on the canvas in CSS pixels. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const LABEL_HEIGHT = 16;

export function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

function boxAt(left: number, top: number, width: number): Box {
  return { left, top, right: left + width, bottom: top + LABEL_HEIGHT };
}

/** Positions for a label around its point, in order of preference. */
export function placesAroundPoint(point: Point, width: number): Box[] {
  return [
    boxAt(point.x + 8, point.y - 8, width),
    boxAt(point.x - 8 - width, point.y - 8, width),
    boxAt(point.x - width / 2, point.y - 24, width),
    boxAt(point.x - width / 2, point.y + 8, width),
    boxAt(point.x - 6, point.y - 24, width),
    boxAt(point.x - 6, point.y + 8, width),
    boxAt(point.x + 6 - width, point.y - 24, width),
    boxAt(point.x + 6 - width, point.y + 8, width),
  ];
}

/** Positions for the label of a cluster around the box of its outline, in order of preference. */
export function placesAroundBox({ left, top, right, bottom }: Box, width: number): Box[] {
  const middle = (left + right) / 2 - width / 2;
  return [
    boxAt(middle, top - LABEL_HEIGHT - 3, width),
    boxAt(middle, bottom + 3, width),
    boxAt(left, top - LABEL_HEIGHT - 3, width),
    boxAt(right - width, top - LABEL_HEIGHT - 3, width),
    boxAt(left, bottom + 3, width),
    boxAt(right - width, bottom + 3, width),
    boxAt(right + 4, (top + bottom - LABEL_HEIGHT) / 2, width),
    boxAt(left - 4 - width, (top + bottom - LABEL_HEIGHT) / 2, width),
  ];
}

/**
 * Returns a function that chooses the first of some places that is inside the canvas and overlaps neither `points` nor
 * a place chosen before; null when there is none. A forced label always gets a place: one that overlaps only points,
 * else the first, moved inside the canvas.
 */
export function createPlacer(size: { width: number; height: number }, points: readonly Point[]) {
  const taken: Box[] = [];
  const dots = points.map(({ x, y }) => ({ left: x - 4, top: y - 4, right: x + 4, bottom: y + 4 }));
  const isInside = ({ left, top, right, bottom }: Box) =>
    left >= 2 && top >= 2 && right <= size.width - 2 && bottom <= size.height - 2;
  const isClearOf = (others: readonly Box[]) => (one: Box) => !others.some((other) => overlaps(one, other));

  return (places: readonly Box[], isForced = false): Box | null => {
    const inside = places.filter(isInside);
    const clear = inside.find((one) => isClearOf(taken)(one) && isClearOf(dots)(one));
    const forced = () => inside.find(isClearOf(taken)) ?? inside[0] ?? moveInside(places[0], size);
    const chosen = clear ?? (isForced ? forced() : null);
    if (chosen) taken.push(chosen);
    return chosen;
  };
}

function moveInside(box: Box | undefined, { width, height }: { width: number; height: number }): Box | null {
  if (!box) return null;
  const left = Math.max(2, Math.min(width - (box.right - box.left) - 2, box.left));
  const top = Math.max(2, Math.min(height - LABEL_HEIGHT - 2, box.top));
  return boxAt(left, top, box.right - box.left);
}
