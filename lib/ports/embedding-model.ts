import type { CallOptions } from "./speech-model";

/** The port that every embedding engine and upstream implements. */
export interface EmbeddingRequest {
  /** The upstream's own model name. */
  model: string;
  /** At least one text; token IDs are already decoded. */
  texts: string[];
  /** Requested length of the vectors; absent: the model's own. */
  dimensions?: number;
  /** Gemini's taskType, for upstreams that take one. */
  taskType?: string;
  user?: string;
}

export interface EmbeddingResult {
  /** One vector per text, in order, all of one length; an upstream's vectors are not normalised. */
  vectors: Float32Array[];
  /** Tokens that the upstream counted for all texts together; null when it reports none. */
  inputTokens: number | null;
  /** The base64 text of a single vector as its upstream sent it, to be forwarded; absent where it has to be made. */
  base64?: Uint8Array;
  /** What the caller should know of these vectors, one line of ASCII, sent as `x-patchbay-notice`; absent: nothing. */
  notice?: string;
}

/** Counts the tokens of a text as one model does. */
export interface TokenCounter {
  /** At least 1. Steps take about a millisecond; may stop above `limit` and return some number above it. */
  countInSteps(text: string, limit?: number): Generator<void, number, void>;
}

/** True when every number is finite: one NaN or infinite number makes the sum so, and floats cannot overflow a double. */
export function isFiniteVector(vector: Float32Array): boolean {
  // Four sums, because each addition waits for the one before it.
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = vector.length & ~3;
  for (let at = 0; at < whole; at += 4) {
    a += vector[at] ?? 0;
    b += vector[at + 1] ?? 0;
    c += vector[at + 2] ?? 0;
    d += vector[at + 3] ?? 0;
  }
  for (let at = whole; at < vector.length; at++) a += vector[at] ?? 0;
  return Number.isFinite(a + b + c + d);
}

export interface EmbeddingModel {
  /** A built-in engine's own vocabulary; absent: tokens are counted as cl100k_base. */
  tokens?: TokenCounter;
  /** Throws AppError: `invalid`, `overloaded`, `upstream_*`. */
  embed(request: EmbeddingRequest, options: CallOptions): Promise<EmbeddingResult>;
}
