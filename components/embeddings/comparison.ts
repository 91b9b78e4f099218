import type { EmbeddingsCall, EmbeddingsReply } from "@/lib/client/embeddings-call";
import { type Clustering, clusterBySimilarity } from "./cluster-by-similarity";
import { type Projection, projectPoint, projectToPlane } from "./pca";
import {
  cosines,
  dot,
  dotProducts,
  type Neighbour,
  nearestPairs,
  type Pair,
  pause,
  rankBySimilarity,
  type Scale,
  type SquareMatrix,
  scaleOf,
} from "./similarity";

/** Everything the page shows about the vectors of one call. */
export interface Comparison {
  call: EmbeddingsCall;
  reply: EmbeddingsReply;
  /** Dot products of all pairs; input of the map's projection. */
  dots: SquareMatrix;
  /** Cosines of all pairs; shown in the matrix. */
  cosines: SquareMatrix;
  /** Range of the colour scale. */
  scale: Scale;
  pairs: Pair[];
  projection: Projection;
  clustering: Clustering;
}

/** Texts ranked by similarity to a query, and the query's position on the map. */
export interface QueryResult {
  query: string;
  /** The query was embedded as a query and the texts as documents. */
  hasTasks: boolean;
  ranking: Neighbour[];
  point: [number, number];
  inputTokens: number;
  elapsedMs: number;
}

const MAX_PAIRS = 200;

/** Compares all vectors of a reply in slices; rejects with AbortError when `signal` is aborted. */
export async function compare(
  call: EmbeddingsCall,
  reply: EmbeddingsReply,
  options: { signal: AbortSignal; onRow(row: number): void },
): Promise<Comparison> {
  const dots = await dotProducts(reply.vectors, { ...options, pause });
  const similarities = cosines(dots);
  const projection = await projectToPlane(dots.values, dots.count, pause);
  const clustering = await clusterBySimilarity(similarities, pause);
  options.signal.throwIfAborted();
  return {
    call,
    reply,
    dots,
    cosines: similarities,
    scale: scaleOf(similarities) ?? { min: 0, max: 1 },
    pairs: nearestPairs(similarities, MAX_PAIRS),
    projection,
    clustering,
  };
}

/** Ranks the texts of a comparison by similarity to the query's vector. `documents`: the vectors of these texts. */
export function rankByQuery(
  comparison: Comparison,
  documents: readonly Float32Array[],
  { query, reply, hasTasks }: { query: string; reply: EmbeddingsReply; hasTasks: boolean },
): QueryResult {
  const vector = reply.vectors[0] ?? new Float32Array();
  return {
    query,
    hasTasks,
    ranking: rankBySimilarity(vector, documents),
    point: projectPoint(
      comparison.projection,
      comparison.dots.values,
      comparison.reply.vectors.map((one) => dot(vector, one)),
    ),
    inputTokens: reply.inputTokens,
    elapsedMs: reply.elapsedMs,
  };
}
