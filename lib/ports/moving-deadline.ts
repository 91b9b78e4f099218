import type { Clock } from "./clock";

/** setTimeout fires at once for a longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A deadline that moves with every byte, on one timer: moving it to a later time needs no new timer, because the
 * running timer reads the current deadline when it fires, and starts again for the rest.
 */
export class MovingDeadline {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #onExpired: () => void;
  /** Monotonic milliseconds: the deadline, and when the timer fires; infinite without one. */
  #by = Number.POSITIVE_INFINITY;
  #timerAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Pick<Clock, "monotonic">, onExpired: () => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
  }

  /** `by` in monotonic milliseconds; `now` is the same clock's time. */
  set(by: number, now: number): void {
    this.#by = by;
    if (by < this.#timerAt) this.#start(now);
  }

  /** Removes the deadline until the next `set`; keeps the timer. */
  pause(): void {
    this.#by = Number.POSITIVE_INFINITY;
  }

  /** Removes the deadline and the timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#by = Number.POSITIVE_INFINITY;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #start(now: number): void {
    clearTimeout(this.#timer);
    const ms = Math.min(MAX_TIMER_MS, Math.max(0, this.#by - now));
    this.#timerAt = now + ms;
    this.#timer = setTimeout(this.#onTimer, ms);
  }

  readonly #onTimer = (): void => {
    const firedAt = this.#timerAt;
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#by === Number.POSITIVE_INFINITY) return;
    if (this.#by > firedAt) this.#start(Math.max(firedAt, this.#clock.monotonic()));
    else this.#onExpired();
  };
}
