import { expect, test } from "vitest";
import { draftModel } from "@/lib/console/models/price-list";

test.each([
  ["eleven_multilingual_v2", "eleven_multilingual_v2", 100, 10_000],
  ["elevenlabs/eleven_flash_v2_5", "voice", 50, 40_000],
  ["tts-1", "tts-1", 15, 4_096],
])("prices %s per million characters and limits its text", (upstreamName, name, dollars, maxCharacters) => {
  const model = draftModel(name, "speech", upstreamName, 0);
  expect(model.prices.inputPerMillionCharacters).toBe(dollars * 1e9);
  expect(model.maxCharacters).toBe(maxCharacters);
});

test("leaves a model that is not in the list without prices", () => {
  expect(Object.values(draftModel("x", "speech", "eleven_unknown", 0).prices)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
