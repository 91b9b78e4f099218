import { expect, test } from "vitest";
import { unknownModels } from "@/components/api-keys/key-values";

const KNOWN = ["patchbay-speech", "tts-1", "tts-1-hd"];

test("names that no model has are told, those that one has are not", () => {
  expect(unknownModels("tts-1 nope-model, patchbay-speech", KNOWN, false)).toEqual(["nope-model"]);
  expect(unknownModels("", KNOWN, false)).toEqual([]);
});

test("a word that is being typed is left alone while it may become a name", () => {
  expect(unknownModels("tts-1 patch", KNOWN, true)).toEqual([]);
  expect(unknownModels("tts-1 patch ", KNOWN, true)).toEqual(["patch"]);
  expect(unknownModels("tts-1 patch", KNOWN, false)).toEqual(["patch"]);
  expect(unknownModels("nope", KNOWN, true)).toEqual(["nope"]);
});
