import { UMAP } from "umap-js";
import { type Neighbour, neighboursOf, type SquareMatrix } from "./similarity";

const MAX_NEIGHBOURS = 15;
/** Half the side of the box that the initial layout fills, as in UMAP's reference implementation. */
const INITIAL_EXTENT = 10;

export interface UmapInput {
  cosines: SquareMatrix;
  /** The initial layout: x and y of each text on the PCA map, interleaved. */
  start: Float64Array;
}

/** Numbers from 0 to 1 (mulberry32), the same in each run, so that the same texts always have the same map. */
function createRandom(): () => number {
  let state = 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Positions of the texts by UMAP (McInnes, Healy and Melville 2018) with the distance 1 − cosine, x and y interleaved.
 * Takes seconds for hundreds of texts: call it only in a worker. `onEpoch` reports progress.
 */
export function layOutByUmap(
  { cosines, start }: UmapInput,
  onEpoch: (done: number, count: number) => void = () => undefined,
): Float64Array<ArrayBuffer> {
  const { count } = cosines;
  // With few texts, a neighbourhood that holds all of them would show no structure.
  const nNeighbors = Math.max(3, Math.min(MAX_NEIGHBOURS, Math.round(Math.sqrt(count)) + 1));
  const umap = new UMAP({ nNeighbors, random: createRandom() });
  const nearest = Array.from({ length: count }, (_, row): Neighbour[] => [
    { index: row, similarity: 1 },
    ...neighboursOf(cosines, row).slice(0, nNeighbors - 1),
  ]);
  umap.setPrecomputedKNN(
    nearest.map((row) => row.map((one) => one.index)),
    nearest.map((row) => row.map((one) => Math.max(0, 1 - one.similarity))),
  );
  // UMAP does not read the vectors when their neighbours are precomputed: placeholders are enough.
  const epochs = umap.initializeFit(nearest.map((_, at) => [at]));
  placeAt(umap.getEmbedding(), start);
  for (let epoch = 1; epoch <= epochs; epoch += 1) {
    umap.step();
    onEpoch(epoch, epochs);
  }
  return Float64Array.from(umap.getEmbedding().flat());
}

/** Replaces UMAP's random initial layout, in place, by the PCA map, which preserves large distances. */
function placeAt(embedding: number[][], start: Float64Array): void {
  const extent = start.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  if (extent === 0) return;
  for (const [at, point] of embedding.entries()) {
    point[0] = ((start[at * 2] ?? 0) / extent) * INITIAL_EXTENT;
    point[1] = ((start[at * 2 + 1] ?? 0) / extent) * INITIAL_EXTENT;
  }
}
