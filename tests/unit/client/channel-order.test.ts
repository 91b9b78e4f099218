import { expect, test } from "vitest";
import { drop, inOrder, isSameOrder, stepEarlier, stepLater, tiersOf } from "@/lib/client/channel-order";

test("channels of one priority are a tier, whatever numbers the priorities have", () => {
  const list = [
    { id: "c", priority: 40 },
    { id: "a", priority: 0 },
    { id: "b", priority: 40 },
  ];
  expect(tiersOf(list)).toEqual([["a"], ["c", "b"]]);
});

test("a step earlier leaves a shared tier, or joins the one before; two steps pass a neighbour", () => {
  const once = stepEarlier([["a"], ["b"]], "b");
  expect(once).toEqual([["a", "b"]]);
  expect(stepEarlier(once, "b")).toEqual([["b"], ["a"]]);
  expect(stepEarlier([["a", "b", "c"]], "c")).toEqual([["c"], ["a", "b"]]);
});

test("a step later is the mirror of a step earlier", () => {
  const once = stepLater([["a"], ["b"]], "a");
  expect(once.map((tier) => [...tier].sort())).toEqual([["a", "b"]]);
  expect(stepLater(once, "a")).toEqual([["b"], ["a"]]);
});

test("who is first goes no earlier, and who is last no later", () => {
  const tiers = [["a"], ["b"]];
  expect(stepEarlier(tiers, "a")).toBe(tiers);
  expect(stepLater(tiers, "b")).toBe(tiers);
});

test("a channel let go beside another gets a place of its own, and one let go on it shares", () => {
  const tiers = [["a"], ["b", "c"]];
  expect(drop(tiers, "c", { id: "a", side: "before" })).toEqual([["c"], ["a"], ["b"]]);
  expect(drop(tiers, "a", { id: "c", side: "after" })).toEqual([["b", "c"], ["a"]]);
  expect(drop(tiers, "a", { id: "b", side: "into" })).toEqual([["b", "c", "a"]]);
  expect(drop(tiers, "a", { id: "a", side: "into" })).toBe(tiers);
});

test("the order within a tier says nothing", () => {
  expect(isSameOrder([["a", "b"]], [["b", "a"]])).toBe(true);
  expect(isSameOrder([["a"], ["b"]], [["b"], ["a"]])).toBe(false);
});

test("the list that is shown meanwhile has the priorities that are asked for", () => {
  const list = [
    { id: "a", priority: 7 },
    { id: "b", priority: 7 },
  ];
  expect(inOrder(list, [["b"], ["a"]])).toEqual([
    { id: "b", priority: 0 },
    { id: "a", priority: 1 },
  ]);
});
