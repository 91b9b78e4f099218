import { expect, test } from "vitest";
import { type ChannelDraft, emptyKey, type ModelRow, NEW_CHANNEL } from "@/components/channels/channel-draft";
import { draftFingerprint } from "@/components/channels/draft-fingerprint";

const row = (fields: Partial<ModelRow>): ModelRow => ({
  id: "row",
  upstream: "kokoro",
  name: "kokoro",
  operation: "speech",
  isOn: false,
  isManual: false,
  ...fields,
});
const isChanged = (patch: Partial<ChannelDraft>) =>
  draftFingerprint({ ...NEW_CHANNEL, ...patch }) !== draftFingerprint(NEW_CHANNEL);

test("the fingerprint of a channel draft ignores empty rows, models the upstream listed and a name derived from the provider", () => {
  expect(isChanged({ keys: [emptyKey()] })).toBe(false);
  expect(isChanged({ headers: [{ id: "row", name: "", value: "" }] })).toBe(false);
  expect(isChanged({ models: [row({})] })).toBe(false);
  expect(isChanged({ models: [row({ upstream: "", name: "", isOn: true, isManual: true })] })).toBe(false);
  expect(isChanged({ preset: "openai", provider: "openai", name: "OpenAI" })).toBe(false);
});

test("the fingerprint of a channel draft changes with everything that was typed, selected or switched", () => {
  expect(isChanged({ keys: [{ ...emptyKey(), kind: "new", text: "sk-1" }] })).toBe(true);
  expect(isChanged({ keys: [{ kind: "stored", label: "", id: "key_1", display: "…1234" }] })).toBe(true);
  expect(isChanged({ headers: [{ id: "row", name: "", value: "1" }] })).toBe(true);
  expect(isChanged({ models: [row({ isOn: true })] })).toBe(true);
  expect(isChanged({ models: [row({ upstream: "mine", name: "", isManual: true })] })).toBe(true);
  expect(isChanged({ name: "Mine", isNameEdited: true })).toBe(true);
  expect(isChanged({ timeouts: { ...NEW_CHANNEL.timeouts, idle_ms: "5" } })).toBe(true);
  expect(isChanged({ batching: false })).toBe(true);
});
