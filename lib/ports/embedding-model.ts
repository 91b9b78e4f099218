import type { CallOptions } from "./speech-model";

/** The seam every embedding engine and upstream implements. */
export interface EmbeddingRequest {
  /** The upstream's own model name. */
  model: string;
  /** At least one; token ids have been decoded to text already. */
  texts: string[];
  /** Length of the vectors asked for; absent: the model's own. */
  dimensions?: number;
  /** Gemini's taskType, for upstreams that take one. */
  taskType?: string;
  user?: string;
}

export interface EmbeddingResult {
  /** One vector per text, in order, all of one length; an upstream's are forwarded as they came, whatever their norm. */
  vectors: Float32Array[];
  /** Tokens the upstream counted for all texts together; null when it tells none. */
  inputTokens: number | null;
}

export interface EmbeddingModel {
  /** Throws AppError: `invalid`, `overloaded`, `upstream_*`. */
  embed(request: EmbeddingRequest, options: CallOptions): Promise<EmbeddingResult>;
}
