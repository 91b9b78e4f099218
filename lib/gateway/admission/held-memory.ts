import type { AppError } from "../../errors";

/** A limit on the bytes that are counted under a name. */
export interface Share {
  name: string;
  mostBytes: number;
  refusal(): AppError;
}

/** The most that one owner may hold of `totalBytes`: half, so that no owner shuts out all others. */
export function ownerShareBytes(totalBytes: number): number {
  return Math.floor(totalBytes / 2);
}

/** Bytes in memory, counted under the name of everything that bounds them. */
export class HeldMemory {
  readonly #bytes = new Map<string, number>();

  bytesOf(name: string): number {
    return this.#bytes.get(name) ?? 0;
  }

  /**
   * Throws the refusal of the first share that `bytes` more would exceed. `ownBytes` are those of the asker already
   * counted: one who shares with nobody is never refused, so that a limit below one piece's size does not shut it out.
   */
  check(shares: readonly Share[], bytes: number, ownBytes: number): void {
    for (const { name, mostBytes, refusal } of shares) {
      const held = this.bytesOf(name);
      if (held > ownBytes && held + bytes > mostBytes) throw refusal();
    }
  }

  /** Counts `change` bytes, less than 0 to give back, under each name. */
  add(names: readonly string[], change: number): void {
    for (const name of names) {
      const bytes = this.bytesOf(name) + change;
      if (bytes > 0) this.#bytes.set(name, bytes);
      else this.#bytes.delete(name);
    }
  }
}
