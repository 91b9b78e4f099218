import { expect, test } from "vitest";
import { type ChannelDraft, emptyKey, type ModelRow, NEW_CHANNEL } from "@/components/channels/channel-draft";
import { writtenIn } from "@/components/channels/channel-written";

const row = (fields: Partial<ModelRow>): ModelRow => ({
  id: "row",
  upstream: "kokoro",
  name: "kokoro",
  operation: "speech",
  isOn: false,
  isOwn: false,
  ...fields,
});
const isChanged = (patch: Partial<ChannelDraft>) =>
  writtenIn({ ...NEW_CHANNEL, ...patch }) !== writtenIn(NEW_CHANNEL);

test("rows that wait for words, models that were merely listed and a name that follows are nobody's words", () => {
  expect(isChanged({ keys: [emptyKey()] })).toBe(false);
  expect(isChanged({ headers: [{ id: "row", name: "", value: "" }] })).toBe(false);
  expect(isChanged({ models: [row({})] })).toBe(false);
  expect(isChanged({ models: [row({ upstream: "", name: "", isOn: true, isOwn: true })] })).toBe(false);
  expect(isChanged({ preset: "openai", provider: "openai", name: "OpenAI" })).toBe(false);
});

test("whatever was typed, ticked or switched is", () => {
  expect(isChanged({ keys: [{ ...emptyKey(), kind: "new", text: "sk-1" }] })).toBe(true);
  expect(isChanged({ keys: [{ kind: "kept", id: "key_1", display: "…1234" }] })).toBe(true);
  expect(isChanged({ headers: [{ id: "row", name: "", value: "1" }] })).toBe(true);
  expect(isChanged({ models: [row({ isOn: true })] })).toBe(true);
  expect(isChanged({ models: [row({ upstream: "mine", name: "", isOwn: true })] })).toBe(true);
  expect(isChanged({ name: "Mine", isNameOwn: true })).toBe(true);
  expect(isChanged({ timeouts: { ...NEW_CHANNEL.timeouts, idle_ms: "5" } })).toBe(true);
  expect(isChanged({ coalescing: false })).toBe(true);
});
