import type { SpeechEvent } from "../../ports/speech-model";

/** A provider's stream whose first audio has arrived. */
export interface OpenedSpeech {
  /** Removed by `meteredSpeech` once it is passed on. */
  first: Uint8Array;
  source: AsyncIterator<SpeechEvent>;
  isEmbedded: boolean;
  /** From the cache: it costs nothing. */
  isCached?: boolean;
  /** Of all its audio, where that is known before it is read. */
  totalBytes?: number;
  /** Aborts the signal the provider works under: `return()` alone would wait for the chunk in progress. */
  halt(): void;
}
