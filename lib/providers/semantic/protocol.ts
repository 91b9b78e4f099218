import type { ErrorCode } from "../../errors";

/** Dimensions of the model's vectors. */
export const DIMENSIONS = 512;
/** Tokens of a sequence that the model's graph reads; it ignores the rest (its node `ClipToMaxLength`). */
export const MAX_SEGMENT_TOKENS = 128;

export interface SemanticWorkerData {
  /** Folder of model.json and its weights. */
  modelFolder: string;
}

/** At most MAX_SEGMENT_TOKENS tokens: a text, or one part of a longer text. */
export interface Segment {
  ids: readonly number[];
  /** The beginning of the text, for language detection; null in its later segments. */
  opening: string | null;
}

/** Sent to the worker. */
export interface EmbedMessage {
  id: number;
  segments: readonly Segment[];
}

/** Sent by the worker. */
export type EmbeddedMessage =
  | {
      id: number;
      /** One vector after the other. */
      vectors: Float32Array;
      /** Positions of the segments whose opening is in another language. */
      notEnglish: number[];
    }
  | { id: number; error: { code: ErrorCode; message: string; cause: string } };
