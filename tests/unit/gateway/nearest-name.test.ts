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
