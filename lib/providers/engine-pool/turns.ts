/** Work of several owners that waits for one engine. Owners take turns; each owner's items keep their order. */
export class Turns<Item> {
  /** The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: Item): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [item]);
    else own.push(item);
    this.#size += 1;
  }

  /** Removes and returns the next item. */
  take(): Item | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [owner, own] = first;
    const item = own.shift();
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    this.#size -= 1;
    return item;
  }

  /** Removes an item that may have been taken already. */
  delete(owner: string, item: Item): void {
    const own = this.#waiting.get(owner);
    const at = own?.indexOf(item) ?? -1;
    if (own === undefined || at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(owner);
    this.#size -= 1;
  }

  /** The items that would be taken before one that this owner adds now, in no particular order. */
  *before(owner: string): Generator<Item> {
    const turns = (this.#waiting.get(owner)?.length ?? 0) + 1;
    for (const [other, items] of this.#waiting) yield* other === owner ? items : items.slice(0, turns);
  }
}

/**
 * Most calls of one owner in an engine that has `all` open at most: three quarters, the same share as of a process's
 * calls.
 */
export const callsOfOwner = (all: number): number => Math.ceil((all * 3) / 4);

/** Owner of the calls that the console makes. */
export const NO_OWNER = "";
