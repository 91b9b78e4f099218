/** The seam to the audio codecs: speech in, a file or stream of one format out, piece by piece. */

export type AudioFormat = "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm";

export interface AudioEncoder {
  /**
   * Encodes 24 kHz mono s16le as it comes; the first bytes are out before 300 ms of audio are in (aac, flac: 400 ms).
   * Lazy, and bounded: `pcm` is pulled no faster than the result is read. Leaving the loop early calls `pcm`'s `return()`;
   * an error of `pcm` is thrown on as it is. Throws AppError `overloaded` when too many encoders run.
   */
  encode(format: AudioFormat, pcm: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Ends the worker thread; running encoders fail. */
  close(): Promise<void>;
}
