import type { SpeechEvent, SpeechUsage } from "../../ports/speech-model";

export type SoundEvent = Exclude<SpeechEvent, { type: "end" }>;

/** A provider's stream whose first audio has arrived. */
export interface OpenedSpeech {
  /** Cleared by `MeteredSpeech`, so that it is not kept in memory. */
  first: SoundEvent;
  source: AsyncIterator<SpeechEvent>;
  isEmbedded: boolean;
  /** True for speech from the cache, which is free. */
  isCached?: boolean;
  /** Bytes of all its audio, if known in advance. */
  totalBytes?: number;
  /**
   * The usage of an upstream's reply that has arrived completely: the upstream charges for all of it, even if the
   * caller leaves.
   */
  completeUsage?: SpeechUsage;
  /**
   * The channel's own limit between two pieces in milliseconds; absent: none. Infinite for a built-in engine, whose
   * next piece may wait for other calls: its pool ends a piece that takes too long.
   */
  idleMs?: number | undefined;
  /** Aborts the provider's signal: `return()` alone would wait for the chunk in progress. */
  halt(): void;
}
