import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../../support/product";
import { postAtOnce, sendRaw } from "../../support/raw-request";
import { digestStore } from "../../support/store-dump";

let product: Product;
let cookie: string;
let key: string;
/** A server that must never be called; it counts its requests. */
const canary = createServer((_request, response) => {
  visits++;
  response.end();
});
let visits = 0;

beforeAll(async () => {
  product = await startProduct({
    nodeAdapterOnly: true,
    env: { PATCHBAY_LIMITS: JSON.stringify({ wrongKeysPerMinute: 10_000 }) },
  });
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
  await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  canary.close();
  await product?.close();
});

const PATH = "/v1beta/models/patchbay-speech:generateContent";
const AUDIO = { responseModalities: ["AUDIO"] };
const GOOD = { contents: [{ parts: [{ text: "hello" }] }], generationConfig: AUDIO };

function send(body: unknown, headers: Record<string, string> = {}, path = PATH) {
  return sendRaw(product.url, {
    path,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify(body),
  });
}
const speaking = (fields: object) => ({ ...GOOD, generationConfig: { ...AUDIO, ...fields } });
const saying = (part: unknown) => ({ ...GOOD, contents: [{ parts: [part] }] });

describe("authentication of generateContent", () => {
  test.each([
    ["none", { authorization: "" }],
    ["Basic", { authorization: "Basic dXNlcjpwYXNz" }],
    ["a high byte", { authorization: "Bearer \xff" }],
    ["a percent sign", { authorization: "Bearer %" }],
    ["a wrong x-goog-api-key", { authorization: "", "x-goog-api-key": "AIzaSyWrong" }],
  ])("answers 401 UNAUTHENTICATED to these credentials: %s", async (_name, headers) => {
    const reply = await send(GOOD, headers);
    expect(reply.status).toBe(401);
    expect(reply.json).toMatchObject({
      error: { code: 401, status: "UNAUTHENTICATED", message: expect.any(String) },
    });
  });

  test("accepts an API key in x-goog-api-key and in the query string, and logs neither", async () => {
    expect((await send(GOOD, { authorization: "", "x-goog-api-key": key })).status).toBe(200);
    expect((await send(GOOD, { authorization: "" }, `${PATH}?key=${key}`)).status).toBe(200);
    expect(product.output()).not.toContain(key);
  });

  test("answers 400 to two different keys", async () => {
    const other = await createKey(product.url, cookie, { name: "other" });
    expect((await send(GOOD, { "x-goog-api-key": other })).status).toBe(400);
  });

  test("answers 403 to a key that is only for embeddings", async () => {
    const narrow = await createKey(product.url, cookie, { name: "embeddings", operations: ["embeddings"] });
    const reply = await send(GOOD, { authorization: `Bearer ${narrow}` });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ error: { status: "PERMISSION_DENIED" } });
  });
});

describe("generateContent paths", () => {
  test.each([
    ["no method", "/v1beta/models/patchbay-speech", 405],
    ["an unknown method", "/v1beta/models/patchbay-speech:x", 404],
    ["no model", "/v1beta/models/:generateContent", 404],
    ["an unknown model with a slash", "/v1beta/models/a/b:generateContent", 404],
    ["an unknown model", "/v1beta/models/nobody:generateContent", 404],
  ])("rejects a path with %s", async (_name, path, status) => {
    const reply = await send(GOOD, {}, path);
    expect(reply.status, reply.text).toBe(status);
    expect(reply.headers["content-type"]).toContain("application/json");
    expect(reply.json).toMatchObject({ error: { code: status } });
  });

  test("accepts a percent-encoded colon before the method", async () => {
    expect((await send(GOOD, {}, PATH.replace(":", "%3A"))).status).toBe(200);
  });

  test("answers 400 to an embeddings model and names the model's operation", async () => {
    const reply = await send(GOOD, {}, "/v1beta/models/patchbay-embed:generateContent");
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/embedding/i);
  });
});

describe("generateContent fields", () => {
  const voice = (voiceName: string) => ({ prebuiltVoiceConfig: { voiceName } });
  test.each<[string, unknown]>([
    ["no contents", { generationConfig: AUDIO }],
    ["null for contents", { ...GOOD, contents: null }],
    ["an object for contents", { ...GOOD, contents: {} }],
    ["empty text for contents", { ...GOOD, contents: "" }],
    ["empty contents", { ...GOOD, contents: [] }],
    ["no generationConfig", { contents: GOOD.contents }],
    [
      "10,001 contents",
      { ...GOOD, contents: Array.from({ length: 10_001 }, () => ({ parts: [{ text: "x" }] })) },
    ],
    ["no parts", { ...GOOD, contents: [{}] }],
    ["empty parts", { ...GOOD, contents: [{ parts: [] }] }],
    ["an empty part", { ...GOOD, contents: [{ parts: [{}] }] }],
    ["a number for text", saying({ text: 5 })],
    ["an inline image", saying({ inlineData: { mimeType: "image/png", data: "!!" } })],
    ["a file", saying({ fileData: { fileUri: "file:///etc/passwd" } })],
    ["empty text", saying({ text: "" })],
    ["white space", saying({ text: " \n " })],
    ["no modalities", { ...GOOD, generationConfig: {} }],
    ["empty modalities", speaking({ responseModalities: [] })],
    ["a string for modalities", speaking({ responseModalities: "AUDIO" })],
    ["a video modality", speaking({ responseModalities: ["VIDEO"] })],
    ["a number as modality", speaking({ responseModalities: [1] })],
    ["text in addition to audio", speaking({ responseModalities: ["AUDIO", "TEXT"] })],
    ["a thousand modalities", speaking({ responseModalities: Array.from({ length: 1000 }, () => "AUDIO") })],
    ["null for speechConfig", speaking({ speechConfig: null })],
    ["a list for speechConfig", speaking({ speechConfig: [] })],
    ["a string for speechConfig", speaking({ speechConfig: "x" })],
    ["an empty voiceConfig", speaking({ speechConfig: { voiceConfig: {} } })],
    [
      "a number for a voice",
      speaking({ speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 7 } } } }),
    ],
    ["an unknown voice", speaking({ speechConfig: { voiceConfig: voice("Korre") } })],
    [
      "one voice and several",
      speaking({
        speechConfig: {
          voiceConfig: voice("Kore"),
          multiSpeakerVoiceConfig: { speakerVoiceConfigs: [{ speaker: "A", voiceConfig: voice("Puck") }] },
        },
      }),
    ],
    [
      "nine speakers",
      speaking({
        speechConfig: {
          multiSpeakerVoiceConfig: {
            speakerVoiceConfigs: Array.from({ length: 9 }, (_, i) => ({
              speaker: `S${i}`,
              voiceConfig: voice("Puck"),
            })),
          },
        },
      }),
    ],
    ["a candidateCount of a billion", speaking({ candidateCount: 1e9 })],
    ["a string for temperature", speaking({ temperature: "NaN" })],
    ["both forms of one field", { ...GOOD, generation_config: AUDIO }],
    ["an invalid language", speaking({ speechConfig: { languageCode: "not a tag!" } })],
  ])("answers 400 to %s without changing the store", async (_name, body) => {
    const before = digestStore(product.dataDirectory);
    const reply = await send(body);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT", message: expect.any(String) },
    });
    expect(digestStore(product.dataDirectory)).toBe(before);
  });

  test("suggests the nearest name for an unknown voice", async () => {
    const reply = await send(speaking({ speechConfig: { voiceConfig: voice("Korre") } }));
    expect(reply.text).toMatch(/Korre.*did you mean 'Kore'/);
  });

  test("answers 413 to five megabytes of text, and then serves the next request", async () => {
    const reply = await postAtOnce(product.port, {
      path: PATH,
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify(saying({ text: "a".repeat(5_000_000) })),
    });
    expect(reply.status).toBe(413);
    expect(reply.json).toMatchObject({ error: { code: 413, message: expect.stringMatching(/larger than/) } });
    expect((await send(GOOD)).status).toBe(200);
  });

  test("answers 400 with the length and the limit to text beyond the model's limit", async () => {
    const reply = await send(saying({ text: "a ".repeat(16_001) }));
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/32,?002.*32,?000|32,?000.*32,?002/);
  });

  test("accepts text with markup", async () => {
    const reply = await send(saying({ text: '<speak><script>alert("x")</script> hello</speak>' }));
    expect(reply.status).toBe(200);
  });

  test("fetches no URL in any field", async () => {
    const address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/`;
    const file = await send(saying({ text: "hello", fileData: { fileUri: address } }));
    expect(file.status, file.text).toBe(400);
    const unknown = await send({
      ...saying({ text: `see ${address}` }),
      api_base: address,
      baseUrl: address,
      cachedContent: address,
    });
    expect(unknown.status, unknown.text).toBe(200);
    expect(visits).toBe(0);
  });
});
