import { expect, test } from "vitest";
import { isSameSecret } from "../../../lib/console/auth/tokens";

test.each([
  ["", "", true],
  ["a token", "a token", true],
  ["a token", "A token", false],
  ["a token", "a token ", false],
  ["a token", "a toke", false],
  ["", "a token", false],
  ["\u00e9", "e\u0301", false],
])("isSameSecret(%j, %j) returns %s", (given, expected, isSame) => {
  expect(isSameSecret(given, expected)).toBe(isSame);
});
