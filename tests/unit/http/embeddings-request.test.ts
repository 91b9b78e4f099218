import fc from "fast-check";
import { expect, test } from "vitest";
import { EmbedContentRequest } from "../../../lib/contracts/gateway/gemini/embeddings";
import { EmbeddingsRequest } from "../../../lib/contracts/gateway/openai/embeddings";
import { readPlainRequest } from "../../../lib/http/gateway/openai/embeddings";

const strange = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.constant(null),
  fc.constant(false),
  fc.array(fc.string()),
);
const body = fc.record(
  {
    model: fc.oneof(fc.constantFrom("m", "", "x".repeat(128), "x".repeat(129)), strange),
    input: fc.oneof(fc.string(), strange, fc.array(fc.nat())),
    encoding_format: fc.oneof(fc.constantFrom("float", "base64", null, "int8"), strange),
    dimensions: fc.oneof(fc.constantFrom(1, 0, 1.5, null), strange),
    user: fc.oneof(fc.constantFrom("u", "\0"), strange),
    stream: strange,
    extra: strange,
  },
  { requiredKeys: ["model", "input"] },
);

const usual = fc.record(
  {
    model: fc.string({ maxLength: 130 }),
    input: fc.string(),
    encoding_format: fc.constantFrom("float", "base64", "int8", null),
    extra: strange,
  },
  { requiredKeys: ["model", "input"] },
);

test("readPlainRequest accepts only bodies that the schema accepts, with the same result", () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.oneof(body, usual, fc.anything()), (sent) => {
      const fast = readPlainRequest(sent);
      if (fast === null) return;
      plain++;
      const parsed = EmbeddingsRequest.safeParse(sent);
      expect(parsed.data).toStrictEqual(fast);
    }),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(100);
});

test("readPlainRequest accepts the usual bodies", () => {
  for (const sent of [
    { model: "m", input: "a" },
    { input: "a", model: "m", encoding_format: "float" },
    { model: "m", input: "a", encoding_format: "base64", extra: 1 },
  ])
    expect(readPlainRequest(sent)).not.toBeNull();
});

test("limits the dimensions that a caller may ask for", () => {
  const withDimensions = (dimensions: number) => ({ model: "m", input: "a", dimensions });
  expect(EmbeddingsRequest.safeParse(withDimensions(16_384)).success).toBe(true);
  const refused = EmbeddingsRequest.safeParse(withDimensions(16_385));
  expect(refused.error?.issues[0]?.message).toBe("must be at most 16384");
  const content = { content: { parts: [{ text: "a" }] }, outputDimensionality: 16_385 };
  expect(EmbedContentRequest.safeParse(content).error?.issues[0]?.message).toBe("must be at most 16384");
});
