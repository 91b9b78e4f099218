import { expect, test } from "vitest";
import { refreshIntervalOf } from "@/components/models/models-page";

test("polls models only while a circuit is not closed", () => {
  const intervalOf = (state: "closed" | "open" | "half_open") =>
    refreshIntervalOf({ items: [{ channels: [] }, { channels: [{ state: "closed" }, { state }] }] });
  for (const state of ["open", "half_open"] as const) expect(intervalOf(state)).toBeGreaterThan(0);
  expect([intervalOf("closed"), refreshIntervalOf(undefined)]).toEqual([0, 0]);
});
