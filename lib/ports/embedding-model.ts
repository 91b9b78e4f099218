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
}

export interface EmbeddingModel {
  /** Throws AppError: `invalid`, `overloaded`, `upstream_*`. */
  embed(request: EmbeddingRequest, options: CallOptions): Promise<EmbeddingResult>;
}
