import { expect, test } from "vitest";
import { clusterBySimilarity } from "@/components/embeddings/cluster-by-similarity";
import { findClusters } from "@/components/embeddings/clusters";
import { type EmbeddingsDraft, withLink } from "@/components/embeddings/draft";
import {
  shortestFloat,
  similarityCsv,
  vectorJson,
  vectorsCsv,
  vectorsJson,
} from "@/components/embeddings/export";
import { fitCell, positionAt, scrollToPosition, zoomFrom } from "@/components/embeddings/matrix-geometry";
import { compareRanks, differencesOf } from "@/components/embeddings/rank-differences";
import {
  cosines,
  dotProducts,
  nearestPairs,
  neighboursOf,
  rankBySimilarity,
  scaleOf,
  valueAt,
} from "@/components/embeddings/similarity";
import { linesOf, parseCsv, textsOfCsv, textsOfFile } from "@/components/embeddings/texts";
import { readFiles } from "@/components/embeddings/use-embeddings-playground";
import { base64FromFloats, embedTexts, floatsFromBase64 } from "@/lib/client/embeddings-call";
import { en } from "@/lib/messages/en";

const key = "sk-pb-test";

function base64(values: number[]): string {
  return Buffer.from(Float32Array.from(values).buffer).toString("base64");
}

/** A fetch that replies with these embeddings and records its requests. */
function replyWith(embeddings: unknown[], requests: RequestInit[] = []): typeof fetch {
  return async (_url, init = {}) => {
    requests.push(init);
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

test("reads the same vectors from float and base64 replies", async () => {
  const call = { model: "m", texts: ["a", "b"], dimensions: null, format: "base64" as const };
  const values = [0.25, -0.1];
  const packed = await embedTexts(call, { key, fetch: replyWith([base64(values), base64([1, 0])]) });
  const plain = await embedTexts(call, { key, fetch: replyWith([values, [1, 0]]) });
  expect(packed.vectors).toEqual(plain.vectors);
  expect(packed).toMatchObject({ inputTokens: 9, channel: "embedded", requestId: "req-1" });
});

test("sends a single text as a string, several as an array, and dimensions only when set", async () => {
  const requests: RequestInit[] = [];
  const one = { model: "m", texts: ["a"], dimensions: null, format: "float" as const };
  await embedTexts(one, { key, fetch: replyWith([[1]], requests) });
  await embedTexts(
    { ...one, texts: ["a", "b"], dimensions: 8 },
    { key, fetch: replyWith([[1], [1]], requests) },
  );
  expect(requests.map((init) => JSON.parse(String(init.body)))).toEqual([
    { model: "m", input: "a", encoding_format: "float" },
    { model: "m", input: ["a", "b"], encoding_format: "float", dimensions: 8 },
  ]);
});

test("sends a retrieval task to the endpoint that takes one and reads its reply", async () => {
  const call = { model: "hub/m", texts: ["a", "b"], dimensions: 2, format: "base64" as const };
  const requests: [string, unknown][] = [];
  const reply = await embedTexts(call, {
    key,
    task: "RETRIEVAL_DOCUMENT",
    fetch: async (url, init = {}) => {
      requests.push([String(url), JSON.parse(String(init.body))]);
      return Response.json({
        embeddings: [{ values: [1, 0] }, { values: [0, 1] }],
        usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
      });
    },
  });
  const settings = { taskType: "RETRIEVAL_DOCUMENT", outputDimensionality: 2 };
  const requestOf = (text: string) => ({ content: { parts: [{ text }] }, ...settings });
  expect(requests).toEqual([
    ["/v1beta/models/hub/m:batchEmbedContents", { requests: [requestOf("a"), requestOf("b")] }],
  ]);
  expect(reply.vectors.map((one) => [...one])).toEqual([
    [1, 0],
    [0, 1],
  ]);
  expect(reply.inputTokens).toBe(7);
});

test("rejects a reply with a missing vector or with vectors of different lengths", async () => {
  const call = { model: "m", texts: ["a", "b"], dimensions: null, format: "float" as const };
  await expect(embedTexts(call, { key, fetch: replyWith([[1, 0]]) })).rejects.toMatchObject({
    failure: { advice: "upstream", requestId: "req-1" },
  });
  await expect(embedTexts(call, { key, fetch: replyWith([[1, 0], [1]]) })).rejects.toThrow();
});

test("reads and writes base64 as little-endian float32", () => {
  expect([...floatsFromBase64("AACAPwAAAMA=")]).toEqual([1, -2]);
  expect(base64FromFloats(Float32Array.from([1, -2]))).toBe("AACAPwAAAMA=");
});

test("computes cosines that are symmetric, 1 on the diagonal and 0 for a zero vector", async () => {
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

test("scales the colours over all values of a few texts, and without outliers over many", async () => {
  const few = cosines(
    await dotProducts(
      [
        [1, 0],
        [0, 1],
        [3, 4],
      ].map((one) => Float32Array.from(one)),
    ),
  );
  expect(scaleOf(few)?.min).toBeCloseTo(0, 6);
  expect(scaleOf(few)?.max).toBeCloseTo(0.8, 6);
  expect(scaleOf({ count: 1, values: Float32Array.of(1) })).toBeNull();
  const count = 60;
  const values = new Float32Array(count * count).fill(0.25);
  values[1] = 1;
  values[count] = 1;
  expect(scaleOf({ count, values })).toEqual({ min: 0.25, max: 0.25 });
});

test("compares 500 texts in slices and stops when aborted", async () => {
  const vectors = Array.from({ length: 500 }, (_, at) => new Float32Array(64).fill(at));
  let clock = 0;
  let pauses = 0;
  const abort = new AbortController();
  const run = dotProducts(vectors, {
    now: () => (clock += 1),
    pause: async () => {
      pauses += 1;
      if (pauses === 3) abort.abort();
    },
    signal: abort.signal,
  });
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
  expect(pauses).toBe(3);
});

test("ranks neighbours by similarity and keeps the order of ties", () => {
  const vectors = [
    [0, 1],
    [1, 0],
    [2, 0],
    [-1, 0],
  ].map((one) => Float32Array.from(one));
  expect(rankBySimilarity(Float32Array.from([1, 0]), vectors).map((one) => one.index)).toEqual([1, 2, 0, 3]);
});

test("reads one text per line for every line ending and skips blank lines", () => {
  expect(linesOf("\uFEFFone\r\n\r\n  two \rthree\n")).toEqual(["one", "two", "three"]);
});

test("keeps separators, quotes and line breaks in quoted CSV cells", () => {
  expect(parseCsv('a,"b, ""c""\r\nd",\r\n,\n"x"')).toEqual([["a", 'b, "c"\nd', ""], ["", ""], ["x"]]);
});

test("takes the texts of a CSV from the named column, else from the longest one", () => {
  expect(textsOfCsv("id,Text,lang\n1,Hello,en\n2,,en\n3,Bonjour,fr")).toEqual(["Hello", "Bonjour"]);
  expect(textsOfCsv("1;The first sentence\n2;A second")).toEqual(["The first sentence", "A second"]);
  expect(textsOfCsv("a\tlonger one\nb\tand more")).toEqual(["longer one", "and more"]);
  expect(textsOfCsv("name,text\nA,First\nB,Second")).toEqual(["First", "Second"]);
  expect(textsOfCsv("id,title,body\n1,A,First")).toEqual(["First"]);
  expect(textsOfCsv("id,name\n1,Ada")).toEqual(["Ada"]);
  expect(textsOfFile("x.TXT", "a,b\nc")).toEqual(["a,b", "c"]);
});

test.each([
  ["id,title,review\n1,A very long title,Good\n2,Another long title,Bad", ["Good", "Bad"]],
  ["query,answer\nHow?,So it is done", ["How?"]],
  ["name,biography\nAda,Wrote the first program", ["Wrote the first program"]],
  ["feedback,stars\nGood,5\nBad,1.5", ["Good", "Bad"]],
  ["编号,评论\n1,很好", ["很好"]],
  ["Ada,Wrote the first program\nBob,Read it", ["Wrote the first program", "Read it"]],
  ["Good,5\nBad,1", ["Good", "Bad"]],
  ["title,url\nCats,https://example.com/a-long-address", ["Cats"]],
  ["name,description,reviews\nDesk,Made of oak,120", ["Made of oak"]],
  ["date\napple\nfig", ["date", "apple", "fig"]],
])("finds the column of texts of the CSV %j, with or without a header", (csv, texts) => {
  expect(textsOfCsv(csv)).toEqual(texts);
});

test("a link with only a model keeps the draft; a link with a call resets the settings that it leaves out", () => {
  const edited: EmbeddingsDraft = {
    texts: [{ id: 1, text: "mine" }],
    model: "",
    dimensions: 64,
    format: "base64",
    query: "q",
  };
  expect(withLink(edited, { model: "other" })).toEqual({ ...edited, model: "other" });
  expect(withLink(edited, { model: "other", dimensions: 8 })).toEqual({
    ...edited,
    model: "other",
    dimensions: 8,
    format: "float",
    query: "",
  });
  expect(withLink(edited, { texts: ["theirs"] }).texts).toMatchObject([{ text: "theirs" }]);
});

test("reads files of more lines than a function can have arguments", async () => {
  const lines = `text\n${"a\n".repeat(200_000)}`;
  const files = [new File([lines], "texts.csv"), new File([lines], "texts.txt")];
  expect(await readFiles(files)).toMatchObject({ texts: { length: 400_001 }, rejected: null });
});

test("orders mixed texts so that each group is contiguous", async () => {
  const groups = [0, 2, 1, 0, 1, 2, 2, 0, 1];
  const vectors = groups.map((group, at) =>
    Float32Array.from([0, 1, 2].map((axis) => (axis === group ? 1 : 0.05 * ((at * 7) % 5)))),
  );
  const { order } = await clusterBySimilarity(cosines(await dotProducts(vectors)));
  expect([...order].sort((a, b) => a - b)).toEqual(groups.map((_, at) => at));
  const seen = order.map((index) => groups[index]);
  const changes = seen.filter((group, at) => at > 0 && group !== seen[at - 1]).length;
  expect(changes).toBe(2);
  expect((await clusterBySimilarity({ count: 0, values: new Float32Array() })).order).toEqual([]);
});

/** Cosines of unit vectors near the axes that `groups` names, at different small distances. */
async function grouped(groups: readonly number[]) {
  const axes = Math.max(...groups) + 1;
  const vectors = groups.map((group, at) =>
    Float32Array.from({ length: axes }, (_, axis) => (axis === group ? 1 : 0.04 * ((at * 7 + axis) % 5))),
  );
  const matrix = cosines(await dotProducts(vectors));
  return { matrix, clustering: await clusterBySimilarity(matrix) };
}

test("finds the clusters of mixed texts, each with its most central text first", async () => {
  const groups = [0, 2, 1, 0, 1, 2, 2, 0, 1, 2, 3];
  const { matrix, clustering } = await grouped(groups);
  const clusters = findClusters(matrix, clustering);
  const found = clusters.map(({ members }) => members.toSorted((a, b) => a - b));
  expect(found.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))).toEqual([
    [0, 3, 7],
    [1, 5, 6, 9],
    [2, 4, 8],
  ]);
  expect(clusters[0]?.members).toHaveLength(4);
  for (const { members } of clusters) {
    const sums = members.map((one) => members.reduce((sum, other) => sum + valueAt(matrix, one, other), 0));
    expect(sums[0]).toBe(Math.max(...sums));
  }
});

test("finds no clusters among fewer than four texts or equal ones", async () => {
  const few = await grouped([0, 1, 2]);
  expect(findClusters(few.matrix, few.clustering)).toEqual([]);
  const equal = cosines(await dotProducts(Array.from({ length: 6 }, () => Float32Array.from([1, 0]))));
  expect(findClusters(equal, await clusterBySimilarity(equal))).toEqual([]);
});

test("reports by how many ranks the neighbours of each text differ between two models", async () => {
  const matrixOf = async (angles: readonly number[]) =>
    cosines(await dotProducts(angles.map((angle) => Float32Array.from([Math.cos(angle), Math.sin(angle)]))));
  const first = await matrixOf([0, 0.1, 0.2, 0.3, 0.4]);
  const second = await matrixOf([0, 0.4, 0.2, 0.1, 0.3]);
  const ranks = compareRanks(first, second, 0, 2);
  const short = (all: typeof ranks.first) =>
    all.map(({ index, rank, otherRank }) => [index, rank, otherRank]);
  expect(short(ranks.first)).toEqual([
    [1, 1, 4],
    [2, 2, 2],
  ]);
  expect(short(ranks.second)).toEqual([
    [3, 1, 3],
    [2, 2, 2],
  ]);
  expect(ranks.shared).toBe(1);
  expect(differencesOf(first, first, 2).every(({ shared }) => shared === 2)).toBe(true);
  const differences = differencesOf(first, second, 2);
  expect(differences.map(({ index }) => index).toSorted()).toEqual([0, 1, 2, 3, 4]);
  expect(differences.map(({ shared }) => shared)).toEqual(
    differences.map(({ shared }) => shared).toSorted((a, b) => a - b),
  );
});

test("exports the matrix with the texts as row and column headers", async () => {
  const table = cosines(await dotProducts([Float32Array.from([1, 0]), Float32Array.from([3, 4])]));
  expect(parseCsv(similarityCsv(["a", "=b"], table))).toEqual([
    ["", "a", "'=b"],
    ["a", "1", "0.6"],
    ["'=b", "0.6", "1"],
  ]);
  // Spreadsheets ignore a tab before a formula.
  expect(parseCsv(similarityCsv(["\t=b"], { ...table, count: 1 }))[0]).toEqual(["", "'\t'=b"]);
  // A spreadsheet that separates cells by `;` ignores quotes inside a cell.
  expect(similarityCsv(["a;=1"], { ...table, count: 1 })).toContain(`,"a;'=1"\r\n`);
});

test("exports numbers that parse to the same float32", () => {
  const vector = Float32Array.from([0.1, -1 / 3, 1e-9, 16_777_217, 0]);
  expect(Float32Array.from(JSON.parse(vectorJson(vector)))).toEqual(vector);
  expect(shortestFloat(Math.fround(0.1))).toBe(0.1);
});

test("exports every text with its vector and no text as a spreadsheet formula", () => {
  const vectors = [Float32Array.from([1, 0]), Float32Array.from([0, 1])];
  const texts = ["=1+1", 'format "a, b"\nc'];
  expect(JSON.parse(vectorsJson("m", texts, vectors))).toEqual({
    model: "m",
    dimensions: 2,
    data: [
      { index: 0, text: "=1+1", embedding: [1, 0] },
      { index: 1, text: 'format "a, b"\nc', embedding: [0, 1] },
    ],
  });
  expect(parseCsv(vectorsCsv(texts, vectors))).toEqual([
    ["index", "text", "d0", "d1"],
    ["0", "'=1+1", "1", "0"],
    ["1", 'format "a, b"\nc', "0", "1"],
  ]);
});

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[a-z]+/g) ?? []);

test("the paraphrase example has pairs without a shared word", () => {
  const texts = linesOf(en.embeddings.example.paraphrases.texts);
  expect(texts.length % 2).toBe(0);
  for (let at = 0; at < texts.length; at += 2) {
    const [one, other] = [wordsOf(texts[at] ?? ""), wordsOf(texts[at + 1] ?? "")];
    expect([...one].filter((word) => other.has(word))).toEqual([]);
  }
});

test("the search example has a question without a word of any article", () => {
  const { query, texts } = en.embeddings.example.search;
  const inArticles = wordsOf(texts);
  expect([...wordsOf(query)].filter((word) => inArticles.has(word))).toEqual([]);
});

test("finds the row at a position of a matrix, scrolls to a row and zooms", () => {
  const geometry = { count: 10, cell: 20, gutter: 26 };
  expect([0, 25, 26, 65, 300].map((offset) => positionAt(geometry, offset, 0))).toEqual([
    null,
    null,
    0,
    1,
    null,
  ]);
  expect(positionAt(geometry, 26, 100)).toBe(5);
  // A box of 126 pixels shows five rows.
  expect([0, 4, 6, 9].map((row) => scrollToPosition(geometry, row, 40, 126))).toEqual([0, 40, 40, 100]);
  const fit = fitCell(10, 126);
  expect([zoomFrom(fit, fit, 1), zoomFrom(40, fit, 1), zoomFrom(14, fit, -1)]).toEqual([14, null, fit]);
});
