import type { AppError } from "../../errors";

/** A limit on the bytes counted under a name. */
export interface Share {
  name: string;
  maxBytes: number;
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
   * Throws the error of the first limit that `bytes` more would exceed. `ownBytes`: already counted for the same request
   * or reply. A request that is alone under a limit is never refused, even when the limit is below the size of one chunk.
   */
  check(shares: readonly Share[], bytes: number, ownBytes: number): void {
    for (const { name, maxBytes, refusal } of shares) {
      const counted = this.bytesOf(name);
      if (counted > ownBytes && counted + bytes > maxBytes) throw refusal();
    }
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
