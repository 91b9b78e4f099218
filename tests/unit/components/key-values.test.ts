import { createTranslator } from "use-intl";
import { expect, test, vi } from "vitest";
import {
  EXPIRY_DAYS,
  expiryDate,
  keyResolver,
  NEW_KEY,
  unknownModels,
} from "@/components/api-keys/key-values";
import { dollarsOrNull, dollarsText, numberOrNull } from "@/components/forms/limit-values";
import { modelResolver, NEW_MODEL } from "@/components/models/model-values";
import type { ApiKey } from "@/lib/contracts/console/api-keys";
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

const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });
const options = { fields: {}, shouldUseNativeValidation: false };

test("refuses an expiry date with a year of five digits at its field", async () => {
  const resolver = keyResolver(t, null);
  const check = (expires: string) => resolver({ ...NEW_KEY, name: "CI", expires }, undefined, options);
  expect((await check("20277-01-31")).errors.expires?.message).toBeTruthy();
  expect((await check("2027-01-31")).errors).toEqual({});
});

test("refuses an incomplete expiry date, whose value is empty", async () => {
  const check = async (badInput: boolean) => {
    const fields = { expires: { name: "expires", ref: { name: "expires", validity: { badInput } } } };
    return keyResolver(t, null)({ ...NEW_KEY, name: "CI" }, undefined, { ...options, fields });
  };
  expect((await check(true)).errors.expires?.message).toBe("This value is not accepted.");
  expect((await check(false)).errors).toEqual({});
});

test("keeps the time of day of an expiry date that was not changed", async () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const expires_at = "2027-01-31T10:15:00.000Z";
  // Only the field that the request takes from the stored key.
  const resolver = keyResolver(t, { expires_at } as ApiKey);
  const sent = async (expires: string) =>
    (await resolver({ ...NEW_KEY, name: "CI", expires }, undefined, options)).values;
  expect(await sent("2027-01-31")).toMatchObject({ expires_at });
  expect(await sent("2027-02-01")).toMatchObject({ expires_at: "2027-02-01T22:59:59.000Z" });
});

test("sends the switches of a new model that differ from the defaults, also those that are off", async () => {
  const sent = async (fields: object) =>
    (await modelResolver(t, null)({ ...NEW_MODEL, name: "m", ...fields }, undefined, options)).values;
  expect(await sent({ operation: "embeddings", cacheable: true, batching: false })).toEqual({
    name: "m",
    operation: "embeddings",
    aliases: [],
    batching: false,
  });
});

test("shows dollars with at least two decimals and without further zeros at the end", () => {
  expect(["12.500000000", "12.345000000", "0.000000001", "5", null].map(dollarsText)).toEqual([
    "12.50",
    "12.345",
    "0.000000001",
    "5",
    "",
  ]);
});

test.each([
  ["12,5", "12.5"],
  [" 0,015 ", "0.015"],
  [",5", ".5"],
  ["12.5", "12.5"],
])("reads the typed number %s with a decimal comma or point", (typed, text) => {
  expect(dollarsOrNull(typed)).toBe(text);
  expect(numberOrNull(typed)).toBe(Number(text));
});

test.each(["1,234", "1,2,3", "1,234.5", "1.234,5", "12,"])(
  "does not guess whether the comma of %s is a decimal one",
  (typed) => {
    expect(dollarsOrNull(typed)).toBe(typed);
    expect(numberOrNull(typed)).toBeNaN();
  },
);
