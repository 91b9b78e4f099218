import { expect, test } from "vitest";
import { EXPIRY_DAYS, expiryDate, unknownModels } from "@/components/api-keys/key-values";

const KNOWN = ["patchbay-speech", "tts-1", "tts-1-hd"];

test("lists the names that no model has", () => {
  expect(unknownModels("tts-1 nope-model, patchbay-speech", KNOWN)).toEqual(["nope-model"]);
  expect(unknownModels("", KNOWN)).toEqual([]);
});

test("offers expiry dates in days from now", () => {
  const now = new Date(2027, 1, 27, 23, 30).getTime();
  expect(EXPIRY_DAYS.map((days) => expiryDate(days, now))).toEqual([
    "2027-03-29",
    "2027-05-28",
    "2028-02-27",
    "",
  ]);
});
