/** Principal components of a set of vectors, from their table of dot products alone. */
export interface Projection {
  /** x and y of each vector, interleaved. */
  points: Float64Array;
  /** Share (0–1) of the whole spread that each axis keeps. */
  kept: [number, number];
}

/** A pause between slices of long work: resolves when the browser has had its turn. */
export type Breathe = () => Promise<void>;

const ROUNDS = 300;
const ENOUGH = 1e-10;

/** Dot products about the mean of all vectors: subtracts each row's and column's mean, adds the whole's. */
export function centred(dots: Float32Array, count: number): Float64Array {
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

/** The largest component (by magnitude, the first of equals) is positive: the same set always gives the same map. */
function fixSign(vector: Float64Array): void {
  let most = 0;
  for (const value of vector) if (Math.abs(value) > Math.abs(most) + 1e-9) most = value;
  if (most < 0) for (let at = 0; at < vector.length; at += 1) vector[at] = -(vector[at] ?? 0);
}

async function topEigenvector(
  table: Float64Array,
  count: number,
  breathe: Breathe,
): Promise<{ value: number; vector: Float64Array }> {
  let vector = new Float64Array(count);
  // A start without symmetry, the same every time.
  for (let at = 0; at < count; at += 1) vector[at] = Math.sin(at * 12.9898 + 1);
  normalise(vector);
  let value = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = multiply(table, vector);
    const length = normalise(next);
    if (length < 1e-12) return { value: 0, vector: new Float64Array(count) };
    let moved = 0;
    for (let at = 0; at < count; at += 1) moved += ((next[at] ?? 0) - (vector[at] ?? 0)) ** 2;
    vector = next;
    value = length;
    if (moved < ENOUGH) break;
    if (count > 100 && round % 8 === 7) await breathe();
  }
  fixSign(vector);
  return { value, vector };
}

/**
 * Two-dimensional PCA of `count` vectors whose dot products are `dots` (row-major). The eigenvectors of the centred
 * Gram matrix, times the roots of their eigenvalues, are the vectors' principal coordinates (classical scaling,
 * Torgerson 1952): no vector is touched, so 3,072 dimensions cost what 2 do. By power iteration with deflation.
 */
export async function projectToPlane(
  dots: Float32Array,
  count: number,
  breathe: Breathe = async () => undefined,
): Promise<Projection> {
  const points = new Float64Array(count * 2);
  const kept: [number, number] = [0, 0];
  const table = centred(dots, count);
  let spread = 0;
  for (let at = 0; at < count; at += 1) spread += table[at * count + at] ?? 0;
  if (count < 2 || spread <= 1e-12) return { points, kept };
  for (const axis of [0, 1] as const) {
    const { value, vector } = await topEigenvector(table, count, breathe);
    const scale = Math.sqrt(Math.max(0, value));
    kept[axis] = value / spread;
    for (let row = 0; row < count; row += 1) {
      points[row * 2 + axis] = (vector[row] ?? 0) * scale;
      const start = row * count;
      for (let column = 0; column < count; column += 1) {
        table[start + column] =
          (table[start + column] ?? 0) - value * (vector[row] ?? 0) * (vector[column] ?? 0);
      }
    }
  }
  return { points, kept };
}

/**
 * Where one more vector lies on the map, from its dot products with the set (`query`) and the set's own (`dots`,
 * row-major): its share along each axis, as out-of-sample classical scaling has it (Gower 1968).
 */
export function placeOnPlane(
  { points }: Projection,
  dots: Float32Array,
  query: readonly number[],
): [number, number] {
  const count = query.length;
  const place: [number, number] = [0, 0];
  for (const axis of [0, 1] as const) {
    let spread = 0;
    let sum = 0;
    for (let row = 0; row < count; row += 1) {
      const at = points[row * 2 + axis] ?? 0;
      let mean = 0;
      for (let column = 0; column < count; column += 1) mean += (dots[row * count + column] ?? 0) / count;
      sum += at * ((query[row] ?? 0) - mean);
      spread += at * at;
    }
    place[axis] = spread > 1e-12 ? sum / spread : 0;
  }
  return place;
}
