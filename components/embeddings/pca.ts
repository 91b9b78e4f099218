/** Positions on the first two principal components. */
export interface Projection {
  /** x and y of each vector, interleaved. */
  points: Float64Array;
  /** Share (0–1) of the total variance that each axis explains. */
  explained: [number, number];
}

/** Yields to the browser between slices of long work, so that it can handle input and paint. */
export type Pause = () => Promise<void>;

const MAX_ITERATIONS = 300;
/** Squared change of the vector below which the iteration has converged. */
const TOLERANCE = 1e-10;

/** Dot products relative to the mean vector (double centring): subtracts row and column means, adds the grand mean. */
function doubleCentre(dots: Float32Array, count: number): Float64Array {
  const means = new Float64Array(count);
  let whole = 0;
  for (let row = 0; row < count; row += 1) {
    let sum = 0;
    for (let column = 0; column < count; column += 1) sum += dots[row * count + column] ?? 0;
    means[row] = sum / count;
    whole += sum / count / count;
  }
  const table = new Float64Array(count * count);
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      const at = row * count + column;
      table[at] = (dots[at] ?? 0) - (means[row] ?? 0) - (means[column] ?? 0) + whole;
    }
  }
  return table;
}

function multiply(table: Float64Array, vector: Float64Array): Float64Array<ArrayBuffer> {
  const count = vector.length;
  const product = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    let sum = 0;
    const start = row * count;
    for (let column = 0; column < count; column += 1) {
      sum += (table[start + column] ?? 0) * (vector[column] ?? 0);
    }
    product[row] = sum;
  }
  return product;
}

/** Scales to unit length in place; returns the length it had. */
function normalise(vector: Float64Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  if (length > 0) for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) / length;
  return length;
}

/** Makes the component of largest magnitude (the first of equals) positive, so that a set always gives the same map. */
function fixSign(vector: Float64Array): void {
  let largest = 0;
  for (const value of vector) if (Math.abs(value) > Math.abs(largest) + 1e-9) largest = value;
  if (largest < 0) for (let at = 0; at < vector.length; at += 1) vector[at] = -(vector[at] ?? 0);
}

async function topEigenvector(
  table: Float64Array,
  count: number,
  pause: Pause,
): Promise<{ value: number; vector: Float64Array }> {
  let vector = new Float64Array(count);
  // Starts from a deterministic vector without symmetry.
  for (let at = 0; at < count; at += 1) vector[at] = Math.sin(at * 12.9898 + 1);
  normalise(vector);
  let value = 0;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration += 1) {
    const next = multiply(table, vector);
    const length = normalise(next);
    if (length < 1e-12) return { value: 0, vector: new Float64Array(count) };
    let change = 0;
    for (let at = 0; at < count; at += 1) change += ((next[at] ?? 0) - (vector[at] ?? 0)) ** 2;
    vector = next;
    value = length;
    if (change < TOLERANCE) break;
    if (count > 100 && iteration % 8 === 7) await pause();
  }
  fixSign(vector);
  return { value, vector };
}

/**
 * Two-dimensional PCA of `count` vectors whose dot products are `dots` (row-major). The eigenvectors of the centred
 * Gram matrix, times the roots of their eigenvalues, are the vectors' principal coordinates (classical scaling,
 * Torgerson 1952): the cost does not depend on the number of dimensions. Uses power iteration with deflation.
 */
export async function projectToPlane(
  dots: Float32Array,
  count: number,
  pause: Pause = async () => undefined,
): Promise<Projection> {
  const points = new Float64Array(count * 2);
  const explained: [number, number] = [0, 0];
  const table = doubleCentre(dots, count);
  let variance = 0;
  for (let at = 0; at < count; at += 1) variance += table[at * count + at] ?? 0;
  if (count < 2 || variance <= 1e-12) return { points, explained };
  for (const axis of [0, 1] as const) {
    const { value, vector } = await topEigenvector(table, count, pause);
    const scale = Math.sqrt(Math.max(0, value));
    explained[axis] = value / variance;
    for (let row = 0; row < count; row += 1) {
      points[row * 2 + axis] = (vector[row] ?? 0) * scale;
      const start = row * count;
      for (let column = 0; column < count; column += 1) {
        table[start + column] =
          (table[start + column] ?? 0) - value * (vector[row] ?? 0) * (vector[column] ?? 0);
      }
    }
  }
  return { points, explained };
}

/**
 * Position of one more vector on the map by the out-of-sample formula of classical scaling (Gower 1968). `query`: its
 * dot products with the vectors of the map; `dots`: the dot products of these vectors with each other, row-major.
 */
export function projectPoint(
  { points }: Projection,
  dots: Float32Array,
  query: readonly number[],
): [number, number] {
  const count = query.length;
  const point: [number, number] = [0, 0];
  for (const axis of [0, 1] as const) {
    let variance = 0;
    let sum = 0;
    for (let row = 0; row < count; row += 1) {
      const at = points[row * 2 + axis] ?? 0;
      let mean = 0;
      for (let column = 0; column < count; column += 1) mean += (dots[row * count + column] ?? 0) / count;
      sum += at * ((query[row] ?? 0) - mean);
      variance += at * at;
    }
    point[axis] = variance > 1e-12 ? sum / variance : 0;
  }
  return point;
}
