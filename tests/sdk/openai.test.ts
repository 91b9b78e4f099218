import OpenAI6 from "openai";
import OpenAI5 from "openai5";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey, type Product, setUp, startProduct } from "../support/product";

let product: Product;
let cookie: string;
let key: string;

beforeAll(async () => {
  product = await startProduct({ nodeAdapterOnly: true });
  cookie = await setUp(product.url);
  key = await createKey(product.url, cookie);
});
afterAll(() => product?.close());

// Both majors have the same API for what is used here; version 5 has different types.
const SDKS = [
  ["6", OpenAI6],
  ["5", OpenAI5 as unknown as typeof OpenAI6],
] as const;

describe.each(SDKS)("the official openai package, major %s", (_major, OpenAI) => {
  const client = (apiKey = key, maxRetries = 0) =>
    new OpenAI({ apiKey, baseURL: `${product.url}/v1`, maxRetries });

  test("gets a unit vector for a string", async () => {
    const reply = await client().embeddings.create({
      model: "patchbay-embed",
      input: "The cat sat on the mat.",
    });
    const vector = reply.data[0]?.embedding ?? [];
    expect(vector).toHaveLength(1024);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(reply.model).toBe("patchbay-embed");
    expect(reply.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
  });

  test("gets the same numbers as base64 (the package's default) and as floats", async () => {
    const asked = { model: "patchbay-embed", input: "one and the same" } as const;
    const decoded = await client().embeddings.create(asked);
    const floats = await client().embeddings.create({ ...asked, encoding_format: "float" });
    expect(decoded.data[0]?.embedding).toEqual([...Float32Array.from(floats.data[0]?.embedding ?? [])]);
  });

  test("gets vectors in the order of its inputs, equal to those of each text alone", async () => {
    const inputs = ["alpha", "beta gamma", "delta"];
    const together = await client().embeddings.create({ model: "patchbay-embed", input: inputs });
    expect(together.data.map((one) => one.index)).toEqual([0, 1, 2]);
    for (const [index, input] of inputs.entries()) {
      const alone = await client().embeddings.create({ model: "patchbay-embed", input });
      const pairs = alone.data[0]?.embedding.map((value, at) =>
        Math.abs(value - (together.data[index]?.embedding[at] ?? 9)),
      );
      expect(Math.max(...(pairs ?? [9]))).toBeLessThan(1e-6);
    }
  });

  test("compares meanings with the semantic model, and gets a notice about inputs that are not English", async () => {
    const input = ["How do I reset my password?", "I forgot my login secret.", "The soup is too salty."];
    const { data, usage } = await client().embeddings.create({ model: "patchbay-embed-en", input });
    const [asked = [], same = [], other = []] = data.map((one) => one.embedding);
    const similarity = (vector: number[]) => vector.reduce((sum, x, at) => sum + x * (asked[at] ?? 0), 0);
    expect(asked).toHaveLength(512);
    expect(similarity(same)).toBeGreaterThan(similarity(other) + 0.2);
    // Counted in the model's own tokens.
    expect(usage.prompt_tokens).toBe(23);
    const { response } = await client()
      .embeddings.create({
        model: "patchbay-embed-en",
        input: ["The soup.", "Die Suppe ist viel zu salzig."],
      })
      .withResponse();
    expect(response.headers.get("x-patchbay-notice")).toContain("not look like English: 1.");
  });

  test("accepts token IDs in place of text", async () => {
    const byIds = await client().embeddings.create({ model: "patchbay-embed", input: [15339, 1917] });
    const byText = await client().embeddings.create({ model: "patchbay-embed", input: "hello world" });
    expect(byIds.data[0]?.embedding).toEqual(byText.data[0]?.embedding);
    expect(byIds.usage.prompt_tokens).toBe(2);
    const several = await client().embeddings.create({
      model: "patchbay-embed",
      input: [[15339, 1917], [15339]],
    });
    expect(several.data).toHaveLength(2);
  });

  test("gets shortened vectors of unit length", async () => {
    const reply = await client().embeddings.create({
      model: "patchbay-embed",
      input: "short",
      dimensions: 256,
    });
    expect(reply.data[0]?.embedding).toHaveLength(256);
    expect(Math.hypot(...(reply.data[0]?.embedding ?? []))).toBeCloseTo(1, 5);
  });

  test("reaches the engines path", async () => {
    const reply = await client().post<OpenAI6.CreateEmbeddingResponse>("/engines/patchbay-embed/embeddings", {
      body: { model: "patchbay-embed", input: "by its engine" },
    });
    expect(reply.data[0]?.embedding).toHaveLength(1024);
  });

  test("lists and finds models", async () => {
    const names: string[] = [];
    for await (const model of client().models.list()) names.push(model.id);
    expect(names).toEqual(expect.arrayContaining(["patchbay-speech", "patchbay-embed", "patchbay-embed-en"]));
    expect((await client().models.retrieve("patchbay-embed")).object).toBe("model");
  });

  test.each([
    ["mp3", "audio/mpeg"],
    ["opus", "audio/ogg"],
    ["aac", "audio/aac"],
    ["flac", "audio/flac"],
    ["wav", "audio/wav"],
    ["pcm", "audio/pcm"],
  ] as const)("plays speech as %s", async (format, type) => {
    const reply = await client().audio.speech.create({
      model: "patchbay-speech",
      voice: "alloy",
      input: "Good morning, everybody.",
      response_format: format,
    });
    expect(reply.headers.get("content-type")).toContain(type);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(2_000);
  });

  test("streams speech as events that end with the usage", async () => {
    const stream = await client().audio.speech.create({
      model: "patchbay-speech",
      voice: "nova",
      input: "One sentence. Another sentence follows it.",
      response_format: "pcm",
      stream_format: "sse",
    });
    const events = (await stream.text())
      .split("\n\n")
      .filter((block) => block.length > 0)
      .map(
        (block) =>
          JSON.parse(block.slice(block.indexOf("data: ") + 6)) as {
            type: string;
            usage?: { total_tokens: number };
          },
      );
    expect(events.at(-1)?.type).toBe("speech.audio.done");
    expect(events.at(-1)?.usage?.total_tokens).toBeGreaterThan(20);
    expect(events.slice(0, -1).every((event) => event.type === "speech.audio.delta")).toBe(true);
  });

  test("throws its own BadRequestError with the invalid field", async () => {
    const refused = await client()
      .embeddings.create({ model: "patchbay-embed", input: "" })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused).toMatchObject({ status: 400, param: "input", type: "invalid_request_error" });
    expect(refused).toHaveProperty("requestID", expect.any(String));
  });

  test("throws its own AuthenticationError for a wrong key", async () => {
    const refused = await client(`${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`)
      .models.list()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(refused).toMatchObject({ status: 401, code: "invalid_api_key" });
  });

  test("throws its own NotFoundError for an unknown model", async () => {
    const refused = await client()
      .embeddings.create({ model: "no-such-model", input: "x" })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.NotFoundError);
    expect(refused).toMatchObject({ status: 404, code: "model_not_found" });
  });

  test("throws its own RateLimitError above the key's requests per minute", async () => {
    const narrow = await createKey(product.url, cookie, { name: "narrow", rpm: 2 });
    await client(narrow).models.list();
    await client(narrow).models.list();
    const refused = await client(narrow)
      .models.list()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
    expect(refused).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  });
});
