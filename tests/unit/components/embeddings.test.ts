import { expect, test } from "vitest";
import {
  shortestFloat,
  similarityCsv,
  vectorJson,
  vectorsCsv,
  vectorsJson,
} from "@/components/embeddings/export";
import { orderByLikeness } from "@/components/embeddings/order";
import {
  cosines,
  dotProducts,
  nearestPairs,
  neighboursOf,
  rankByNearness,
  spreadOf,
  valueAt,
} from "@/components/embeddings/similarity";
import { linesOf, parseCsv, textsOfCsv, textsOfFile } from "@/components/embeddings/texts";
import { base64FromFloats, embedTexts, floatsFromBase64 } from "@/lib/client/embeddings-call";

const key = "sk-pb-test";

function base64(values: number[]): string {
  return Buffer.from(Float32Array.from(values).buffer).toString("base64");
}

function answering(embeddings: unknown[], asked: RequestInit[] = []): typeof fetch {
  return async (_url, init = {}) => {
    asked.push(init);
    return Response.json(
      {
        object: "list",
        data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })),
        model: "m",
        usage: { prompt_tokens: 9, total_tokens: 9 },
      },
      { headers: { "x-patchbay-channel": "embedded", "x-request-id": "req-1" } },
    );
  };
}

test("float and base64 replies give the same vectors", async () => {
  const call = { model: "m", texts: ["a", "b"], dimensions: null, format: "base64" as const };
  const values = [0.25, -0.1];
  const packed = await embedTexts(call, { key, fetch: answering([base64(values), base64([1, 0])]) });
  const plain = await embedTexts(call, { key, fetch: answering([values, [1, 0]]) });
  expect(packed.vectors).toEqual(plain.vectors);
  expect(packed).toMatchObject({ inputTokens: 9, channel: "embedded", requestId: "req-1" });
});

test("sends the model in the path and the body, one text as a string and dimensions only when chosen", async () => {
  const asked: RequestInit[] = [];
  const one = { model: "m", texts: ["a"], dimensions: null, format: "float" as const };
  await embedTexts(one, { key, fetch: answering([[1]], asked) });
  await embedTexts(
    { ...one, texts: ["a", "b"], dimensions: 8 },
    { key, fetch: answering([[1], [1]], asked) },
  );
  expect(asked.map((init) => JSON.parse(String(init.body)))).toEqual([
    { model: "m", input: "a", encoding_format: "float" },
    { model: "m", input: ["a", "b"], encoding_format: "float", dimensions: 8 },
  ]);
});

test("a reply with a vector missing or of another length is refused", async () => {
  const call = { model: "m", texts: ["a", "b"], dimensions: null, format: "float" as const };
  await expect(embedTexts(call, { key, fetch: answering([[1, 0]]) })).rejects.toMatchObject({
    failure: { advice: "upstream", requestId: "req-1" },
  });
  await expect(embedTexts(call, { key, fetch: answering([[1, 0], [1]]) })).rejects.toThrow();
});

test("base64 is read as little-endian float32", () => {
  expect([...floatsFromBase64("AACAPwAAAMA=")]).toEqual([1, -2]);
  expect(base64FromFloats(Float32Array.from([1, -2]))).toBe("AACAPwAAAMA=");
});

test("cosines are symmetric, 1 on the diagonal and 0 for a zero vector", async () => {
  const vectors = [
    [3, 4],
    [4, 3],
    [-3, -4],
    [0, 0],
  ].map((one) => Float32Array.from(one));
  const table = cosines(await dotProducts(vectors));
  expect(valueAt(table, 0, 0)).toBeCloseTo(1, 6);
  expect(valueAt(table, 0, 1)).toBeCloseTo(0.96, 6);
  expect(valueAt(table, 1, 0)).toBe(valueAt(table, 0, 1));
  expect(valueAt(table, 0, 2)).toBeCloseTo(-1, 6);
  expect(valueAt(table, 3, 0)).toBe(0);
  expect(nearestPairs(table, 2).map(({ row, column }) => [row, column])).toEqual([
    [0, 1],
    [0, 3],
  ]);
  expect(neighboursOf(table, 1).map((one) => one.index)).toEqual([0, 3, 2]);
});

test("a scale shows every value of a few texts, and leaves the outliers of many out", async () => {
  const few = cosines(
    await dotProducts(
      [
        [1, 0],
        [0, 1],
        [3, 4],
      ].map((one) => Float32Array.from(one)),
    ),
  );
  expect(spreadOf(few)?.least).toBeCloseTo(0, 6);
  expect(spreadOf(few)?.most).toBeCloseTo(0.8, 6);
  expect(spreadOf({ count: 1, values: Float32Array.of(1) })).toBeNull();
  const count = 60;
  const values = new Float32Array(count * count).fill(0.25);
  values[1] = 1;
  values[count] = 1;
  expect(spreadOf({ count, values })).toEqual({ least: 0.25, most: 0.25 });
});

test("500 texts are compared in slices, and an abandoned comparison stops", async () => {
  const vectors = Array.from({ length: 500 }, (_, at) => new Float32Array(64).fill(at));
  let clock = 0;
  let breaths = 0;
  const abort = new AbortController();
  const run = dotProducts(vectors, {
    now: () => (clock += 1),
    breathe: async () => {
      breaths += 1;
      if (breaths === 3) abort.abort();
    },
    signal: abort.signal,
  });
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
  expect(breaths).toBe(3);
});

test("neighbours come nearest first, equals in their own order", () => {
  const vectors = [
    [0, 1],
    [1, 0],
    [2, 0],
    [-1, 0],
  ].map((one) => Float32Array.from(one));
  expect(rankByNearness(Float32Array.from([1, 0]), vectors).map((one) => one.index)).toEqual([1, 2, 0, 3]);
});

test("lines are texts, whatever their ends; blank ones are not", () => {
  expect(linesOf("\uFEFFone\r\n\r\n  two \rthree\n")).toEqual(["one", "two", "three"]);
});

test("a CSV's quoted cells keep separators, quotes and line breaks", () => {
  expect(parseCsv('a,"b, ""c""\r\nd",\r\n,\n"x"')).toEqual([["a", 'b, "c"\nd', ""], ["", ""], ["x"]]);
});

test("the texts of a CSV are the headed column, else the longest", () => {
  expect(textsOfCsv("id,Text,lang\n1,Hello,en\n2,,en\n3,Bonjour,fr")).toEqual(["Hello", "Bonjour"]);
  expect(textsOfCsv("1;The first sentence\n2;A second")).toEqual(["The first sentence", "A second"]);
  expect(textsOfCsv("a\tlonger one\nb\tand more")).toEqual(["longer one", "and more"]);
  expect(textsOfFile("x.TXT", "a,b\nc")).toEqual(["a,b", "c"]);
});

test("ordered by likeness, groups stand side by side, however they were mixed", async () => {
  const groups = [0, 2, 1, 0, 1, 2, 2, 0, 1];
  const vectors = groups.map((group, at) =>
    Float32Array.from([0, 1, 2].map((axis) => (axis === group ? 1 : 0.05 * ((at * 7) % 5)))),
  );
  const order = await orderByLikeness(cosines(await dotProducts(vectors)));
  expect([...order].sort((a, b) => a - b)).toEqual(groups.map((_, at) => at));
  const seen = order.map((index) => groups[index]);
  const changes = seen.filter((group, at) => at > 0 && group !== seen[at - 1]).length;
  expect(changes).toBe(2);
  expect(await orderByLikeness({ count: 0, values: new Float32Array() })).toEqual([]);
});

test("a matrix export is headed by the texts on both sides", async () => {
  const table = cosines(await dotProducts([Float32Array.from([1, 0]), Float32Array.from([3, 4])]));
  expect(parseCsv(similarityCsv(["a", "=b"], table))).toEqual([
    ["", "a", "'=b"],
    ["a", "1", "0.6"],
    ["'=b", "0.6", "1"],
  ]);
});

test("exported numbers read back as the same float32", () => {
  const vector = Float32Array.from([0.1, -1 / 3, 1e-9, 16_777_217, 0]);
  expect(Float32Array.from(JSON.parse(vectorJson(vector)))).toEqual(vector);
  expect(shortestFloat(Math.fround(0.1))).toBe(0.1);
});

test("exports hold every text with its vector, and no text runs as a formula", () => {
  const vectors = [Float32Array.from([1, 0]), Float32Array.from([0, 1])];
  const texts = ["=1+1", 'say "a, b"\nc'];
  expect(JSON.parse(vectorsJson("m", texts, vectors))).toEqual({
    model: "m",
    dimensions: 2,
    data: [
      { index: 0, text: "=1+1", embedding: [1, 0] },
      { index: 1, text: 'say "a, b"\nc', embedding: [0, 1] },
    ],
  });
  expect(parseCsv(vectorsCsv(texts, vectors))).toEqual([
    ["index", "text", "d0", "d1"],
    ["0", "'=1+1", "1", "0"],
    ["1", 'say "a, b"\nc', "0", "1"],
  ]);
});
