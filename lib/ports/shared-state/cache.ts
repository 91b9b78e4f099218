/**
 * The second level of the caches of vectors and speech, which all instances share. Each scope is limited in bytes, each
 * value in time. No method throws.
 */
export interface SharedCache {
  /** Increases when the caches are cleared. */
  readonly generation: number;
  /**
   * The values of these keys, in their order; undefined where there is none. Null for too many keys, or when the
   * shared cache does not answer within a few milliseconds.
   */
  find(scope: string, keys: readonly string[]): Promise<(Uint8Array | undefined)[] | null>;
  /**
   * Stores values, encrypted, after this turn of the event loop. Skips values that are too large or too many, and
   * values of calls that began in another generation.
   */
  keep(scope: string, entries: readonly { key: string; value: Uint8Array }[], generation?: number): void;
  /** Sets the generation: values stored in another generation are no longer found. */
  setGeneration(generation: number): void;
}

/** Largest value: 21 seconds of speech. */
export const MAX_SHARED_VALUE_BYTES = 1024 * 1024;
