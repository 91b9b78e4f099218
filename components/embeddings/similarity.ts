import type { Pause } from "./pca";

/** `count` × `count` numbers in row-major order. */
export interface SquareMatrix {
  count: number;
  values: Float32Array<ArrayBuffer>;
}

export function valueAt(matrix: SquareMatrix, row: number, column: number): number {
  return matrix.values[row * matrix.count + column] ?? 0;
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // Both indexes are in range: the vectors of one model have the same length.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** Lets the browser handle input and paint between two slices of work. */
export const pause: Pause = () => new Promise((resolve) => setTimeout(resolve));

/** Milliseconds of work between two pauses: half a frame. */
const SLICE_MS = 8;

/**
 * Dot products of all pairs. Calls `pause` after every half frame of work, so that the page stays responsive;
 * `onRow` reports progress before each pause. Rejects with AbortError when `signal` is aborted.
 */
export async function dotProducts(
  vectors: readonly Float32Array[],
  options: { pause?: Pause; onRow?(row: number): void; now?(): number; signal?: AbortSignal } = {},
): Promise<SquareMatrix> {
  const now = options.now ?? (() => performance.now());
  const count = vectors.length;
  const values = new Float32Array(count * count);
  let sliceStarted = now();
  for (const [row, one] of vectors.entries()) {
    for (let column = row; column < count; column += 1) {
      const other = vectors[column];
      const value = other ? dot(one, other) : 0;
      values[row * count + column] = value;
      values[column * count + row] = value;
    }
    if (options.pause && now() - sliceStarted > SLICE_MS) {
      options.onRow?.(row + 1);
      await options.pause();
      options.signal?.throwIfAborted();
      sliceStarted = now();
    }
  }
  return { count, values };
}

/** Cosines of all pairs from their dot products, clamped to −1…1; 0 for a zero vector. */
export function cosines(dots: SquareMatrix): SquareMatrix {
  const { count } = dots;
  const lengths = Float32Array.from({ length: count }, (_, at) => Math.sqrt(valueAt(dots, at, at)));
  const values = new Float32Array(count * count);
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      const both = (lengths[row] ?? 0) * (lengths[column] ?? 0);
      const cosine = both > 0 ? valueAt(dots, row, column) / both : 0;
      values[row * count + column] = Math.max(-1, Math.min(1, cosine));
    }
  }
  return { count, values };
}

/** Cosine of two vectors; 0 when one of them is zero. */
function cosine(one: Float32Array, other: Float32Array): number {
  const both = Math.sqrt(dot(one, one) * dot(other, other));
  return both > 0 ? Math.max(-1, Math.min(1, dot(one, other) / both)) : 0;
}

export interface Neighbour {
  index: number;
  similarity: number;
}

/** All vectors ranked by similarity to the query, most similar first; ties keep their order. */
export function rankBySimilarity(query: Float32Array, vectors: readonly Float32Array[]): Neighbour[] {
  return vectors
    .map((vector, index) => ({ index, similarity: cosine(query, vector) }))
    .sort((a, b) => b.similarity - a.similarity || a.index - b.index);
}

/** Share of pairs that the scale leaves out at either end, so that a few duplicates do not wash out the colours. */
const OUTLIERS = 0.002;

/** Range of a colour scale. */
export interface Scale {
  min: number;
  max: number;
}

/** Range of the values off the diagonal, without outliers; null with fewer than two texts. */
export function scaleOf(matrix: SquareMatrix): Scale | null {
  if (matrix.count < 2) return null;
  const values = new Float32Array((matrix.count * (matrix.count - 1)) / 2);
  let at = 0;
  for (let row = 0; row < matrix.count; row += 1) {
    for (let column = row + 1; column < matrix.count; column += 1) {
      values[at] = valueAt(matrix, row, column);
      at += 1;
    }
  }
  values.sort();
  const skipped = Math.floor(values.length * OUTLIERS);
  return { min: values[skipped] ?? 0, max: values[values.length - 1 - skipped] ?? 1 };
}

export interface Pair {
  row: number;
  column: number;
  similarity: number;
}

/** The `limit` most similar pairs of texts, most similar first. */
export function nearestPairs(matrix: SquareMatrix, limit: number): Pair[] {
  const best: Pair[] = [];
  for (let row = 0; row < matrix.count; row += 1) {
    for (let column = row + 1; column < matrix.count; column += 1) {
      const similarity = valueAt(matrix, row, column);
      const last = best[limit - 1];
      if (last && similarity <= last.similarity) continue;
      let at = best.length;
      while (at > 0 && (best[at - 1]?.similarity ?? 1) < similarity) at -= 1;
      best.splice(at, 0, { row, column, similarity });
      if (best.length > limit) best.pop();
    }
  }
  return best;
}

/** All other texts ranked by similarity to one, most similar first; ties keep their order. */
export function neighboursOf(matrix: SquareMatrix, row: number): Neighbour[] {
  return Array.from({ length: matrix.count }, (_, index) => ({
    index,
    similarity: valueAt(matrix, row, index),
  }))
    .filter((one) => one.index !== row)
    .sort((a, b) => b.similarity - a.similarity || a.index - b.index);
}
