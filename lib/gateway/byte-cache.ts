import { LRUCache } from "lru-cache";

/** What was met lately, bounded in bytes; the bound may change while it is in use. */
export interface ByteCache<Value extends object> {
  /** False while it may hold nothing. */
  readonly isOn: boolean;
  get(key: string): Value | undefined;
  put(key: string, value: Value): void;
  /** Another bound, in bytes; what no longer fits goes, the oldest first. 0 turns it off. */
  resize(maxBytes: number): void;
  /** Forgets everything; the counts go on. */
  clear(): void;
  /** What it holds, and how it served since the process began. */
  figures(): { limitBytes: number; bytes: number; entries: number; hits: number; misses: number };
}

/** `sizeOf`: what a value costs, in bytes and above 0. */
export function createByteCache<Value extends object>(
  maxBytes: number,
  sizeOf: (value: Value) => number,
): ByteCache<Value> {
  const make = (bytes: number): LRUCache<string, Value> | null =>
    bytes > 0 ? new LRUCache<string, Value>({ maxSize: bytes, sizeCalculation: sizeOf }) : null;
  let limitBytes = maxBytes;
  let kept = make(maxBytes);
  let hits = 0;
  let misses = 0;
  return {
    get isOn() {
      return kept !== null;
    },
    get(key) {
      const value = kept?.get(key);
      if (value === undefined) misses += 1;
      else hits += 1;
      return value;
    },
    put: (key, value) => void kept?.set(key, value),
    resize(bytes) {
      if (bytes === limitBytes) return;
      limitBytes = bytes;
      const entries = kept?.dump() ?? [];
      kept = make(bytes);
      kept?.load(entries);
    },
    clear: () => kept?.clear(),
    figures: () => ({
      limitBytes,
      bytes: kept?.calculatedSize ?? 0,
      entries: kept?.size ?? 0,
      hits,
      misses,
    }),
  };
}
