/**
 * The second level of the caches of vectors and speech, which all instances share. Each scope is bounded in bytes, each value
 * in time. No method fails.
 */
export interface SharedCache {
  /** Raised when the caches are cleared. */
  readonly generation: number;
  /**
   * The values of these keys, in their order; undefined where there is none. Null for too many keys, and without an answer
   * within a few milliseconds.
   */
  find(scope: string, keys: readonly string[]): Promise<(Uint8Array | undefined)[] | null>;
  /**
   * Stores values, encrypted, after this turn of the event loop. Left out are too large or too many ones, and those of calls
   * that began in another generation.
   */
  keep(scope: string, entries: readonly { key: string; value: Uint8Array }[], generation?: number): void;
  /** Makes all values unreachable that were kept under another generation. */
  setGeneration(generation: number): void;
}

/** Largest value: 21 seconds of speech. */
export const MAX_SHARED_VALUE_BYTES = 1024 * 1024;
