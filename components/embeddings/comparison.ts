import { orderByLikeness } from "@/components/embeddings/order";
import { type Projection, placeOnPlane, projectToPlane } from "@/components/embeddings/pca";
import {
  cosines,
  dot,
  dotProducts,
  type Neighbour,
  nearestPairs,
  type Pair,
  rankByNearness,
  spreadOf,
  type Table,
} from "@/components/embeddings/similarity";
import type { EmbeddingsCall, EmbeddingsReply } from "@/lib/client/embeddings-call";

/** Everything the page shows of one call's vectors. */
export interface Comparison {
  call: EmbeddingsCall;
  reply: EmbeddingsReply;
  /** Dot products, for the map. */
  dots: Table;
  /** Cosines: what the matrix shows. */
  cosines: Table;
  spread: { least: number; most: number };
  pairs: Pair[];
  projection: Projection;
  /** Indexes of the texts, groups side by side. */
  alike: readonly number[];
}

/** A query's ranking, and its place on the map. */
export interface Answer {
  query: string;
  ranking: Neighbour[];
  place: [number, number];
  inputTokens: number;
  elapsedMs: number;
}

const MOST_PAIRS = 200;

const breathe = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Compares all vectors of a reply, in slices; AbortError when `signal` is aborted. */
export async function compare(
  call: EmbeddingsCall,
  reply: EmbeddingsReply,
  options: { signal: AbortSignal; onRow(row: number): void },
): Promise<Comparison> {
  const dots = await dotProducts(reply.vectors, { ...options, breathe });
  const table = cosines(dots);
  const projection = await projectToPlane(dots.values, dots.count, breathe);
  const alike = await orderByLikeness(table, breathe);
  options.signal.throwIfAborted();
  return {
    call,
    reply,
    dots,
    cosines: table,
    spread: spreadOf(table) ?? { least: 0, most: 1 },
    pairs: nearestPairs(table, MOST_PAIRS),
    projection,
    alike,
  };
}

/** Ranks the texts of a comparison by a query's vector. */
export function answerQuery(comparison: Comparison, query: string, reply: EmbeddingsReply): Answer {
  const vector = reply.vectors[0] ?? new Float32Array();
  const { vectors } = comparison.reply;
  return {
    query,
    ranking: rankByNearness(vector, vectors),
    place: placeOnPlane(
      comparison.projection,
      comparison.dots.values,
      vectors.map((one) => dot(vector, one)),
    ),
    inputTokens: reply.inputTokens,
    elapsedMs: reply.elapsedMs,
  };
}
