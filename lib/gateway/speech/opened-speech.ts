import type { SpeechEvent } from "../../ports/speech-model";

/** A provider's stream whose first audio has arrived. */
export interface OpenedSpeech {
  /** Cleared by `meteredSpeech`, so that it is not kept in memory. */
  first: Uint8Array;
  source: AsyncIterator<SpeechEvent>;
  isEmbedded: boolean;
  /** True for speech from the cache, which is free. */
  isCached?: boolean;
  /** Bytes of all its audio, if known in advance. */
  totalBytes?: number;
  /** Aborts the provider's signal: `return()` alone would wait for the chunk in progress. */
  halt(): void;
}
