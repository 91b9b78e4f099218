import type { EntryResult } from "../../ports/shared-state";
import { RENEW } from "./limit-scripts";
import type { RedisLink } from "./link";

const RENEWALS_PER_LEASE = 4;
const MAX_MEMBERS_PER_RENEWAL = 500;

/** The slots in Redis that calls of this process have. A slot whose lease is not renewed is free after `leaseMs`. */
export class SlotLeases {
  /** Calls with a slot, by the key of the slot. */
  readonly #held = new Map<string, Set<string>>();
  readonly #timer: NodeJS.Timeout;

  /** `onRelease` is called with the key of a slot that is free again. */
  constructor(
    private readonly link: RedisLink,
    private readonly leaseMs: number,
    private readonly onRelease: (key: string) => void,
  ) {
    this.#timer = setInterval(() => this.#renew(), leaseMs / RENEWALS_PER_LEASE);
    this.#timer.unref();
    link.onUp(() => this.#renew());
  }

  /**
   * Registers the slots of an entry for renewal, including slots of the local share: these are registered in Redis when
   * it is back.
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
        for (const key of keys) this.#release(key, member);
        entry.leave();
      },
    };
  }

  /** Ends the renewal. */
  close(): void {
    clearInterval(this.#timer);
  }

  #release(key: string, member: string): void {
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
