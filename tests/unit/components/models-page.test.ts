import { expect, test } from "vitest";
import { refreshIntervalOf } from "@/components/models/models-page";

test("polls models only while a circuit is open: a half-open one changes with an event", () => {
  const intervalOf = (state: "closed" | "open" | "half_open") =>
    refreshIntervalOf({ items: [{ channels: [] }, { channels: [{ state: "closed" }, { state }] }] });
  expect(intervalOf("open")).toBeGreaterThan(0);
  expect([intervalOf("closed"), intervalOf("half_open"), refreshIntervalOf(undefined)]).toEqual([0, 0, 0]);
});
