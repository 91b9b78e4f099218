import { LRUCache } from "lru-cache";

/** A least-recently-used cache bounded in bytes; the bound can change while in use. */
export interface ByteCache<Value extends object> {
  /** False while the bound is 0. */
  readonly isOn: boolean;
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
  /** Sets the bound in bytes; entries that no longer fit are dropped, oldest first. 0 turns the cache off. */
  resize(maxBytes: number): void;
  /** Drops all entries; `stats` keeps its hits and misses. */
  clear(): void;
  /** Current size, and hits and misses since the process started. */
  stats(): { limitBytes: number; bytes: number; entries: number; hits: number; misses: number };
}

/** `sizeOf`: the cost of a value in bytes, above 0. */
export function createByteCache<Value extends object>(
  maxBytes: number,
  sizeOf: (value: Value) => number,
): ByteCache<Value> {
  const make = (bytes: number): LRUCache<string, Value> | null =>
    bytes > 0 ? new LRUCache<string, Value>({ maxSize: bytes, sizeCalculation: sizeOf }) : null;
  let limitBytes = maxBytes;
  let cache = make(maxBytes);
  let hits = 0;
  let misses = 0;
  return {
    get isOn() {
      return cache !== null;
    },
    get(key) {
      const value = cache?.get(key);
      if (value === undefined) misses += 1;
      else hits += 1;
      return value;
    },
    put: (key, value) => void cache?.set(key, value),
    resize(bytes) {
      if (bytes === limitBytes) return;
      limitBytes = bytes;
      const entries = cache?.dump() ?? [];
      cache = make(bytes);
      cache?.load(entries);
    },
    clear: () => cache?.clear(),
    stats: () => ({
      limitBytes,
      bytes: cache?.calculatedSize ?? 0,
      entries: cache?.size ?? 0,
      hits,
      misses,
    }),
  };
}
