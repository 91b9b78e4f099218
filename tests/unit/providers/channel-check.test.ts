import { afterAll, beforeAll, expect, test } from "vitest";
import { hasCode } from "@/lib/errors";
import type { ChannelDraft } from "@/lib/ports/channel-probe";
import { callOptions, channelTo, createRig, UPSTREAM_KEY } from "../../support/upstream/rig";
import { startUpstream, type Upstream } from "../../support/upstream/server";

let upstream: Upstream;
let rig: ReturnType<typeof createRig>;
beforeAll(async () => {
  upstream = await startUpstream({ key: UPSTREAM_KEY });
  rig = createRig([upstream]);
});
afterAll(async () => {
  await rig.close();
  await upstream.close();
});

function draft(fields: Partial<ChannelDraft>): ChannelDraft {
  return { provider: "openai", baseUrl: null, headers: {}, options: {}, ...fields };
}

/** The fields with errors; empty: the draft is valid. */
function invalidFields(fields: Partial<ChannelDraft>): string[] {
  try {
    rig.checkChannel(draft(fields));
    return [];
  } catch (error) {
    if (!hasCode(error, "invalid")) throw error;
    return (error.details.issues ?? []).map(({ path }) => path);
  }
}

test("lists each provider with its operations and default URL", () => {
  expect(
    rig.providers().map(({ name, operations, isUpstream }) => [name, operations.join("+"), isUpstream]),
  ).toEqual([
    ["gemini", "speech+embeddings", true],
    ["openai", "speech+embeddings", true],
    ["elevenlabs", "speech", true],
    ["embedded-speech", "speech", false],
    ["lexical", "embeddings", false],
    ["semantic", "embeddings", false],
    ["local-voices", "speech", false],
  ]);
  for (const { defaultBaseUrl, isUpstream } of rig.providers()) {
    if (isUpstream) expect(defaultBaseUrl).toMatch(/^https:\/\//);
  }
});

test("stores a channel's URL in canonical form", () => {
  const checked = rig.checkChannel(
    draft({ baseUrl: "https://API.example.com:443/v1/", headers: { "X-Team": "a" } }),
  );
  expect(checked).toMatchObject({ baseUrl: "https://api.example.com/v1", headers: { "x-team": "a" } });
  expect(rig.checkChannel(draft({ baseUrl: "https://api.example.com/" })).baseUrl).toBe(
    "https://api.example.com",
  );
});

test.each<[string, Partial<ChannelDraft>]>([
  ["provider", { provider: "constructor" }],
  ["base_url", { baseUrl: "https://127.0.0.1" }],
  ["headers.Host", { headers: { Host: "x" } }],
  ["options.api_base", { options: { api_base: "https://evil.example" } }],
  ["options.voices.a", { options: { voices: { a: 1 } } }],
  ["options.sample_rate", { options: { sample_rate: 23_999 } }],
  ["options.ca", { options: { ca: "none" } }],
  ["options.azure_api_version", { options: { azure_api_version: "x&y" } }],
  ["options.speech_form", { provider: "gemini", options: { speech_form: "loud" } }],
  ["options.voice_settings.speed", { provider: "elevenlabs", options: { voice_settings: { speed: 9 } } }],
])("reports an error at %s under that field", (path, fields) => {
  expect(invalidFields(fields)).toEqual([path]);
});

test("accepts a private address once the target in its error is allowed", () => {
  const check = () => rig.checkChannel(draft({ baseUrl: "http://localhost:11434/v1" }));
  expect(check).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ apiCode: "upstream_not_allowed" }) }),
  );
  expect(rig.targetOf("http://localhost:11434/v1")).toBe("localhost:11434");
  expect(invalidFields({ baseUrl: `http://${upstream.target}/v1` })).toEqual([]);
});

test("lists the models of an upstream", async () => {
  const list = (provider: string) => rig.probe(channelTo(provider, upstream))?.listModels(callOptions());
  expect(await list("openai")).toEqual([
    { name: "kokoro", operation: "speech" },
    { name: "nomic-embed-text", operation: "embeddings" },
    { name: "llama3", operation: null },
  ]);
  expect(await list("gemini")).toEqual([
    { name: "gemini-2.5-flash-preview-tts", operation: "speech" },
    { name: "gemini-3-pro", operation: null },
    { name: "gemini-embedding-001", operation: "embeddings" },
  ]);
  expect(await list("elevenlabs")).toEqual([
    { name: "eleven_multilingual_v2", operation: "speech" },
    { name: "eleven_english_sts_v2", operation: null },
  ]);
  expect(rig.probe(channelTo("lexical", upstream))).toBeNull();
});

test("takes the operation of a model from its mode in LiteLLM's list", async () => {
  const channel = channelTo("openai", upstream, { baseUrl: `${upstream.origin}/litellm/v1` });
  expect(await rig.probe(channel)?.listModels(callOptions())).toEqual([
    { name: "search-v2", operation: "embeddings" },
    { name: "narrator", operation: "speech" },
    { name: "bge-reranker", operation: null },
    { name: "house-tts", operation: "speech" },
  ]);
});

test("has no list of models for Azure", async () => {
  const azure = channelTo("openai", upstream, { options: { azure_api_version: "2024-10-21" } });
  expect(await rig.probe(azure)?.listModels(callOptions())).toBeNull();
});

test("sends no key that was encrypted for another channel", async () => {
  const other = { ...channelTo("openai", upstream), keys: channelTo("openai", upstream).keys };
  const before = upstream.ledger.length;
  const work = rig.embedding(other).embed({ model: "embed", texts: ["a"] }, callOptions());
  await expect(work).rejects.toMatchObject({
    code: "upstream_error",
    details: { upstreamRefusal: "credentials" },
  });
  expect(upstream.ledger.length).toBe(before);
});
