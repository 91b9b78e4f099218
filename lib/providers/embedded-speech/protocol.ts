import type { ErrorCode } from "../../errors";

/** A section of text for one voice: the unit of work. */
export interface SpeechChunk {
  text: string;
  /** BCP-47; null: to be detected among the languages with Latin letters. */
  language: string | null;
  /** The beginning of the whole text, from which the language is detected too. */
  context: string;
  /** Canonical voice name. */
  voice: string;
  speed: number;
  /** Silence before the words, in milliseconds at natural speed. */
  pauseMs: number;
}

/** Sent to the worker. */
export interface SpeakMessage<Chunk = SpeechChunk> {
  id: number;
  chunk: Chunk;
}

/**
 * Sent by the worker: 24 kHz s16le, or the error. `workMs`: milliseconds of work without loading the engine, if known.
 */
export type SpokenMessage =
  | { id: number; pcm: Uint8Array; workMs?: number }
  | { id: number; error: { code: ErrorCode; message: string; cause?: string } };
