import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import {
  type ChannelDraft,
  duplicateNameRows,
  isAddressMissing,
  type ModelRow,
  NEW_CHANNEL,
} from "@/components/channels/channel-draft";
import { fieldErrorsOf, limitErrors, pairErrors } from "@/components/channels/form/form-errors";
import { common } from "@/lib/messages/en/common";

const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });

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
  const two = draft(row("off", "x", false), row("a", "voice"), row("b", "voice"));
  expect(fieldErrorsOf([{ path: "models.1.name", message: "Odd." }], two, t)).toEqual({ b: "Odd." });
  expect(fieldErrorsOf([{ path: "models", message: "Odd." }], two, t)).toEqual({ models: "Odd." });
  for (const path of ["options.voices", "options.voices.Kore"])
    expect(fieldErrorsOf([{ path, message: "Odd." }], two, t)).toEqual({ "options.voices": "Odd." });
});

test("rejects limits that are not numbers, which would be saved as no limit", () => {
  const errorsOf = (rpm: string, concurrency: string) =>
    Object.keys(limitErrors({ ...NEW_CHANNEL, rpm, concurrency }, t));
  expect(errorsOf("1,234", "10k")).toEqual(["rpm", "concurrency"]);
  expect(errorsOf("60", "1e999")).toEqual(["concurrency"]);
  expect(errorsOf(" ", "20")).toEqual([]);
});

test("accepts any voices of a built-in engine, whose form does not show them", () => {
  const voices = ["nova", "Nova"].map((name) => ({ id: name, name, value: "Kore" }));
  expect(pairErrors({ ...NEW_CHANNEL, preset: "openai", voices }, t)).not.toEqual({});
  expect(pairErrors({ ...NEW_CHANNEL, preset: "embedded", voices }, t)).toEqual({});
});

test("rejects headers and voices that the request would leave out", () => {
  const pairs = (...rows: [string, string][]) =>
    rows.map(([name, value], index) => ({ id: String(index), name, value }));
  const errorsOf = (headers: [string, string][], voices: [string, string][]) =>
    pairErrors({ ...NEW_CHANNEL, headers: pairs(...headers), voices: pairs(...voices) }, t);
  const incomplete = "Fill in both fields of each row, or remove the row.";
  expect(errorsOf([["", "acme"]], [["nova", " "]])).toEqual({
    headers: incomplete,
    "options.voices": incomplete,
  });
  expect(
    errorsOf(
      [
        ["X-Team", "a"],
        [" x-team", "b"],
      ],
      [
        ["nova", "Kore"],
        ["Nova ", "Puck"],
      ],
    ),
  ).toEqual({ headers: "x-team is given twice.", "options.voices": "Nova is given twice." });
  expect(
    errorsOf(
      [
        ["", " "],
        ["X-Team", "a"],
      ],
      [
        ["nova", "Kore"],
        ["alloy", "Kore"],
      ],
    ),
  ).toEqual({});
});
