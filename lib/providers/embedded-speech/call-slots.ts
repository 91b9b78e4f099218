import { AppError, busyRetryMs } from "../../errors";

/**
 * Calls open at once. A waiting call costs only its request, one with a stalled reader half a second of audio
 * (held-audio.ts).
 */
const MAX_OPEN = 1000;
/** Calls waiting for their first sound: at a tenth of a second each, the work of two workers for half a minute. */
const MAX_WAITING = 512;

interface CallSlot {
  isWaiting: boolean;
  isOpen: boolean;
}

/** Admits calls while there are slots and the first sound can come in time; rejects the others at once. */
export class CallSlots {
  open = 0;
  waiting = 0;
  readonly #maxOpen: number;
  readonly #maxWaiting: number;

  constructor(maxOpen = MAX_OPEN, maxWaiting = MAX_WAITING) {
    this.#maxOpen = maxOpen;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * `queueMs`: how long the work already queued will take; `leftMs`: time until the first sound is due. Throws
   * `overloaded`.
   */
  take(queueMs: number, leftMs: number): CallSlot {
    if (this.open >= this.#maxOpen || this.waiting >= this.#maxWaiting || queueMs > leftMs) {
      throw new AppError("overloaded", "The speech engine's queue is full. Try again in a moment.", {
        retryAfterMs: busyRetryMs(queueMs),
      });
    }
    this.open++;
    this.waiting++;
    return { isWaiting: true, isOpen: true };
  }

  /** The first sound was generated. */
  sounded(slot: CallSlot): void {
    if (slot.isWaiting) this.waiting--;
    slot.isWaiting = false;
  }

  release(slot: CallSlot): void {
    this.sounded(slot);
    if (slot.isOpen) this.open--;
    slot.isOpen = false;
  }
}
