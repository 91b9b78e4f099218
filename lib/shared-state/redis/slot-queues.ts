import type { StopSignal } from "../../ports/stop-signal";

/** Interval of asking again for a slot that other instances may release. */
const POLL_MS = 50;
/** Callers of this process that may wait for a slot of one bucket; the next one is refused at once. */
const MAX_WAITING = 256;

/** The calls of one bucket that wait for a slot; they ask for one in turn. */
interface Queue {
  waiting: number;
  turn: Promise<void>;
  /** Ends the pause between two requests for a slot: a call of this process has released one. */
  wake: () => void;
}

/** Resolves after `ms`, or earlier by `queue.wake` or the signal. */
function pause(queue: Queue, ms: number, signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      queue.wake = () => undefined;
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    queue.wake = end;
  });
}

/** Calls that wait for a slot, by the slot's key. */
export class SlotQueues {
  readonly #queues = new Map<string, Queue>();

  /** Lets the first waiting call ask at once. */
  wake(key: string): void {
    this.#queues.get(key)?.wake();
  }

  /**
   * Calls `ask` repeatedly until it answers something other than null; calls of one key take turns, so that the longest
   * wait is served first. Null when `leftMs` is used up, the signal is aborted, or too many calls wait already.
   */
  async wait<T>(
    key: string,
    leftMs: () => number,
    signal: StopSignal,
    ask: () => Promise<T | null>,
  ): Promise<T | null> {
    const queue = this.#queues.get(key) ?? { waiting: 0, turn: Promise.resolve(), wake: () => undefined };
    if (queue.waiting >= MAX_WAITING) return null;
    this.#queues.set(key, queue);
    queue.waiting += 1;
    const mine = queue.turn.then(async () => {
      for (;;) {
        const left = leftMs();
        if (left <= 0 || signal.aborted) return null;
        await pause(queue, Math.min(POLL_MS, left), signal);
        if (signal.aborted) return null;
        const answer = await ask();
        if (answer !== null) return answer;
      }
    });
    queue.turn = mine.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await mine;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.#queues.delete(key);
    }
  }
}
