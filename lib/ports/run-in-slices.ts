import { AppError, isAppError } from "../errors";
import type { StopSignal } from "./stop-signal";

/**
 * Time after which a slice ends with its current step, in milliseconds. A small request takes four turns of the event
 * loop, and beside a large request it waits for one slice in each of them.
 */
const SLICE_MS = 1;

/** Yields to the event loop before the next step of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Runs work that is divided into steps of about a millisecond in slices of `SLICE_MS`, and lets other requests run
 * between the slices. Work of a single slice runs without a pause. Throws the signal's reason, or `caller_left`, when
 * `signal` aborts.
 */
export async function runInSlices<T>(steps: Generator<unknown, T, void>, signal: StopSignal): Promise<T> {
  let began = performance.now();
  for (;;) {
    if (signal.aborted) {
      // Runs the generator's `finally`; its result is not used.
      steps.return?.(undefined as T);
      throw isAppError(signal.reason)
        ? signal.reason
        : new AppError("caller_left", "The client disconnected.");
    }
    let step = steps.next();
    while (!step.done && performance.now() - began < SLICE_MS) step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
    began = performance.now();
  }
}

/** Runs work that is divided into steps without a pause. */
export function runAtOnce<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
