import { expect, test } from "vitest";
import { GeminiModel, GeminiModelList, OpenAiModelList } from "@/lib/contracts/gateway/models";
import { channelRecord, embedModel } from "../support/factories";
import { openGatewayHarness } from "../support/gateway-harness";
import { createRig } from "../support/upstream/rig";

const SPEECH = embedModel({ name: "patchbay-speech", aliases: [], operation: "speech", maxAudioSeconds: 60 });
const models = [embedModel({ description: "Any language." }), SPEECH];
const google = (key: string) => ({ authorization: "", "x-goog-api-key": key });

test("lists models in OpenAI's form, or in Gemini's for a key sent like a Google client", async () => {
  const harness = openGatewayHarness({ models });
  const openai = await harness.call("/v1/models");
  const common = { object: "model", created: 1_700_000_000, owned_by: "patchbay" };
  expect(openai.json).toEqual({
    object: "list",
    data: [
      { ...common, id: "patchbay-embed", description: "Any language." },
      { ...common, id: "patchbay-speech", description: "", takes_instructions: false },
    ],
  });
  for (const reply of [
    await harness.call("/v1beta/models"),
    await harness.call("/v1/models", { headers: google(harness.key) }),
    await harness.call(`/v1/models?key=${harness.key}`, { headers: { authorization: "" } }),
  ]) {
    expect(reply.status).toBe(200);
    expect(reply.json.models.map((model: { name: string }) => model.name)).toEqual([
      "models/patchbay-embed",
      "models/patchbay-speech",
    ]);
    expect(reply.json.models[0].supportedGenerationMethods).toContain("embedContent");
    expect(reply.json.models[1].supportedGenerationMethods).toContain("generateContent");
  }
});

test("shows whether a channel of a speech model follows instructions", async () => {
  const providers = createRig([]);
  const names = ["gpt-4o-mini-tts", "tts-1"];
  const harness = openGatewayHarness({
    models: names.map((name) => embedModel({ name, aliases: [], operation: "speech" })),
    channels: [
      channelRecord({
        baseUrl: "https://api.openai.com/v1",
        models: names.map((name) => ({ name, upstreamName: name })),
      }),
    ],
    speech: (channel) => providers.speech(channel),
  });
  const { json } = await harness.call("/v1/models");
  const traits = OpenAiModelList.parse(json).data.map((one) => [one.id, one.takes_instructions]);
  expect(traits).toEqual([
    ["gpt-4o-mini-tts", true],
    ["tts-1", false],
  ]);
  expect((await harness.call("/v1/models/gpt-4o-mini-tts")).json.takes_instructions).toBe(true);
});

test("states both token limits of every model in Gemini's form, also without limits set", async () => {
  const bare = { maxInputTokens: null, maxCharacters: null, maxAudioSeconds: null };
  const harness = openGatewayHarness({
    models: [
      ...models,
      embedModel({ name: "x-embed", aliases: [], ...bare }),
      embedModel({ name: "x-speech", aliases: [], operation: "speech", ...bare }),
    ],
  });
  const { json } = await harness.call("/v1beta/models");
  const limits = GeminiModelList.parse(json).models.map((one) => [
    one.name,
    one.inputTokenLimit,
    one.outputTokenLimit,
  ]);
  expect(limits).toEqual([
    ["models/patchbay-embed", 8_192, 1],
    ["models/patchbay-speech", 8_192, 1_500],
    ["models/x-embed", 8_192, 1],
    ["models/x-speech", 8_192, 16_384],
  ]);
  expect(GeminiModel.safeParse({ ...json.models[0], outputTokenLimit: undefined }).success).toBe(false);
});

test("pages Gemini's list", async () => {
  const harness = openGatewayHarness({ models });
  const first = await harness.call("/v1beta/models?pageSize=1");
  expect(first.json.models).toHaveLength(1);
  const second = await harness.call(`/v1beta/models?pageSize=1&pageToken=${first.json.nextPageToken}`);
  expect(second.json.models.map((model: { name: string }) => model.name)).toEqual(["models/patchbay-speech"]);
  expect(second.json.nextPageToken).toBeUndefined();
  for (const query of ["pageSize=x", "pageSize=-1", "pageToken=%21", "pageToken=abcd"]) {
    expect((await harness.call(`/v1beta/models?${query}`)).status).toBe(400);
  }
});

test("returns one model by name or alias, in either form", async () => {
  const harness = openGatewayHarness({ models });
  const openai = await harness.call("/v1/models/text-embedding-3-small");
  expect(openai.json.id).toBe("text-embedding-3-small");
  const gemini = await harness.call("/v1beta/models/patchbay-embed");
  expect(gemini.json).toMatchObject({ name: "models/patchbay-embed", inputTokenLimit: 8_192 });
  const both = await harness.call("/v1/models/patchbay-embed", { headers: google(harness.key) });
  expect(both.json).toEqual(gemini.json);
  const unknown = await harness.call("/v1beta/models/nope");
  expect([unknown.status, unknown.json.error.status]).toEqual([404, "NOT_FOUND"]);
});

test("answers a Google client's errors in Gemini's form below /v1 too", async () => {
  const harness = openGatewayHarness({ models });
  for (const [path, key, status, name] of [
    ["/v1/models/nope", harness.key, 404, "NOT_FOUND"],
    ["/v1/models?pageSize=x", harness.key, 400, "INVALID_ARGUMENT"],
    ["/v1/models", "sk-wrong", 401, "UNAUTHENTICATED"],
    ["/v1/models/patchbay-embed", "sk-wrong", 401, "UNAUTHENTICATED"],
  ] as const) {
    const reply = await harness.call(path, { headers: google(key) });
    expect([path, reply.status, reply.json.error]).toMatchObject([
      path,
      status,
      { code: status, status: name },
    ]);
  }
  const refused = await harness.call("/v1/models/nope", { method: "DELETE", headers: google(harness.key) });
  expect([refused.status, refused.json.error.code]).toEqual([405, 405]);
  const openai = await harness.call("/v1/models/nope");
  expect(openai.json.error.code).toBe("model_not_found");
  const method = await harness.call("/v1/models/nope", { method: "DELETE" });
  expect(method.json.error.code).toBe("method_not_allowed");
});

test("shows a key only the models it may use", async () => {
  const harness = openGatewayHarness({ models });
  harness.key = harness.addKey({ allowedModels: ["text-embedding-3-small"] });
  expect((await harness.call("/v1/models")).json.data.map((one: { id: string }) => one.id)).toEqual([
    "patchbay-embed",
  ]);
  expect((await harness.call("/v1/models/patchbay-speech")).status).toBe(404);
  harness.key = harness.addKey({ operations: ["speech"] });
  expect((await harness.call("/v1/models")).json.data.map((one: { id: string }) => one.id)).toEqual([
    "patchbay-speech",
  ]);
});

test("hides a disabled model from the next request on", async () => {
  const list = [embedModel()];
  const harness = openGatewayHarness({ models: list });
  expect((await harness.call("/v1/models/patchbay-embed")).status).toBe(200);
  list[0] = embedModel({ enabled: false });
  harness.change("models");
  expect((await harness.call("/v1/models/patchbay-embed")).status).toBe(404);
});
