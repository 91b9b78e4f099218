import { expect, it } from "vitest";
import { nearestName } from "../../../lib/gateway/speech/choose-voices";

const NAMES = ["Kore", "Puck", "Zubenelgenubi", "alloy", "ash"];

it.each([
  ["Korre", "Kore"],
  ["kroe", "Kore"],
  ["Pukc", "Puck"],
  ["zubenelgenuby", "Zubenelgenubi"],
  ["zubenalgenobi", "Zubenelgenubi"],
  ["aloy", "alloy"],
  ["Rachel", null],
  ["", null],
  ["x".repeat(1_000), null],
])("suggests for '%s' the name %s", (typed, meant) => {
  expect(nearestName(typed, NAMES)).toBe(meant);
});

it("suggests no name for one of more than 64 characters: thousands of voices would take seconds", () => {
  expect(nearestName("x".repeat(64), ["x".repeat(63)])).toBe("x".repeat(63));
  expect(nearestName("x".repeat(65), ["x".repeat(64)])).toBeNull();
});
