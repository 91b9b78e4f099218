import fc from "fast-check";
import reference from "gpt-tokenizer/encoding/cl100k_base";
import { expect, test } from "vitest";
import { countTokens, countTokensInSteps, decodeTokens } from "@/lib/text/tokenize";

/** The package's own encoder: right, but quadratic in the length of a piece. */
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

test("any text has as many tokens as the reference encoder gives it", () => {
  fc.assert(
    fc.property(text, (sample) => {
      // The package's encoder loses a byte order mark, which is a token of cl100k_base.
      fc.pre(!sample.includes("\ufeff"));
      expect(countTokens(sample)).toBe(encode(sample).length);
    }),
    { numRuns: 500 },
  );
});

test("the ids of a text are decoded to that text", () => {
  fc.assert(
    fc.property(text, (sample) => {
      const wellFormed = Buffer.from(sample, "utf8").toString("utf8");
      expect(decodeTokens(encode(wellFormed))).toBe(wellFormed);
    }),
    { numRuns: 300 },
  );
});

test("what looks like a special token is ordinary text, but its id has its name", () => {
  expect(countTokens("<|endoftext|>")).toBe(7);
  expect(decodeTokens([100_257])).toBe("<|endoftext|>");
});

test("ids outside the vocabulary are told", () => {
  for (const id of [100_256, 100_261, 100_277, 2 ** 31]) expect(decodeTokens([15339, id])).toBeNull();
});

test("half a character decodes to U+FFFD and leaves nothing behind for the next text", () => {
  const [first = 0] = encode("😀");
  expect(decodeTokens([first])).toContain("\ufffd");
  expect(decodeTokens([15339])).toBe("hello");
});

test("counting stops soon above a limit, and never below it", () => {
  expect(countTokens("word ".repeat(50), 10)).toBeGreaterThan(10);
  expect(countTokens("word ".repeat(50), 51)).toBe(encode("word ".repeat(50)).length);
  expect(countTokens("a".repeat(50_000_000), 8_192)).toBeGreaterThan(8_192);
});

test("repetitive text takes a time in proportion to its length", () => {
  // A quadratic merge of these would take minutes; the bound is wide for slow machines.
  const began = performance.now();
  for (const unit of ["a", "=", " ", "é", "\n ", "ab"]) countTokens(`${unit.repeat(200_000)}x`);
  expect(performance.now() - began).toBeLessThan(15_000);
});

/** The count, and the most work between two steps in milliseconds of CPU: a wait for the machine's other work is none. */
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

test("counting in steps gives the same number, also while another text is counted between them", () => {
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

test("a megabyte without a break is counted in short steps", () => {
  for (const unit of [" ", "\t ", "="]) {
    const whole = unit.repeat(1_000_000 / unit.length);
    const { count, longestMs } = countStepwise(whole);
    expect(count).toBe(countTokens(whole));
    // A step is about a millisecond; the bound is wide for slow machines and the collector.
    expect(longestMs).toBeLessThan(150);
  }
});
