import { AppError, isAppError } from "../errors";

/**
 * What the code of a request uses of an AbortSignal. Every AbortSignal is a StopSignal; code that passes its signal on
 * to Node needs an AbortSignal.
 */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/**
 * The signal of one request and its controller in one plain object. An AbortController costs about 10 µs per request:
 * it creates event targets, maps and weak references, which the garbage collector has to trace.
 */
export class StopSource implements StopSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: (() => void)[] | null = null;

  /** Calls every listener once, in the order in which they were added; later calls do nothing. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    // A listener may remove a later one, which is then not called.
    for (let next = this.#listeners?.shift(); next !== undefined; next = this.#listeners?.shift()) next();
  }

  /** A listener that is added after the abort is never called, as with an AbortSignal. */
  addEventListener(_type: "abort", listener: () => void): void {
    if (this.aborted || this.#listeners?.includes(listener)) return;
    if (this.#listeners === null) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at !== -1) this.#listeners?.splice(at, 1);
  }
}

/**
 * The signals of running requests, to abort all of them at once. Kept in an array whose free indexes are reused: a Set
 * would keep each table that it outgrew, with its entries, until a full garbage collection (lib/DECISIONS.md).
 */
export class StopSources {
  readonly #sources: (StopSource | null)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#sources.length - this.#free.length;
  }

  /** Returns the signal's index, which `remove` needs. */
  add(source: StopSource): number {
    const index = this.#free.pop() ?? this.#sources.length;
    this.#sources[index] = source;
    return index;
  }

  /** Does nothing for a signal that was already removed: its index may be in use by another one. */
  remove(source: StopSource, index: number): void {
    if (this.#sources[index] !== source) return;
    this.#sources[index] = null;
    this.#free.push(index);
  }

  abortAll(reason: unknown): void {
    for (const source of this.#sources) source?.abort(reason);
  }
}

/**
 * Why a call's signal was aborted: the error it was aborted with (the server stops), the time limit of an
 * `AbortSignal.timeout`, else that the caller left.
 */
export function stopReason({ reason }: Pick<StopSignal, "reason">): AppError {
  if (isAppError(reason)) return reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError")
    return new AppError("upstream_timeout", "The call did not finish within its time limit.");
  return new AppError("caller_left", "The client disconnected.");
}
