import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import {
  type ChannelDraft,
  duplicateNameRows,
  isAddressMissing,
  type ModelRow,
  NEW_CHANNEL,
} from "@/components/channels/channel-draft";
import { fieldErrorsOf } from "@/components/channels/form/form-errors";
import { common } from "@/lib/messages/en/common";

const row = (id: string, name: string, isOn = true): ModelRow => ({
  id,
  upstream: id,
  name,
  operation: "speech",
  isOn,
  isManual: false,
});
const draft = (...models: ModelRow[]): ChannelDraft => ({ ...NEW_CHANNEL, models });

test("requires a base URL for the compatible and Azure presets only", () => {
  for (const preset of ["compatible", "azure"]) {
    expect(isAddressMissing({ ...NEW_CHANNEL, preset, baseUrl: " " })).toBe(true);
    expect(isAddressMissing({ ...NEW_CHANNEL, preset, baseUrl: "http://127.0.0.1:8880/v1" })).toBe(false);
  }
  expect(isAddressMissing({ ...NEW_CHANNEL, preset: "openai" })).toBe(false);
});

test("reports the most recently changed of the rows that share a public name", () => {
  const both = draft(row("a", "voice"), row("b", " voice "), row("c", "other"));
  expect(duplicateNameRows(both, ["b", "a", "c"])).toEqual(["a"]);
  expect(duplicateNameRows(both, ["a", "b"])).toEqual(["b"]);
  expect(duplicateNameRows(both, [])).toEqual(["b"]);
});

test("does not report unselected or unnamed rows as duplicates", () => {
  expect(duplicateNameRows(draft(row("a", "voice"), row("b", "voice", false)), [])).toEqual([]);
  expect(duplicateNameRows(draft(row("a", ""), row("b", "")), [])).toEqual([]);
});

test("assigns an issue of one model to its row, one of all models to the list and one of a voice to the voices", () => {
  const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });
  const two = draft(row("off", "x", false), row("a", "voice"), row("b", "voice"));
  expect(fieldErrorsOf([{ path: "models.1.name", message: "Odd." }], two, t)).toEqual({ b: "Odd." });
  expect(fieldErrorsOf([{ path: "models", message: "Odd." }], two, t)).toEqual({ models: "Odd." });
  for (const path of ["options.voices", "options.voices.Kore"])
    expect(fieldErrorsOf([{ path, message: "Odd." }], two, t)).toEqual({ "options.voices": "Odd." });
});
