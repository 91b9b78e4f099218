import { storageUnavailable } from "./errors";

/** Longer than any transaction should take; a wait beyond it is a transaction that waits for itself. */
const LONGEST_WAIT_MS = 10_000;

/** One writer at a time, in the order of asking. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves with what ends the turn. Throws AppError `storage_unavailable` when the turn does not come. */
  take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(storageUnavailable(new Error("a write waited over 10 s for the one before it")));
      }, LONGEST_WAIT_MS);
      void before.then(() => {
        clearTimeout(timer);
        if (isLate) end();
        else resolve(end);
      });
    });
  }
}
