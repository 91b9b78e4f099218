import type { SharedCache } from "../../ports/shared-state";
import type { ByteCache } from "../byte-cache";

const MAX_BYTES = 64 * 1024 * 1024;
/** Overhead of an entry besides its numbers, in bytes. */
const ENTRY_BYTES = 200;
const FLOAT_BYTES = 4;
/** The most bytes that are used until texts repeat. */
const INITIAL_BYTES = 16 * 1024 * 1024;
/** The whole bound is used once look-ups of overwritten vectors reach this share of the vectors held. */
const MIN_REPEAT_SHARE = 1 / 64;
/** Overwritten keys that are remembered, as 32 bits each. */
const MARKS = 2 ** 16;

/**
 * Counts look-ups of vectors that were overwritten for lack of room. These texts repeat, and a larger cache would still
 * have their vectors.
 */
class RepeatCounter {
  /** Marks (`markOf`) of the keys whose vectors were overwritten; the low bits of a mark are its index. */
  readonly #marks = new Uint32Array(MARKS);
  /** Bytes of the vectors whose keys are marked. */
  #markedBytes = 0;
  /** Look-ups of marked keys since `restart`. */
  count = 0;

  /** Notes that the vector of this key was overwritten. `limitBytes`: what the cache may hold. */
  overwritten(key: string, bytes: number, limitBytes: number): void {
    this.#markedBytes += bytes;
    // Forgets keys whose vectors a cache that uses the whole bound would not hold any more either.
    if (this.#markedBytes > limitBytes) this.#forget();
    const mark = markOf(key);
    this.#marks[mark % MARKS] = mark;
  }

  /** Notes a look-up that found nothing. */
  missed(key: string): void {
    const mark = markOf(key);
    if (this.#marks[mark % MARKS] === mark) this.count += 1;
  }

  restart(): void {
    this.count = 0;
  }

  clear(): void {
    this.#forget();
    this.restart();
  }

  #forget(): void {
    this.#marks.fill(0);
    this.#markedBytes = 0;
  }
}

/** Position of a vector in the ring; `at` and `length` count numbers, not bytes. */
interface RingEntry {
  key: string;
  at: number;
  length: number;
  isDropped: boolean;
}

/**
 * Vectors of recent texts, bounded in bytes; one per process. All are in one block of memory that is used as a ring:
 * with one buffer per vector, up to twice the bound stayed resident until V8 collected the dropped ones. A new vector
 * overwrites the oldest ones. A vector that is read or stored again is written as a new one if it is in the older half
 * of the ring; else it keeps its place.
 *
 * Of a large bound only the first 16 MiB are used until texts repeat whose vectors were overwritten for lack of room:
 * traffic without repeats gains nothing from a larger cache.
 */
export class VectorCache implements ByteCache<Float32Array> {
  #limitBytes: number;
  /** Allocated by the first vector. Pages that were never written take no memory. */
  #ring: Float32Array | null = null;
  /** True when the system has no block of this size: the cache is off until its bound changes. */
  #isTooLarge = false;
  /** Where the next vector is written. */
  #head = 0;
  /** True when texts have repeated, so that the whole ring is used. */
  #usesAll = false;
  /** Restarted each time the head reaches the end of the used part of the ring. */
  readonly #repeats = new RepeatCounter();
  #entries = new Map<string, RingEntry>();
  /**
   * Entries in the order in which they are overwritten: from `#head` to the end of the ring, then from its beginning.
   * The map's own order is not used: finding its first entry skips over every entry that was deleted before it.
   */
  #order: RingEntry[] = [];
  /** Index in `#order` of the oldest vector's entry; the entries before it are dropped. */
  #oldest = 0;
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#limitBytes = maxBytes;
  }

  get isOn(): boolean {
    return this.#limitBytes > 0 && !this.#isTooLarge;
  }

  /** A copy of the vector. */
  get(key: string): Float32Array | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#ring === null) {
      this.#misses += 1;
      this.#repeats.missed(key);
      return undefined;
    }
    this.#hits += 1;
    const { at, length } = entry;
    const vector = this.#ring.slice(at, at + length);
    if (this.#isInOlderHalf(entry, this.#ring)) this.put(key, vector);
    return vector;
  }

  put(key: string, vector: Float32Array): void {
    if (sizeOf(vector) > this.#limitBytes) return;
    const ring = this.#allocatedRing();
    if (ring === null) return;
    const before = this.#entries.get(key);
    if (before?.length === vector.length && !this.#isInOlderHalf(before, ring)) {
      ring.set(vector, before.at);
      return;
    }
    if (before !== undefined) this.#drop(before);
    this.#makeRoom(ring, vector);
    ring.set(vector, this.#head);
    const entry = { key, at: this.#head, length: vector.length, isDropped: false };
    this.#entries.set(key, entry);
    this.#order.push(entry);
    this.#head += vector.length;
    this.#bytes += sizeOf(vector);
  }

  resize(maxBytes: number): void {
    if (maxBytes === this.#limitBytes) return;
    const [ring, order, usesAll] = [this.#ring, this.#order, this.#usesAll];
    this.clear();
    this.#usesAll = usesAll;
    this.#limitBytes = maxBytes;
    this.#isTooLarge = false;
    if (ring === null) return;
    for (const { key, at, length, isDropped } of order)
      if (!isDropped) this.put(key, ring.subarray(at, at + length));
  }

  clear(): void {
    this.#ring = null;
    this.#head = 0;
    this.#entries = new Map();
    this.#order = [];
    this.#oldest = 0;
    this.#bytes = 0;
    this.#repeats.clear();
    this.#usesAll = false;
  }

  stats() {
    return {
      limitBytes: this.#limitBytes,
      bytes: this.#bytes,
      entries: this.#entries.size,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  #allocatedRing(): Float32Array | null {
    if (this.#ring !== null || this.#isTooLarge) return this.#ring;
    try {
      this.#ring = new Float32Array(Math.floor(this.#limitBytes / FLOAT_BYTES));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#isTooLarge = true;
    }
    return this.#ring;
  }

  /** How many numbers of the ring are used. */
  #usedLength(ring: Float32Array): number {
    return this.#usesAll ? ring.length : Math.min(ring.length, INITIAL_BYTES / FLOAT_BYTES);
  }

  /** True for a vector that is overwritten within the next half round. */
  #isInOlderHalf({ at }: RingEntry, ring: Float32Array): boolean {
    const usedLength = this.#usedLength(ring);
    const untilOverwritten = at >= this.#head ? at - this.#head : at - this.#head + usedLength;
    return untilOverwritten < usedLength / 2;
  }

  /** Drops the vectors that the new one overwrites, and moves the head to where it fits. */
  #makeRoom(ring: Float32Array, vector: Float32Array): void {
    if (this.#head + vector.length > this.#usedLength(ring)) {
      const { count } = this.#repeats;
      this.#usesAll ||= count > 0 && count >= this.#entries.size * MIN_REPEAT_SHARE;
      this.#repeats.restart();
    }
    if (this.#head + vector.length > this.#usedLength(ring)) {
      this.#dropOldest(({ at }) => at >= this.#head);
      this.#head = 0;
    }
    const end = this.#head + vector.length;
    this.#dropOldest(({ at }) => at >= this.#head && at < end);
    this.#dropOldest(() => this.#bytes + sizeOf(vector) > this.#limitBytes);
  }

  /** Drops the oldest vector, then the next oldest, while `isDropped` is true for it. */
  #dropOldest(isDropped: (entry: RingEntry) => boolean): void {
    for (; this.#oldest < this.#order.length; this.#oldest += 1) {
      const entry = this.#order[this.#oldest];
      if (entry === undefined || entry.isDropped) continue;
      if (!isDropped(entry)) break;
      this.#drop(entry);
      this.#repeats.overwritten(entry.key, sizeOf(entry), this.#limitBytes);
    }
    if (this.#oldest * 2 < this.#order.length) return;
    this.#order = this.#order.slice(this.#oldest);
    this.#oldest = 0;
  }

  #drop(entry: RingEntry): void {
    entry.isDropped = true;
    this.#entries.delete(entry.key);
    this.#bytes -= sizeOf(entry);
  }
}

/** A 32-bit hash of the last 12 characters of a key, which is itself a hash. */
function markOf(key: string): number {
  let mark = 0;
  for (let at = Math.max(0, key.length - 12); at < key.length; at++)
    mark = Math.imul(mark ^ key.charCodeAt(at), 0x01000193);
  return mark >>> 0;
}

function sizeOf({ length }: { length: number }): number {
  return length * FLOAT_BYTES + ENTRY_BYTES;
}

/**
 * Fills the gaps in `cached` from the cache that the instances share, and copies the vectors found to this process.
 * False when the cache did not answer.
 */
export async function fillFromShared(
  shared: SharedCache,
  scope: string,
  { keys, cached }: { keys: readonly string[]; cached: (Float32Array | undefined)[] },
  vectors: VectorCache,
): Promise<boolean> {
  const missing = keys.flatMap((key, index) => (cached[index] === undefined ? [{ key, index }] : []));
  const found = await shared.find(
    scope,
    missing.map(({ key }) => key),
  );
  if (found === null) return false;
  for (const [at, { key, index }] of missing.entries()) {
    const bytes = found[at];
    if (bytes === undefined) continue;
    // Copied, because a Float32Array must begin at a multiple of four bytes in its buffer.
    const vector = new Float32Array(new Uint8Array(bytes).buffer);
    cached[index] = vector;
    vectors.put(key, vector);
  }
  return true;
}

/** The numbers of a vector as the shared cache keeps them. */
export const vectorBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
