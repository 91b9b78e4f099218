/** The port of the audio codecs: takes speech, returns a file or stream of one format in chunks. */

// Defined in contracts, because the playground shows them. lib/audio may import ports only.
export { BITRATES_KBPS } from "../contracts/gateway/audio-bitrates";

export type AudioFormat = "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm";

export interface AudioEncoder {
  /**
   * Encodes 24 kHz mono s16le as it arrives; the first bytes come before 300 ms of audio were read (aac, flac: 400 ms).
   * Lazy and bounded: reads `pcm` no faster than the result is read. Leaving the loop early calls `pcm`'s `return()`;
   * an error of `pcm` is rethrown unchanged. Throws AppError `overloaded` when too many encoders run.
   */
  encode(format: AudioFormat, pcm: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Ends the worker thread; running encoders fail. */
  close(): Promise<void>;
}
