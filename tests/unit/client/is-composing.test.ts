import { expect, test } from "vitest";
import { isComposing } from "@/lib/client/is-composing";
import { sourcesBelow } from "../../support/sources";

// Type assertion: the properties that are read.
const key = (fields: { isComposing: boolean; keyCode: number }) => fields as KeyboardEvent;

test("a key that confirms an IME composition counts as part of the composition, in Safari too", () => {
  expect(isComposing(key({ isComposing: true, keyCode: 229 }))).toBe(true);
  // Safari ends the composition before the key.
  expect(isComposing(key({ isComposing: false, keyCode: 229 }))).toBe(true);
  expect(isComposing(key({ isComposing: false, keyCode: 13 }))).toBe(false);
});

test("only lib/client/is-composing.ts reads a key event's isComposing", () => {
  const asks = sourcesBelow("app", "components", "lib").filter(({ text }) => text.includes(".isComposing"));
  expect(asks.map(({ file }) => file)).toEqual(["lib/client/is-composing.ts"]);
});
