import { expect, test } from "vitest";
import { hasTaskTypes } from "@/lib/console/models/playground-models";
import { channelRecord, embedModel, modelRecord } from "../../support/factories";

const route = (provider: string, upstreamName = "gemini-embedding-001") => ({
  channel: channelRecord({ provider }),
  upstreamName,
});

test("an embedding model has task types only if every channel serves it with them", () => {
  const model = embedModel();
  expect(
    hasTaskTypes({
      model,
      routes: [route("gemini"), route("gemini", "text-embedding-004")],
      disabledChannels: [],
    }),
  ).toBe(true);
  expect(hasTaskTypes({ model, routes: [route("gemini"), route("openai")], disabledChannels: [] })).toBe(
    false,
  );
  expect(
    hasTaskTypes({ model, routes: [route("gemini", "gemini-embedding-2-preview")], disabledChannels: [] }),
  ).toBe(false);
  expect(hasTaskTypes({ model: modelRecord(), routes: [route("gemini")], disabledChannels: [] })).toBe(false);
});
