import fc from "fast-check";
import reference from "gpt-tokenizer/encoding/cl100k_base";
import { expect, test } from "vitest";
import { countTokens, countTokensInSteps, decodeTokens, findUnknownToken } from "@/lib/text/tokenize";
import { Vocabulary, vocabulary } from "@/lib/text/vocabulary";

/** The package's encoder: correct, but quadratic in the length of a piece. */
function encode(text: string): number[] {
  return reference.encode(text, { disallowedSpecial: new Set() });
}

const SNIPPETS = [
  "hello world",
  "The quick brown fox",
  "  \n\n",
  "\t",
  "don't we'll I'VE",
  "naïve café e\u0301",
  "日本語のテキスト",
  "Привет мир",
  "مرحبا",
  "😀👍🏽",
  "12345678",
  "<|endoftext|>",
  "!!!===---",
  "\ud800",
  "ภาษาไทย",
  "\r\n",
  "translatesAutoresizingMask",
  "zzqxj",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...SNIPPETS), fc.string({ unit: "binary" })), { maxLength: 12 })
  .map((parts) => parts.join(""));

test("counts as many tokens as the reference encoder for any text", () => {
  fc.assert(
    fc.property(text, (sample) => {
      // The package's encoder loses a byte order mark, which is a token of cl100k_base.
      fc.pre(!sample.includes("\ufeff"));
      expect(countTokens(sample)).toBe(encode(sample).length);
    }),
    { numRuns: 500 },
  );
});

test("decodes the token IDs of a text to that text", () => {
  fc.assert(
    fc.property(text, (sample) => {
      const wellFormed = Buffer.from(sample, "utf8").toString("utf8");
      expect(decodeTokens(encode(wellFormed))).toBe(wellFormed);
    }),
    { numRuns: 300 },
  );
});

test("treats the name of a special token as ordinary text, but decodes its ID to the name", () => {
  expect(countTokens("<|endoftext|>")).toBe(7);
  expect(decodeTokens([100_257])).toBe("<|endoftext|>");
});

test("finds every token by its bytes, and no other text", () => {
  const words = vocabulary();
  expect(words.size).toBe(100_256);
  for (let rank = 0; rank < words.size; rank++) {
    const buffer = Buffer.alloc(words.lengthOf(rank) ?? 0);
    words.copy(rank, buffer, 0);
    const bytes = buffer.toString("latin1");
    if (words.rankOf(`x${bytes}y`, 1, bytes.length + 1) !== rank) expect.fail(`token ${rank}`);
  }
  expect(["", "unzqxable", "\u0100", "\u4e00"].map((text) => words.rankOf(text, 0, text.length))).toEqual([
    -1, -1, -1, -1,
  ]);
  expect([-1, 0.5, words.size].map((rank) => words.lengthOf(rank))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("refuses a vocabulary with missing tokens", () => {
  const lines = (...ranks: number[]) => Buffer.from(ranks.map((rank) => `QUI= ${rank}\n`).join(""));
  expect(new Vocabulary(lines(0), 1).rankOf("AB", 0, 2)).toBe(0);
  expect(() => new Vocabulary(lines(0, 2), 2)).toThrow("The vocabulary's line 2 has rank 2, not 1.");
  expect(() => new Vocabulary(lines(0), 2)).toThrow("The vocabulary has 1 tokens, not 2.");
  // Cut within its second token.
  expect(() => new Vocabulary(lines(0, 1).subarray(0, 10), 2)).toThrow("The vocabulary's line 2 has rank 0");
});

test("returns null for token IDs outside the vocabulary, and finds the first, also after a special one", () => {
  for (const id of [100_256, 100_261, 100_277, 2 ** 31]) {
    expect(decodeTokens([15339, id])).toBeNull();
    expect(findUnknownToken([100_257, 15339, id])).toBe(2);
  }
});

test("decodes half a character to U+FFFD and does not affect the next text", () => {
  const [first = 0] = encode("😀");
  expect(decodeTokens([first])).toContain("\ufffd");
  expect(decodeTokens([15339])).toBe("hello");
});

test("stops counting soon above a limit, and never below it", () => {
  expect(countTokens("word ".repeat(50), 10)).toBeGreaterThan(10);
  expect(countTokens("word ".repeat(50), 51)).toBe(encode("word ".repeat(50)).length);
  expect(countTokens("a".repeat(50_000_000), 8_192)).toBeGreaterThan(8_192);
});

test("takes linear time for repetitive text", () => {
  // A quadratic merge of these would take minutes; the bound is wide for slow machines.
  const began = performance.now();
  for (const unit of ["a", "=", " ", "é", "\n ", "ab"]) countTokens(`${unit.repeat(200_000)}x`);
  expect(performance.now() - began).toBeLessThan(15_000);
});

/** The count, and the longest step in milliseconds of CPU time, which excludes waiting for other processes. */
function countStepwise(text: string, limit?: number): { count: number; longestMs: number } {
  const steps = countTokensInSteps(text, limit);
  let longestMs = 0;
  for (;;) {
    const began = process.cpuUsage();
    const step = steps.next();
    longestMs = Math.max(longestMs, process.cpuUsage(began).user / 1_000);
    if (step.done) return { count: step.value, longestMs };
  }
}

test("counting in steps returns the same number, also while another text is counted", () => {
  fc.assert(
    fc.property(text, (sample) => {
      const whole = sample.repeat(300);
      const steps = countTokensInSteps(whole);
      let step = steps.next();
      while (!step.done) {
        countTokens("something else");
        step = steps.next();
      }
      expect(step.value).toBe(countTokens(whole));
    }),
    { numRuns: 40 },
  );
  expect(countStepwise("word ".repeat(50), 10).count).toBeGreaterThan(10);
});

test("counts a megabyte without a break in short steps", () => {
  for (const unit of [" ", "\t ", "="]) {
    const tenth = unit.repeat(100_000 / unit.length);
    expect(countStepwise(tenth).count).toBe(countTokens(tenth));
    const { longestMs } = countStepwise(tenth.repeat(10));
    // A step is about a millisecond; the bound is wide for slow machines and the collector.
    expect(longestMs).toBeLessThan(150);
  }
});
