import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { VectorCache } from "../../../lib/gateway/embeddings/vector-cache";

/** The size of an entry without its numbers. */
const ENTRY_BYTES = 200;
const vectorOf = (length: number, fill: number): Float32Array => new Float32Array(length).fill(fill);

interface Use {
  key: string;
  bytes: number;
}

/** The last uses that take at most `bytes` together; a read writes an old vector again, which uses memory once more. */
function mostRecent(used: readonly Use[], bytes: number): Use[] {
  let sum = 0;
  const first = used.findLastIndex((use) => {
    sum += use.bytes;
    return sum > bytes;
  });
  return used.slice(first + 1);
}

/** `toEqual` takes a hundred times as long, which is seconds for the vectors of a property. */
const isSame = (a: Float32Array | undefined, b: Float32Array | undefined): boolean =>
  a !== undefined && b !== undefined && a.length === b.length && a.every((number, at) => number === b[at]);

test("returns the last vector of every key or nothing, keeps the most recent quarter of its bound, and never exceeds it", () => {
  const step = fc.record({
    key: fc.integer({ min: 0, max: 20 }).map(String),
    length: fc.integer({ min: 1, max: 3_000 }),
    kind: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom("put", "get") },
      { weight: 1, arbitrary: fc.constantFrom("resize", "clear") },
    ),
    limit: fc.constantFrom(20_000, 50_000, 90_000),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 60, maxLength: 120, size: "max" }), (steps) => {
      let limit = 50_000;
      const cache = new VectorCache(limit);
      const latest = new Map<string, Float32Array>();
      /** Every use, the most recent last: a key that is put twice uses memory twice. */
      let used: Use[] = [];
      const touch = (key: string, { byteLength }: Float32Array) =>
        used.push({ key, bytes: byteLength + ENTRY_BYTES });
      for (const [index, { key, length, kind, limit: next }] of steps.entries()) {
        if (kind === "put") {
          const vector = vectorOf(length, index + 1);
          cache.put(key, vector);
          touch(key, vector);
          // The cache has copied the vector.
          vector.fill(-1);
          latest.set(key, vectorOf(length, index + 1));
        } else if (kind === "get") {
          const found = cache.get(key);
          if (found !== undefined) {
            expect(isSame(found, latest.get(key)), key).toBe(true);
            found.fill(-2);
            touch(key, found);
          }
        } else if (kind === "resize") {
          // A larger bound does not bring back what the smaller one may have dropped.
          used = next < limit ? [] : mostRecent(used, limit / 4);
          limit = next;
          cache.resize(limit);
        } else {
          cache.clear();
          latest.clear();
          used = [];
        }
        expect(cache.stats().bytes).toBeLessThanOrEqual(limit);
      }
      for (const { key } of mostRecent(used, limit / 4))
        expect(isSame(cache.get(key), latest.get(key)), key).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("keeps a vector that is read often while many others are added", () => {
  const cache = new VectorCache(20 * (400 + ENTRY_BYTES));
  cache.put("often", vectorOf(100, 7));
  for (let other = 0; other < 500; other++) {
    cache.put(`once ${other}`, vectorOf(100, other));
    expect(cache.get("often"), String(other)).toEqual(vectorOf(100, 7));
  }
  expect(cache.stats()).toMatchObject({ hits: 500, misses: 0 });
  expect(cache.get("once 0")).toBeUndefined();
});

const MIB = 1024 * 1024;
/** A vector of 256 KiB. */
const large = vectorOf(65_536, 1);
const putAll = (cache: VectorCache, names: readonly string[]) => {
  for (const name of names) if (cache.get(name) === undefined) cache.put(name, large);
};
const named = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index}`);

test("uses 16 MiB of its bound until overwritten texts repeat, and all of it from then on", () => {
  const cache = new VectorCache(64 * MIB);
  putAll(cache, named("once", 600));
  expect(cache.stats().bytes).toBeLessThanOrEqual(16 * MIB + 64 * ENTRY_BYTES);
  // A single repeat of an overwritten text in a round of 64 is enough.
  putAll(cache, ["once 530", ...named("more", 200)]);
  expect(cache.stats().bytes).toBeGreaterThan(45 * MIB);
  const names = named("again", 200);
  putAll(cache, names);
  expect(names.filter((name) => cache.get(name) !== undefined)).toHaveLength(200);
  // What is in it stays when the bound is raised.
  cache.resize(128 * MIB);
  expect(names.filter((name) => cache.get(name) !== undefined)).toHaveLength(200);
});

test("uses 16 MiB again once it is cleared, and does not count repeats of texts that were never in it", () => {
  const cache = new VectorCache(64 * MIB);
  putAll(cache, [...named("once", 100), ...named("once", 100), ...named("more", 200)]);
  expect(cache.stats().bytes).toBeGreaterThan(45 * MIB);
  for (const name of named("once", 100)) cache.get(name);
  cache.clear();
  putAll(cache, named("once", 100));
  for (let round = 0; round < 3; round++) {
    for (const name of named("never", 100)) cache.get(name);
    putAll(cache, named(`round ${round}`, 64));
  }
  expect(cache.stats().bytes).toBeLessThanOrEqual(16 * MIB + 64 * ENTRY_BYTES);
});

test("uses 16 MiB while texts repeat after more than the whole bound holds", () => {
  const cache = new VectorCache(32 * MIB);
  for (let round = 0; round < 4; round++) putAll(cache, named("cycle", 512));
  expect(cache.stats().hits).toBe(0);
  expect(cache.stats().bytes).toBeLessThanOrEqual(16 * MIB + 64 * ENTRY_BYTES);
});

test("uses 16 MiB while fewer than one in 64 of the vectors held repeats in a round", () => {
  const cache = new VectorCache(64 * MIB);
  // 256 such vectors fill a round.
  const vector = vectorOf(16_384, 1);
  for (let at = 0; at < 2_560; at++) {
    if (at >= 512 && at % 128 === 0) cache.get(`text ${at - 300}`);
    cache.put(`text ${at}`, vector);
  }
  expect(cache.stats().bytes).toBeLessThanOrEqual(16 * MIB + 256 * ENTRY_BYTES);
});

test("drops no other vector for one that is stored many times", () => {
  const cache = new VectorCache(16 * MIB);
  const names = named("other", 20);
  putAll(cache, names);
  for (let time = 0; time < 300; time++) cache.put("same", vectorOf(65_536, time));
  expect(cache.get("same")?.[0]).toBe(299);
  expect(names.filter((name) => cache.get(name) === undefined)).toEqual([]);
});

test("stores one vector that is larger than the part in use", () => {
  const cache = new VectorCache(64 * MIB);
  putAll(cache, named("once", 10));
  cache.put("whale", vectorOf((20 * MIB) / 4, 3));
  expect(cache.get("whale")?.length).toBe(5 * MIB);
  for (const name of named("more", 200)) cache.put(name, large);
  expect(cache.stats().bytes).toBeLessThanOrEqual(16 * MIB + 64 * ENTRY_BYTES);
  cache.resize(65 * MIB);
  expect(cache.stats().bytes).toBeLessThanOrEqual(64 * MIB);
});

test("stores nothing larger than its bound, turns off at 0, and on again without vectors", () => {
  const cache = new VectorCache(1_000);
  cache.put("whale", vectorOf(300, 1));
  expect(cache.get("whale")).toBeUndefined();
  cache.put("a", vectorOf(100, 1));
  cache.resize(0);
  cache.put("b", vectorOf(1, 1));
  expect([cache.isOn, cache.get("a"), cache.get("b")]).toEqual([false, undefined, undefined]);
  cache.resize(1_000);
  expect([cache.isOn, cache.get("a")]).toEqual([true, undefined]);
  cache.put("a", vectorOf(100, 2));
  expect(cache.get("a")).toEqual(vectorOf(100, 2));
});

test("keeps the newest vectors when its bound is lowered, and all when it is raised", () => {
  const cache = new VectorCache(4 * (400 + ENTRY_BYTES));
  for (const name of ["a", "b", "c", "d"]) cache.put(name, vectorOf(100, 1));
  cache.resize(2 * (400 + ENTRY_BYTES));
  expect(["a", "b", "c", "d"].map((name) => cache.get(name)?.length)).toEqual([
    undefined,
    undefined,
    100,
    100,
  ]);
  cache.resize(1_000_000);
  expect(["c", "d"].map((name) => cache.get(name)?.length)).toEqual([100, 100]);
});

test("uses no more memory when a new vector is read", () => {
  const cache = new VectorCache(4 * (40_000 + ENTRY_BYTES));
  for (const name of ["a", "b", "c"]) cache.put(name, vectorOf(10_000, 1));
  for (let read = 0; read < 100; read++) cache.get("c");
  expect(["a", "b", "c"].map((name) => cache.get(name)?.length)).toEqual([10_000, 10_000, 10_000]);
});

test("turns the cache off while its bound exceeds the system's memory", () => {
  const cache = new VectorCache(2 ** 52);
  cache.put("a", vectorOf(1, 1));
  expect([cache.isOn, cache.get("a"), cache.stats().entries]).toEqual([false, undefined, 0]);
  cache.resize(1_000);
  cache.put("a", vectorOf(1, 1));
  expect([cache.isOn, cache.get("a")]).toEqual([true, vectorOf(1, 1)]);
});

test("does not return a dropped vector after its bound is changed", () => {
  const cache = new VectorCache(4 * (ENTRY_BYTES + 400));
  for (const [index, key] of ["a", "b", "c", "d", "e"].entries()) cache.put(key, vectorOf(100, index));
  expect(cache.get("a")).toBeUndefined();
  cache.resize(100_000);
  expect(cache.get("a")).toBeUndefined();
  expect(cache.get("c")).toEqual(vectorOf(100, 2));
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

test("uses no more memory as the number of dropped vectors grows", () => {
  const cache = new VectorCache(50_000);
  const liveBytes = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  cache.put("first", vectorOf(1, 1));
  const before = liveBytes();
  for (let index = 0; index < 200_000; index++) cache.put(`text ${index}`, vectorOf(1, index));
  // Each entry takes a few hundred bytes with its key.
  expect(liveBytes() - before).toBeLessThan(5 * 1024 * 1024);
  expect(cache.get("text 199999")).toEqual(vectorOf(1, 199_999));
});
