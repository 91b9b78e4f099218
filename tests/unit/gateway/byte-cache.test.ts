import { expect, test } from "vitest";
import { createByteCache } from "../../../lib/gateway/byte-cache";

const cacheOf = (bytes: number) => createByteCache<{ size: number }>(bytes, ({ size }) => size);

test("evicts the least recently used entry, and stores nothing larger than the bound", () => {
  const cache = cacheOf(100);
  for (const name of ["a", "b", "c"]) cache.put(name, { size: 40 });
  cache.put("whale", { size: 101 });
  expect(["a", "b", "c", "whale"].map((name) => cache.get(name)?.size)).toEqual([
    undefined,
    40,
    40,
    undefined,
  ]);
  expect(cache.stats()).toEqual({ limitBytes: 100, bytes: 80, entries: 2, hits: 2, misses: 2 });
});

test("keeps the most recently used entries when the bound is lowered, and all when it is raised", () => {
  const cache = cacheOf(100);
  for (const name of ["a", "b"]) cache.put(name, { size: 40 });
  cache.get("a");
  cache.resize(50);
  expect([cache.get("a")?.size, cache.get("b")]).toEqual([40, undefined]);
  cache.resize(1_000);
  expect(cache.get("a")?.size).toBe(40);
});

test("turns the cache off at a bound of 0, and on again without entries", () => {
  const cache = cacheOf(100);
  cache.put("a", { size: 1 });
  cache.resize(0);
  cache.put("b", { size: 1 });
  expect([cache.isOn, cache.get("a"), cache.get("b")]).toEqual([false, undefined, undefined]);
  cache.resize(100);
  expect([cache.isOn, cache.get("a")]).toEqual([true, undefined]);
});

test("drops all entries of a cleared cache and keeps its counters", () => {
  const cache = cacheOf(100);
  cache.put("a", { size: 1 });
  cache.get("a");
  cache.clear();
  expect(cache.get("a")).toBeUndefined();
  expect(cache.stats()).toMatchObject({ entries: 0, bytes: 0, hits: 1, misses: 1 });
});
