/** Sample rate of all encoded speech, in hertz. */
export const SAMPLE_RATE = 24_000;

/** One running encoder. Calls must not overlap; `finish` ends it, `close` frees it at any time. */
export interface EncoderSession {
  /** Takes 24 kHz mono samples and returns the bytes that are ready (possibly none). */
  push(samples: Int16Array): Promise<Uint8Array>;
  /** Returns the remaining bytes. */
  finish(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Formats that need an encoder; wav and pcm hold the samples themselves. */
const ENCODED_FORMATS = ["mp3", "opus", "aac", "flac"] as const;
export type EncodedFormat = (typeof ENCODED_FORMATS)[number];

/**
 * Requests from the main thread to the worker; each gets exactly one `EncodeReply` with its id, except `close`, which
 * gets none.
 */
export type EncodeRequest =
  | { id: number; type: "open"; format: EncodedFormat }
  | { id: number; type: "push"; samples: Int16Array }
  | { id: number; type: "finish" }
  | { id: number; type: "close" };

export type EncodeReply =
  | { id: number; bytes: Uint8Array }
  | { id: number; error: string; isOutOfFiles: boolean };
