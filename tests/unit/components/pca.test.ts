import { expect, test } from "vitest";
import { projectPoint, projectToPlane } from "@/components/embeddings/pca";
import { dot, dotProducts } from "@/components/embeddings/similarity";

async function projectRows(rows: number[][]) {
  const vectors = rows.map((row) => Float32Array.from(row));
  return projectToPlane((await dotProducts(vectors)).values, vectors.length);
}

const at = (points: Float64Array, row: number) => [points[row * 2] ?? 0, points[row * 2 + 1] ?? 0] as const;

test("keeps the distances of points that lie in a plane of a higher-dimensional space", async () => {
  const plane = [
    [0, 0],
    [4, 0],
    [4, 3],
    [0, 3],
    [2, 9],
  ];
  const { points, explained } = await projectRows(plane.map(([x = 0, y = 0]) => [5, x, 0, 1, y, 0, 0]));
  for (const [one, a] of plane.entries()) {
    for (const [other, b] of plane.entries()) {
      const [x1, y1] = at(points, one);
      const [x2, y2] = at(points, other);
      const want = Math.hypot((a[0] ?? 0) - (b[0] ?? 0), (a[1] ?? 0) - (b[1] ?? 0));
      expect(Math.hypot(x1 - x2, y1 - y2)).toBeCloseTo(want, 3);
    }
  }
  expect(explained[0] + explained[1]).toBeCloseTo(1, 5);
  expect(explained[0]).toBeGreaterThan(explained[1]);
});

test("centres the map and gives the same map for the same texts", async () => {
  const rows = Array.from({ length: 40 }, (_, row) =>
    Array.from({ length: 12 }, (_, column) => Math.sin(row * 7.1 + column * 3.3)),
  );
  const one = await projectRows(rows);
  expect(await projectRows(rows)).toEqual(one);
  let x = 0;
  let y = 0;
  for (let row = 0; row < 40; row += 1) {
    x += at(one.points, row)[0];
    y += at(one.points, row)[1];
  }
  expect(x).toBeCloseTo(0, 4);
  expect(y).toBeCloseTo(0, 4);
});

test("puts the outermost point of each axis on the positive side", async () => {
  const { points } = await projectRows([
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

test("puts every point at the origin for equal texts, one text and no text", async () => {
  for (const rows of [
    [],
    [[1, 2]],
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  ]) {
    const { points, explained } = await projectRows(rows);
    expect([...points].every((value) => value === 0)).toBe(true);
    expect(explained).toEqual([0, 0]);
  }
});

test("projects another vector to its position in the plane", async () => {
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
  const project = (row: number[]) => {
    const query = Float32Array.from(row);
    return projectPoint(
      projection,
      dots,
      vectors.map((vector) => dot(query, vector)),
    );
  };
  // A vector of the set is projected to its own point, a new one to its true distance from the others.
  expect(project([4, 3, 7])[0]).toBeCloseTo(at(projection.points, 2)[0], 4);
  expect(project([4, 3, 7])[1]).toBeCloseTo(at(projection.points, 2)[1], 4);
  const [x, y] = project([1, 1, 7]);
  const [x0, y0] = at(projection.points, 0);
  expect(Math.hypot(x - x0, y - y0)).toBeCloseTo(Math.SQRT2, 4);
});
