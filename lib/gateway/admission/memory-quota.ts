import type { AppError } from "../../errors";

/** A limit on the bytes counted under a name. */
export interface ByteLimit {
  name: string;
  maxBytes: number;
}

/** A limit with the error of a request that would exceed it. */
export interface EnforcedByteLimit extends ByteLimit {
  refusal(): AppError;
}

/** The limit of one owner: half of `totalBytes`, so that no owner blocks all others. */
export function ownerShareBytes(totalBytes: number): number {
  return Math.floor(totalBytes / 2);
}

/** Counts bytes in memory under the names of several limits at once. */
export class MemoryQuota {
  readonly #bytes = new Map<string, number>();

  bytesOf(name: string): number {
    return this.#bytes.get(name) ?? 0;
  }

  /**
   * The first limit that `bytes` more would exceed. `ownBytes`: already counted for the same request or reply. A request
   * that is alone under a limit never exceeds it, even when the limit is below the size of one chunk.
   */
  exceeded<B extends ByteLimit>(limits: readonly B[], bytes: number, ownBytes: number): B | undefined {
    return limits.find(({ name, maxBytes }) => {
      const counted = this.bytesOf(name);
      return counted > ownBytes && counted + bytes > maxBytes;
    });
  }

  /** Throws the error of the first limit that `bytes` more would exceed. */
  check(limits: readonly EnforcedByteLimit[], bytes: number, ownBytes: number): void {
    const full = this.exceeded(limits, bytes, ownBytes);
    if (full !== undefined) throw full.refusal();
  }

  /** Adds `change` bytes, negative to release, under each name. */
  add(names: readonly string[], change: number): void {
    for (const name of names) {
      const bytes = this.bytesOf(name) + change;
      if (bytes > 0) this.#bytes.set(name, bytes);
      else this.#bytes.delete(name);
    }
  }
}
