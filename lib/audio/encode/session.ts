/** Hertz of all speech that is encoded. */
export const SAMPLE_RATE = 24_000;

/** One running encoder. Calls come one after another; `finish` ends it, `close` frees it at any moment. */
export interface EncoderSession {
  /** Takes 24 kHz mono samples, gives the bytes that are ready (perhaps none). */
  push(samples: Int16Array): Promise<Uint8Array>;
  /** The bytes that were still inside. */
  finish(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Formats that need an encoder; wav and pcm are the samples themselves. */
export const ENCODED_FORMATS = ["mp3", "opus", "aac", "flac"] as const;
export type EncodedFormat = (typeof ENCODED_FORMATS)[number];

/** What the main thread asks of the worker; each gets exactly one `EncodeReply` with its id, but `close` gets none. */
export type EncodeRequest =
  | { id: number; type: "open"; format: EncodedFormat }
  | { id: number; type: "push"; samples: Int16Array }
  | { id: number; type: "finish" }
  | { id: number; type: "close" };

export type EncodeReply =
  | { id: number; bytes: Uint8Array }
  | { id: number; error: string; isOutOfFiles: boolean };
