import type { AppError } from "../errors";

/** Stops a piece of work once: calls its listeners, and aborts a signal that is made only when one asks for it. */
export class Stopper {
  /** Why the work was stopped; null while it may run. */
  reason: AppError | null = null;
  #controller: AbortController | null = null;
  readonly #listeners: ((reason: AppError) => void)[] = [];

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.reason !== null) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Calls `listener` when the work is stopped, at once when it was already. */
  onStop(listener: (reason: AppError) => void): void {
    if (this.reason !== null) listener(this.reason);
    else this.#listeners.push(listener);
  }

  stop(reason: AppError): void {
    if (this.reason !== null) return;
    this.reason = reason;
    for (const listener of this.#listeners) listener(reason);
    this.#controller?.abort(reason);
  }
}
