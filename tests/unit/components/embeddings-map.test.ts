import { expect, test } from "vitest";
import { type Box, createPlacer, overlaps, placesAroundPoint } from "@/components/embeddings/label-places";
import {
  clampView,
  convexHull,
  layOutMap,
  placeByNeighbours,
  zoomAround,
} from "@/components/embeddings/map-geometry";
import { projectToPlane } from "@/components/embeddings/pca";
import { cosines, dotProducts } from "@/components/embeddings/similarity";
import { layOutByUmap } from "@/components/embeddings/umap";
import { importsOf, sourcesBelow } from "../../support/sources";

const SIZE = { width: 400, height: 300 };

test("places labels that overlap neither each other nor a point, inside the canvas", () => {
  const points = Array.from({ length: 60 }, (_, at) => ({ x: (at * 67) % 400, y: (at * 41) % 300 }));
  const place = createPlacer(SIZE, points);
  const boxes = points.flatMap((point) => place(placesAroundPoint(point, 50)) ?? []);
  expect(boxes.length).toBeGreaterThan(10);
  const dots = points.map(({ x, y }) => ({ left: x - 3, top: y - 3, right: x + 3, bottom: y + 3 }));
  for (const [at, box] of boxes.entries()) {
    expect([...boxes.slice(at + 1), ...dots].some((other) => overlaps(box, other))).toBe(false);
    expect([box.left >= 0, box.top >= 0, box.right <= 400, box.bottom <= 300]).not.toContain(false);
  }
});

test("places a forced label inside the canvas even without free space", () => {
  const place = createPlacer(SIZE, []);
  const at = { x: 395, y: 4 };
  const wide = (): Box[] => placesAroundPoint(at, 396);
  expect(place(wide())).toBeNull();
  const box = place(wide(), true);
  expect(box).toMatchObject({ left: 2, right: 398 });
  expect(box?.top).toBeGreaterThanOrEqual(2);
});

test("keeps the point under the pointer in its position while zooming, and the map within the box", () => {
  const scene = { points: Float64Array.from([0, 0, 10, 0, 10, 10, 0, 10]), query: null };
  const full = { zoom: 1, x: 0, y: 0 };
  const before = layOutMap(scene, SIZE, full).points[2];
  const view = zoomAround(full, 4, before ?? { x: 0, y: 0 }, SIZE);
  const after = layOutMap(scene, SIZE, view).points[2];
  expect(after?.x).toBeCloseTo(before?.x ?? 0, 6);
  expect(after?.y).toBeCloseTo(before?.y ?? 0, 6);
  expect(clampView({ zoom: 4, x: 9_999, y: -9_999 }, SIZE)).toEqual({ zoom: 4, x: 600, y: -450 });
});

test("turns a tall map to fill a wide box", () => {
  const tall = { points: Float64Array.from([0, 0, 1, 10, 0, 5]), query: null };
  const { points } = layOutMap(tall, { width: 800, height: 400 }, { zoom: 1, x: 0, y: 0 });
  const xs = points.map(({ x }) => x);
  expect(Math.max(...xs) - Math.min(...xs)).toBeCloseTo(800 - 2 * 26, 6);
  const square = layOutMap(tall, { width: 400, height: 400 }, { zoom: 1, x: 0, y: 0 }).points;
  expect(Math.abs((square[0]?.y ?? 0) - (square[1]?.y ?? 0))).toBeCloseTo(400 - 2 * 26, 6);
});

test("draws the convex hull around all points and only through outer ones", () => {
  const corners = [
    { x: 0, y: 0 },
    { x: 8, y: 0 },
    { x: 8, y: 6 },
    { x: 0, y: 6 },
  ];
  const hull = convexHull([...corners, { x: 4, y: 3 }, { x: 4, y: 0 }, { x: 1, y: 2 }]);
  expect(hull).toHaveLength(4);
  expect(hull).toEqual(expect.arrayContaining(corners));
});

test("places a query near the most similar text, and in the middle if all similarities are 0", () => {
  const points = Float64Array.from([0, 0, 10, 0, 0, 10]);
  const rank = (...similarities: number[]) =>
    similarities
      .map((similarity, index) => ({ index, similarity }))
      .sort((a, b) => b.similarity - a.similarity);
  const [x, y] = placeByNeighbours(points, rank(0.1, 0.9, 0.1));
  expect(x).toBeGreaterThan(9);
  expect(y).toBeLessThan(1);
  const middle = placeByNeighbours(points, rank(0, 0, 0));
  expect(middle.map((value) => value.toFixed(3))).toEqual(["3.333", "3.333"]);
});

/** Three groups of unit vectors; the members of a group share one axis. */
async function threeGroups() {
  const groups = Array.from({ length: 24 }, (_, at) => at % 3);
  const vectors = groups.map((group, at) =>
    Float32Array.from({ length: 8 }, (_, axis) => (axis === group ? 1 : 0.3 * Math.sin(at * 5 + axis * 11))),
  );
  const dots = await dotProducts(vectors);
  const { points } = await projectToPlane(dots.values, dots.count);
  return { groups, input: { cosines: cosines(dots), start: points } };
}

test("lays out similar texts close together by UMAP, the same in each run, and reports every epoch", async () => {
  const { groups, input } = await threeGroups();
  const epochs: number[] = [];
  const points = layOutByUmap(input, (done, count) => epochs.push(done / count));
  expect(points).toHaveLength(48);
  expect([...points].every(Number.isFinite)).toBe(true);
  expect(epochs.length).toBeGreaterThan(100);
  expect(epochs.at(-1)).toBe(1);
  const distance = (one: number, other: number) =>
    Math.hypot(
      (points[one * 2] ?? 0) - (points[other * 2] ?? 0),
      (points[one * 2 + 1] ?? 0) - (points[other * 2 + 1] ?? 0),
    );
  for (const [one, group] of groups.entries()) {
    const others = groups.map((_, at) => at).filter((at) => at !== one);
    const nearest = others.reduce((best, at) => (distance(one, at) < distance(one, best) ? at : best));
    expect(groups[nearest]).toBe(group);
  }
  expect(layOutByUmap(input)).toEqual(points);
});

test("lays out five texts by UMAP", async () => {
  const vectors = [0, 1, 2, 3, 4].map((at) => Float32Array.from([1, at, at % 2]));
  const dots = await dotProducts(vectors);
  const { points } = await projectToPlane(dots.values, dots.count);
  expect([...layOutByUmap({ cosines: cosines(dots), start: points })].every(Number.isFinite)).toBe(true);
});

test("only the worker imports UMAP", () => {
  const importers = sourcesBelow("components")
    .flatMap(importsOf)
    .filter(({ to, isTypeOnly }) => !isTypeOnly && ["umap-js", "components/embeddings/umap"].includes(to));
  expect(importers.map(({ from }) => from).toSorted()).toEqual([
    "components/embeddings/umap-worker.ts",
    "components/embeddings/umap.ts",
  ]);
});
