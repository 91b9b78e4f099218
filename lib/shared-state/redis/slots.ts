import type { EntryResult } from "../../ports/shared-state";
import type { StopSignal } from "../../ports/stop-signal";
import { RENEW } from "./limit-scripts";
import type { RedisLink } from "./link";

/** Interval at which the first waiting call asks Redis for a slot, which another instance may have released. */
const POLL_MS = 50;
/** Callers of this process that may wait for a slot of one bucket; the next one is refused at once. */
const MAX_WAITING = 256;

/** The calls of one bucket that wait for a slot; they ask for one in turn. */
interface Queue {
  waiting: number;
  /** Resolves at the end of the last turn: true when it ended with an answer, so that more slots may be free. */
  turn: Promise<boolean>;
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
    const queue = this.#queues.get(key) ?? {
      waiting: 0,
      turn: Promise.resolve(false),
      wake: () => undefined,
    };
    if (queue.waiting >= MAX_WAITING) return null;
    this.#queues.set(key, queue);
    queue.waiting += 1;
    const mine = queue.turn.then(async (mayBeFree) => {
      for (let asksAtOnce = mayBeFree; ; asksAtOnce = false) {
        const left = leftMs();
        if (left <= 0 || signal.aborted) return null;
        if (!asksAtOnce) await pause(queue, Math.min(POLL_MS, left), signal);
        if (signal.aborted) return null;
        const answer = await ask();
        if (answer !== null) return answer;
      }
    });
    queue.turn = mine.then(
      (answer) => answer !== null,
      () => false,
    );
    try {
      return await mine;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.#queues.delete(key);
    }
  }
}

const RENEWALS_PER_LEASE = 4;
const MAX_MEMBERS_PER_RENEWAL = 500;

/** Renews the leases of this process's slots in Redis. A slot whose lease is not renewed is free after `leaseMs`. */
export class SlotLeases {
  /** Calls with a slot, by the key of the slot. */
  readonly #held = new Map<string, Set<string>>();
  readonly #timer: NodeJS.Timeout;

  /** `onRelease` is called with the key of a slot that is free again. */
  constructor(
    private readonly link: Pick<RedisLink, "isUp" | "onUp" | "post" | "run">,
    private readonly leaseMs: number,
    private readonly onRelease: (key: string) => void,
  ) {
    this.#timer = setInterval(() => this.#renew(), leaseMs / RENEWALS_PER_LEASE);
    this.#timer.unref();
    link.onUp(() => this.#renew());
  }

  /**
   * Registers the slots of an entry for renewal, including slots that the local share admitted: the renewal registers
   * these in Redis when it is back.
   */
  add(keys: readonly string[], entry: EntryResult, member: string): EntryResult {
    if (entry.kind !== "entered" || keys.length === 0) return entry;
    for (const key of keys) this.#held.set(key, (this.#held.get(key) ?? new Set()).add(member));
    let isInside = true;
    return {
      ...entry,
      leave: () => {
        if (!isInside) return;
        isInside = false;
        for (const key of keys) this.release(key, member);
        entry.leave();
      },
    };
  }

  /** Ends the renewal. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Frees a slot in Redis. */
  release(key: string, member: string): void {
    const members = this.#held.get(key);
    members?.delete(member);
    if (members?.size === 0) this.#held.delete(key);
    this.link.post(key, ["ZREM", key, member]);
    this.onRelease(key);
  }

  #renew(): void {
    if (!this.link.isUp) return;
    for (const [key, members] of this.#held) {
      const all = [...members];
      for (let at = 0; at < all.length; at += MAX_MEMBERS_PER_RENEWAL)
        void this.link.run(
          RENEW,
          [key],
          [String(this.leaseMs), ...all.slice(at, at + MAX_MEMBERS_PER_RENEWAL)],
        );
    }
  }
}
