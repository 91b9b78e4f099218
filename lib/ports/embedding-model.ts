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
  /** One vector per text, in order, all of one length; finite; an upstream's are normalised if shortened. */
  vectors: Float32Array[];
  /** Tokens that the upstream counted for all texts together; null when it reports none. */
  inputTokens: number | null;
  /** The base64 text of a single vector as its upstream sent it, to be forwarded; absent: the gateway encodes it. */
  base64?: Uint8Array;
  /**
   * A notice to the caller about the vectors of some texts, sent as `x-patchbay-notice`. `texts`: their indexes in
   * `EmbeddingRequest.texts`. `text` returns one line of ASCII; its arguments are the indexes of the same texts in the
   * caller's request, and the number of inputs in that request. Absent: no notice.
   */
  notice?: { texts: readonly number[]; text(inputs: readonly number[], of: number): string };
}

/** Counts the tokens of a text as one model does. */
export interface TokenCounter {
  /** Returns at least 1. Steps take about a millisecond. May stop above `limit` and return any number above it. */
  countInSteps(text: string, limit?: number): Generator<void, number, void>;
}

/** The exponent bits of a float32; all ones only in NaN and ±Infinity (IEEE 754). */
const EXPONENT = 0x7f800000;
/** Added to an exponent of all ones, it carries into the sign bit. */
const LOWEST_EXPONENT_BIT = 0x00800000;

/** True when every number is finite. Tests the bits: adding up the numbers would allocate each of them on the heap. */
export function isFiniteVector(vector: Float32Array): boolean {
  const words = new Int32Array(vector.buffer, vector.byteOffset, vector.length);
  let carries = 0;
  for (let at = 0; at < words.length; at += 1) carries |= ((words[at] ?? 0) & EXPONENT) + LOWEST_EXPONENT_BIT;
  return carries >= 0;
}

export interface EmbeddingModel {
  /** A built-in engine's own vocabulary; absent: tokens are counted as cl100k_base. */
  tokens?: TokenCounter;
  /** Throws AppError: `invalid`, `overloaded`, `upstream_*`. */
  embed(request: EmbeddingRequest, options: CallOptions): Promise<EmbeddingResult>;
}
