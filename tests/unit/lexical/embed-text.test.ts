import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { embedText } from "@/lib/providers/lexical/embed-text";
import { PARAPHRASES } from "../../support/paraphrases";

function similarity(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
}

function textSimilarity(a: string, b: string, dimensions = 1_024): number {
  return similarity(embedText(a, dimensions), embedText(b, dimensions));
}

test.each(Object.keys(PARAPHRASES))(
  "%s: a paraphrase is nearer than any unrelated text, at any usual length",
  (language) => {
    const pairs = PARAPHRASES[language] ?? [];
    for (const dimensions of [1_024, 512, 256]) {
      const vectors = pairs.flat().map((text) => embedText(text, dimensions));
      for (const [i, vector] of vectors.entries()) {
        const partner = i % 2 === 0 ? i + 1 : i - 1;
        const toPartner = similarity(vector, vectors[partner] ?? vector);
        const toOthers = vectors
          .filter((_, j) => j !== i && j !== partner)
          .map((other) => similarity(vector, other));
        expect(toPartner, `${pairs.flat()[i]} at ${dimensions}`).toBeGreaterThan(
          Math.max(...toOthers) + 0.05,
        );
      }
    }
  },
);

test("keeps unrelated texts apart although they share function words", () => {
  expect(
    textSimilarity(
      "This is one of the things that we have to do.",
      "That was all of it and they are not on the list.",
    ),
  ).toBeLessThan(0.25);
});

test("keeps inflected forms and typing errors near, and unrelated words apart", () => {
  expect(textSimilarity("translation", "translations")).toBeGreaterThan(0.4);
  expect(textSimilarity("Übersetzung", "Übersetzungen")).toBeGreaterThan(0.4);
  expect(textSimilarity("accommodation", "acommodation")).toBeGreaterThan(0.3);
  expect(textSimilarity("translation", "bicycle")).toBeLessThan(0.1);
});

test("almost ignores case, accents, compatibility forms and final punctuation", () => {
  expect(textSimilarity("Hello World", "hello world")).toBeCloseTo(1, 5);
  expect(textSimilarity("Hello world", "Hello world!")).toBeGreaterThan(0.99);
  expect(textSimilarity("café crème", "cafe creme")).toBeGreaterThan(0.85);
  expect(textSimilarity("ｈｅｌｌｏ", "hello")).toBeCloseTo(1, 5);
  expect(textSimilarity("Straße", "STRASSE")).toBeGreaterThan(0.85);
  expect(textSimilarity("e\u0301te\u0301", "été")).toBeCloseTo(1, 5);
});

test("depends a little on the order of words", () => {
  const reordered = textSimilarity("dog bites man", "man bites dog");
  expect(reordered).toBeGreaterThan(0.7);
  expect(reordered).toBeLessThan(0.999);
});

test("returns a unit vector for any text and number of dimensions, also for white space and unpaired surrogates", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "   ", "\n\t", "\u3000", "...", "😀", "\ud800"),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 1_024 }), (sample, dimensions) => {
      const vector = embedText(sample, dimensions);
      expect(vector).toHaveLength(dimensions);
      expect(Math.abs(Math.sqrt(similarity(vector, vector)) - 1)).toBeLessThan(1e-5);
    }),
  );
});

test("returns a shorter vector as the prefix of the whole, normalised again", () => {
  const whole = embedText("The quick brown fox jumps over the lazy dog", 1_024);
  const short = embedText("The quick brown fox jumps over the lazy dog", 256);
  const norm = Math.sqrt(similarity(whole.slice(0, 256), whole.slice(0, 256)));
  for (const [i, x] of short.entries()) expect(x).toBeCloseTo((whole[i] ?? 0) / norm, 6);
});

/** First eight bytes of the SHA-256 over the little-endian floats. */
const GOLDEN = ["06b6f22c00b89afa", "5d87bca43ff56e7c", "8fd6c3ab34f8f31f", "da4cbb466439a35c"];

test("returns the same bits for a text on every machine and in every version", () => {
  const digest = (text: string): string => {
    const vector = embedText(text, 1_024);
    const bytes = Buffer.alloc(vector.length * 4);
    for (const [i, x] of vector.entries()) bytes.writeFloatLE(x, i * 4);
    return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  };
  expect(["hello world", "Où est la gare ?", "今天天气很好", "Привет, мир!"].map(digest)).toEqual(GOLDEN);
});

test("embeds at least 2,000 short texts per second (the bench measures against 10,000)", () => {
  const texts = Array.from(
    { length: 4_000 },
    (_, i) => `Where can I find the invoice number ${i} for my last order?`,
  );
  const began = performance.now();
  for (const text of texts) embedText(text, 1_024);
  expect(texts.length / ((performance.now() - began) / 1_000)).toBeGreaterThan(2_000);
});
