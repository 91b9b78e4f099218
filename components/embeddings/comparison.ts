import type { EmbeddingsCall, EmbeddingsReply } from "@/lib/client/embeddings-call";
import { orderBySimilarity } from "./order-by-similarity";
import { type Projection, projectPoint, projectToPlane } from "./pca";
import {
  cosines,
  dot,
  dotProducts,
  type Neighbour,
  nearestPairs,
  type Pair,
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
  /** Indexes of the texts, ordered so that similar texts are adjacent. */
  groupedOrder: readonly number[];
}

/** Texts ranked by similarity to a query, and the query's position on the map. */
export interface QueryResult {
  query: string;
  ranking: Neighbour[];
  point: [number, number];
  inputTokens: number;
  elapsedMs: number;
}

const MAX_PAIRS = 200;

/** Lets the browser handle input and paint between two slices of work. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Compares all vectors of a reply in slices; rejects with AbortError when `signal` is aborted. */
export async function compare(
  call: EmbeddingsCall,
  reply: EmbeddingsReply,
  options: { signal: AbortSignal; onRow(row: number): void },
): Promise<Comparison> {
  const dots = await dotProducts(reply.vectors, { ...options, pause });
  const similarities = cosines(dots);
  const projection = await projectToPlane(dots.values, dots.count, pause);
  const groupedOrder = await orderBySimilarity(similarities, pause);
  options.signal.throwIfAborted();
  return {
    call,
    reply,
    dots,
    cosines: similarities,
    scale: scaleOf(similarities) ?? { min: 0, max: 1 },
    pairs: nearestPairs(similarities, MAX_PAIRS),
    projection,
    groupedOrder,
  };
}

/** Ranks the texts of a comparison by similarity to a query's vector. */
export function rankByQuery(comparison: Comparison, query: string, reply: EmbeddingsReply): QueryResult {
  const vector = reply.vectors[0] ?? new Float32Array();
  const { vectors } = comparison.reply;
  return {
    query,
    ranking: rankBySimilarity(vector, vectors),
    point: projectPoint(
      comparison.projection,
      comparison.dots.values,
      vectors.map((one) => dot(vector, one)),
    ),
    inputTokens: reply.inputTokens,
    elapsedMs: reply.elapsedMs,
  };
}
