import { expect, test } from "vitest";
import { isComposing } from "@/lib/client/is-composing";
import { sourcesBelow } from "../../support/sources";

// Type assertion: the properties that are read.
const key = (fields: { isComposing: boolean; keyCode: number }) => fields as KeyboardEvent;

test("a key that confirms a composition is part of it, in Safari too", () => {
  expect(isComposing(key({ isComposing: true, keyCode: 229 }))).toBe(true);
  // Safari ends the composition before the key.
  expect(isComposing(key({ isComposing: false, keyCode: 229 }))).toBe(true);
  expect(isComposing(key({ isComposing: false, keyCode: 13 }))).toBe(false);
});

test("every key handler asks whether a key is part of a composition in the same way", () => {
  const asks = sourcesBelow("app", "components", "lib").filter(({ text }) => text.includes(".isComposing"));
  expect(asks.map(({ file }) => file)).toEqual(["lib/client/is-composing.ts"]);
});
