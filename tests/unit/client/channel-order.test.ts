import { expect, test } from "vitest";
import { drop, inOrder, isSameOrder, stepEarlier, stepLater, tiersOf } from "@/lib/client/channel-order";

test("groups channels of equal priority into tiers, in order of priority", () => {
  const list = [
    { id: "c", priority: 40 },
    { id: "a", priority: 0 },
    { id: "b", priority: 40 },
  ];
  expect(tiersOf(list)).toEqual([["a"], ["c", "b"]]);
});

test("moves a channel earlier: out of a shared tier, or into the tier before it", () => {
  const once = stepEarlier([["a"], ["b"]], "b");
  expect(once).toEqual([["a", "b"]]);
  expect(stepEarlier(once, "b")).toEqual([["b"], ["a"]]);
  expect(stepEarlier([["a", "b", "c"]], "c")).toEqual([["c"], ["a", "b"]]);
});

test("moves a channel later: into the tier after it, then out of it", () => {
  const once = stepLater([["a"], ["b"]], "a");
  expect(once.map((tier) => [...tier].sort())).toEqual([["a", "b"]]);
  expect(stepLater(once, "a")).toEqual([["b"], ["a"]]);
});

test("does not move the first channel earlier or the last one later", () => {
  const tiers = [["a"], ["b"]];
  expect(stepEarlier(tiers, "a")).toBe(tiers);
  expect(stepLater(tiers, "b")).toBe(tiers);
});

test("gives a channel dropped beside another its own tier, and one dropped on it the same tier", () => {
  const tiers = [["a"], ["b", "c"]];
  expect(drop(tiers, "c", { id: "a", side: "before" })).toEqual([["c"], ["a"], ["b"]]);
  expect(drop(tiers, "a", { id: "c", side: "after" })).toEqual([["b", "c"], ["a"]]);
  expect(drop(tiers, "a", { id: "b", side: "into" })).toEqual([["b", "c", "a"]]);
  expect(drop(tiers, "a", { id: "a", side: "into" })).toBe(tiers);
});

test("ignores the order within a tier when comparing", () => {
  expect(isSameOrder([["a", "b"]], [["b", "a"]])).toBe(true);
  expect(isSameOrder([["a"], ["b"]], [["b"], ["a"]])).toBe(false);
});

test("sorts channels by the new order and assigns its priorities", () => {
  const list = [
    { id: "a", priority: 7 },
    { id: "b", priority: 7 },
  ];
  expect(inOrder(list, [["b"], ["a"]])).toEqual([
    { id: "b", priority: 0 },
    { id: "a", priority: 1 },
  ]);
});
