import { createTranslator } from "use-intl";
import { expect, test } from "vitest";
import {
  type ChannelDraft,
  lacksAddress,
  type ModelRow,
  NEW_CHANNEL,
  repeatedRows,
} from "@/components/channels/channel-draft";
import { placeFaults } from "@/components/channels/form/form-errors";
import { common } from "@/lib/messages/en/common";

const row = (id: string, name: string, isOn = true): ModelRow => ({
  id,
  upstream: id,
  name,
  operation: "speech",
  isOn,
  isOwn: false,
});
const draft = (...models: ModelRow[]): ChannelDraft => ({ ...NEW_CHANNEL, models });

test("a server of one's own needs an address; a service has one, and a channel that stands may leave it to it", () => {
  for (const preset of ["compatible", "azure"]) {
    expect(lacksAddress({ ...NEW_CHANNEL, preset, baseUrl: " " })).toBe(true);
    expect(lacksAddress({ ...NEW_CHANNEL, preset, baseUrl: "http://127.0.0.1:8880/v1" })).toBe(false);
  }
  expect(lacksAddress({ ...NEW_CHANNEL, preset: "openai" })).toBe(false);
});

test("of rows with one public name the one that was changed last is told of it", () => {
  const both = draft(row("a", "lamp"), row("b", " lamp "), row("c", "cord"));
  expect(repeatedRows(both, ["b", "a", "c"])).toEqual(["a"]);
  expect(repeatedRows(both, ["a", "b"])).toEqual(["b"]);
  expect(repeatedRows(both, [])).toEqual(["b"]);
});

test("rows that are not served, or have no name yet, repeat nothing", () => {
  expect(repeatedRows(draft(row("a", "lamp"), row("b", "lamp", false)), [])).toEqual([]);
  expect(repeatedRows(draft(row("a", ""), row("b", "")), [])).toEqual([]);
});

test("a fault of one model stands at its row, one of them all below the list", () => {
  const t = createTranslator({ locale: "en", messages: { common }, namespace: "common.fieldError" });
  const two = draft(row("off", "x", false), row("a", "lamp"), row("b", "lamp"));
  expect(placeFaults([{ path: "models.1.name", message: "Odd." }], two, t)).toEqual({ b: "Odd." });
  expect(placeFaults([{ path: "models", message: "Odd." }], two, t)).toEqual({ models: "Odd." });
});
