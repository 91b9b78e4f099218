import { AppError, busyRetryMs } from "../../errors";
import { callsOfOwner } from "../engine-pool/turns";

/**
 * Most calls open at once. A waiting call holds only its request; a call with a stalled reader holds half a second of
 * audio (held-audio.ts).
 */
const MAX_OPEN = 1000;
/**
 * Most calls that wait for their first sound. One user may have 513 of them: at a tenth of a second each, two workers
 * need half a minute for them.
 */
const MAX_WAITING = 684;

/** Numbers of calls in progress, and of those that still wait for their first sound. */
interface Calls {
  open: number;
  waiting: number;
}

interface CallSlot {
  /** The counters that include the call: that of all calls and that of its owner. */
  among: readonly Calls[];
  isWaiting: boolean;
  isOpen: boolean;
}

/**
 * Admits calls while there are slots and the first sound can come in time; rejects the others at once. One owner has at
 * most three quarters of the slots.
 */
export class CallSlots {
  readonly #all: Calls = { open: 0, waiting: 0 };
  /** Entries are never removed: there are as many as users. */
  readonly #byOwner = new Map<string, Calls>();
  readonly #max: Calls;
  readonly #maxOfOwner: Calls;

  constructor(maxOpen = MAX_OPEN, maxWaiting = MAX_WAITING) {
    this.#max = { open: maxOpen, waiting: maxWaiting };
    this.#maxOfOwner = { open: callsOfOwner(maxOpen), waiting: callsOfOwner(maxWaiting) };
  }

  get open(): number {
    return this.#all.open;
  }

  /**
   * `queueMs`: milliseconds that the work before this owner's next chunk takes; `leftMs`: milliseconds until the first
   * sound is due. Throws `overloaded`.
   */
  take(owner: string, queueMs: number, leftMs: number): CallSlot {
    const own = this.#byOwner.get(owner) ?? { open: 0, waiting: 0 };
    if (isFull(this.#all, this.#max) || isFull(own, this.#maxOfOwner) || queueMs > leftMs) {
      throw new AppError("overloaded", "The speech engine's queue is full. Try again in a moment.", {
        retryAfterMs: busyRetryMs(queueMs),
      });
    }
    this.#byOwner.set(owner, own);
    const among = [this.#all, own];
    for (const calls of among) {
      calls.open++;
      calls.waiting++;
    }
    return { among, isWaiting: true, isOpen: true };
  }

  /** Counts the call as no longer waiting, once its first sound was generated. */
  sounded(slot: CallSlot): void {
    if (slot.isWaiting) for (const calls of slot.among) calls.waiting--;
    slot.isWaiting = false;
  }

  release(slot: CallSlot): void {
    this.sounded(slot);
    if (slot.isOpen) for (const calls of slot.among) calls.open--;
    slot.isOpen = false;
  }
}

const isFull = (calls: Calls, max: Calls): boolean => calls.open >= max.open || calls.waiting >= max.waiting;
