import { storageUnavailable } from "./errors";

/** Longer than any transaction should take; a longer turn is probably a transaction that waits for its own turn. */
const MAX_TURN_MS = 10_000;

interface Waiting {
  isFirst: boolean;
  begin(): void;
}

/** One writer at a time, first come, first served; ledger commits go before all others that wait. */
export class WriteQueue {
  readonly #waiting: Waiting[] = [];
  #isTaken = false;
  #since = 0;

  /**
   * Resolves with the function that ends the turn. Waits as long as the queue moves: rejects with AppError
   * `storage_unavailable` only when the current turn has not ended for ten seconds. A turn with `isFirst` goes before
   * other waiting turns; the caller may wait for one such turn at a time, so that the others get every second turn.
   */
  take(isFirst = false): Promise<() => void> {
    if (!this.#isTaken) return Promise.resolve(this.#begin());
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const waiting: Waiting = {
        isFirst,
        begin: () => {
          clearTimeout(timer);
          resolve(this.#begin());
        },
      };
      const look = (): void => {
        if (!this.#waiting.includes(waiting)) return;
        const leftMs = this.#since + MAX_TURN_MS - performance.now();
        if (leftMs > 0) {
          watch(leftMs);
          return;
        }
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(storageUnavailable(new Error("the write before it has not ended for 10 s")));
      };
      // One more turn of the event loop: after a stall the end of the turn may be waiting to be read.
      const watch = (ms: number): void => {
        timer = setTimeout(() => setImmediate(look), ms);
      };
      watch(MAX_TURN_MS);
      const firsts = this.#waiting.filter((one) => one.isFirst).length;
      this.#waiting.splice(isFirst ? firsts : this.#waiting.length, 0, waiting);
    });
  }

  #begin(): () => void {
    this.#isTaken = true;
    this.#since = performance.now();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#isTaken = false;
      this.#waiting.shift()?.begin();
    };
  }
}
