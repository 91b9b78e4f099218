import { createTranslator } from "use-intl";
import { expect, test, vi } from "vitest";
import {
  EXPIRY_DAYS,
  expiryDate,
  keyResolver,
  NEW_KEY,
  unknownModels,
} from "@/components/api-keys/key-values";
import { common } from "@/lib/messages/en/common";

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

test("offers expiry dates in whole days across the end of summer time", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  // The clocks go back on 31 October 2027.
  expect(expiryDate(30, new Date(2027, 9, 15, 0, 30).getTime())).toBe("2027-11-14");
});

test("refuses an expiry date with a year of five digits at its field", async () => {
  const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });
  const resolver = keyResolver(t, null);
  const check = (expires: string) =>
    resolver({ ...NEW_KEY, name: "CI", expires }, undefined, {
      fields: {},
      shouldUseNativeValidation: false,
    });
  expect((await check("20277-01-31")).errors.expires?.message).toBeTruthy();
  expect((await check("2027-01-31")).errors).toEqual({});
});
