import type { Breathe } from "./pca";

/** A table of `count` × `count` numbers, row by row. */
export interface Table {
  count: number;
  values: Float32Array<ArrayBuffer>;
}

export function valueAt(table: Table, row: number, column: number): number {
  return table.values[row * table.count + column] ?? 0;
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // Indexes are below the shorter length, so both are there; the compiler cannot know.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** Milliseconds of work between two breaths: half a frame. */
const SLICE_MS = 8;

/**
 * Dot products of all pairs. Works in slices of half a frame and breathes between them, so the page stays alive;
 * `onRow` tells how far it is. Stops with AbortError when `signal` is aborted.
 */
export async function dotProducts(
  vectors: readonly Float32Array[],
  options: { breathe?: Breathe; onRow?(row: number): void; now?(): number; signal?: AbortSignal } = {},
): Promise<Table> {
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
    if (options.breathe && now() - sliceStarted > SLICE_MS) {
      options.onRow?.(row + 1);
      await options.breathe();
      options.signal?.throwIfAborted();
      sliceStarted = now();
    }
  }
  return { count, values };
}

/** Cosines of all pairs from their dot products; a zero vector is near nothing (0). Held within −1…1. */
export function cosines(dots: Table): Table {
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

/** Cosine of two vectors; 0 when one is zero. */
export function cosine(one: Float32Array, other: Float32Array): number {
  const both = Math.sqrt(dot(one, one) * dot(other, other));
  return both > 0 ? Math.max(-1, Math.min(1, dot(one, other) / both)) : 0;
}

export interface Neighbour {
  index: number;
  similarity: number;
}

/** All vectors by nearness to the query, nearest first; equals stay in their order. */
export function rankByNearness(query: Float32Array, vectors: readonly Float32Array[]): Neighbour[] {
  return vectors
    .map((vector, index) => ({ index, similarity: cosine(query, vector) }))
    .sort((a, b) => b.similarity - a.similarity || a.index - b.index);
}

/** Share of all pairs at either end that a scale leaves out: one pair of twins must not pale the rest. */
const OUTLIERS = 0.002;

/** The values off the diagonal that a heat map's scale must show: all but the outliers. Null below two texts. */
export function spreadOf(table: Table): { least: number; most: number } | null {
  if (table.count < 2) return null;
  const values = new Float32Array((table.count * (table.count - 1)) / 2);
  let at = 0;
  for (let row = 0; row < table.count; row += 1) {
    for (let column = row + 1; column < table.count; column += 1) {
      values[at] = valueAt(table, row, column);
      at += 1;
    }
  }
  values.sort();
  const skipped = Math.floor(values.length * OUTLIERS);
  return { least: values[skipped] ?? 0, most: values[values.length - 1 - skipped] ?? 1 };
}

export interface Pair {
  row: number;
  column: number;
  similarity: number;
}

/** The pairs of different texts that are nearest to each other, nearest first, at most `most` of them. */
export function nearestPairs(table: Table, most: number): Pair[] {
  const best: Pair[] = [];
  for (let row = 0; row < table.count; row += 1) {
    for (let column = row + 1; column < table.count; column += 1) {
      const similarity = valueAt(table, row, column);
      const last = best[most - 1];
      if (last && similarity <= last.similarity) continue;
      let at = best.length;
      while (at > 0 && (best[at - 1]?.similarity ?? 1) < similarity) at -= 1;
      best.splice(at, 0, { row, column, similarity });
      if (best.length > most) best.pop();
    }
  }
  return best;
}

/** All other texts by nearness to one of them, nearest first; equals stay in their order. */
export function neighboursOf(table: Table, row: number): Neighbour[] {
  return Array.from({ length: table.count }, (_, index) => ({
    index,
    similarity: valueAt(table, row, index),
  }))
    .filter((one) => one.index !== row)
    .sort((a, b) => b.similarity - a.similarity || a.index - b.index);
}
