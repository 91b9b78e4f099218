import { expect, test } from "vitest";
import { unknownModels } from "@/components/api-keys/key-values";

const KNOWN = ["patchbay-speech", "tts-1", "tts-1-hd"];

test("lists the names that no model has", () => {
  expect(unknownModels("tts-1 nope-model, patchbay-speech", KNOWN, false)).toEqual(["nope-model"]);
  expect(unknownModels("", KNOWN, false)).toEqual([]);
});

test("ignores the word being typed while a known name starts with it", () => {
  expect(unknownModels("tts-1 patch", KNOWN, true)).toEqual([]);
  expect(unknownModels("tts-1 patch ", KNOWN, true)).toEqual(["patch"]);
  expect(unknownModels("tts-1 patch", KNOWN, false)).toEqual(["patch"]);
  expect(unknownModels("nope", KNOWN, true)).toEqual(["nope"]);
});
