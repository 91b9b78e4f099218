import type { ErrorCode } from "../../errors";

/** One stretch of text for one voice: the unit of work. */
export interface SpeechChunk {
  text: string;
  /** BCP-47; null: to be detected among the languages in Latin letters. */
  language: string | null;
  /** What to detect by besides `text`: the opening of the whole text. */
  context: string;
  /** Canonical voice name. */
  voice: string;
  speed: number;
  /** Silence before the words. */
  pauseMs: number;
}

/** To the worker. */
export interface SpeakMessage {
  id: number;
  chunk: SpeechChunk;
}

/** From the worker: 24 kHz s16le, or what went wrong. */
export type SpokenMessage =
  | { id: number; pcm: Uint8Array }
  | { id: number; error: { code: ErrorCode; message: string; cause?: string } };
