import { expect, test } from "vitest";
import { placeOnPlane, projectToPlane } from "@/components/embeddings/pca";
import { dot, dotProducts } from "@/components/embeddings/similarity";

async function project(rows: number[][]) {
  const vectors = rows.map((row) => Float32Array.from(row));
  return projectToPlane((await dotProducts(vectors)).values, vectors.length);
}

const at = (points: Float64Array, row: number) => [points[row * 2] ?? 0, points[row * 2 + 1] ?? 0] as const;

test("points that lie in a plane keep their distances, whatever the dimensions", async () => {
  const plane = [
    [0, 0],
    [4, 0],
    [4, 3],
    [0, 3],
    [2, 9],
  ];
  const { points, kept } = await project(plane.map(([x = 0, y = 0]) => [5, x, 0, 1, y, 0, 0]));
  for (const [one, a] of plane.entries()) {
    for (const [other, b] of plane.entries()) {
      const [x1, y1] = at(points, one);
      const [x2, y2] = at(points, other);
      const want = Math.hypot((a[0] ?? 0) - (b[0] ?? 0), (a[1] ?? 0) - (b[1] ?? 0));
      expect(Math.hypot(x1 - x2, y1 - y2)).toBeCloseTo(want, 3);
    }
  }
  expect(kept[0] + kept[1]).toBeCloseTo(1, 5);
  expect(kept[0]).toBeGreaterThan(kept[1]);
});

test("the map is centred and the same every time", async () => {
  const rows = Array.from({ length: 40 }, (_, row) =>
    Array.from({ length: 12 }, (_, column) => Math.sin(row * 7.1 + column * 3.3)),
  );
  const one = await project(rows);
  expect(await project(rows)).toEqual(one);
  let x = 0;
  let y = 0;
  for (let row = 0; row < 40; row += 1) {
    x += at(one.points, row)[0];
    y += at(one.points, row)[1];
  }
  expect(x).toBeCloseTo(0, 4);
  expect(y).toBeCloseTo(0, 4);
});

test("on each axis the point farthest out lies on the positive side", async () => {
  const { points } = await project([
    [0, 0, 1],
    [1, 0, 0],
    [1, 1, 0],
    [9, 1, 2],
  ]);
  for (const axis of [0, 1]) {
    const values = [0, 1, 2, 3].map((row) => at(points, row)[axis] ?? 0);
    expect(Math.max(...values)).toBeGreaterThanOrEqual(-Math.min(...values) - 1e-6);
  }
});

test("equal texts, one text and none make no map but no fault either", async () => {
  for (const rows of [
    [],
    [[1, 2]],
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  ]) {
    const { points, kept } = await project(rows);
    expect([...points].every((value) => value === 0)).toBe(true);
    expect(kept).toEqual([0, 0]);
  }
});

test("one more vector lands where it would lie in the plane of the others", async () => {
  const rows = [
    [0, 0, 7],
    [4, 0, 7],
    [4, 3, 7],
    [0, 3, 7],
    [2, 9, 7],
  ];
  const vectors = rows.map((row) => Float32Array.from(row));
  const dots = (await dotProducts(vectors)).values;
  const projection = await projectToPlane(dots, rows.length);
  const among = (row: number[]) => {
    const query = Float32Array.from(row);
    return placeOnPlane(
      projection,
      dots,
      vectors.map((vector) => dot(query, vector)),
    );
  };
  // A vector of the set lands on its own point, a stranger at its true distance from the others.
  expect(among([4, 3, 7])[0]).toBeCloseTo(at(projection.points, 2)[0], 4);
  expect(among([4, 3, 7])[1]).toBeCloseTo(at(projection.points, 2)[1], 4);
  const [x, y] = among([1, 1, 7]);
  const [x0, y0] = at(projection.points, 0);
  expect(Math.hypot(x - x0, y - y0)).toBeCloseTo(Math.SQRT2, 4);
});
