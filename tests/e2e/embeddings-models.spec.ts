import type { Page } from "playwright/test";
import { linesOf } from "@/components/embeddings/texts";
import { en } from "@/lib/messages/en";
import { cosine, embed } from "./embeddings-api";
import { expect } from "./fixtures";
import { test } from "./routed";

const SUPPORT = linesOf(en.embeddings.example.support.texts);

async function embedSupport(page: Page, url: string, model: string): Promise<void> {
  await page.goto(`${url}/playground/embeddings#model=${model}`, { waitUntil: "networkidle" });
  await page.getByRole("button", { name: /^Help desk/ }).click();
  await expect(page.getByRole("list", { name: "Search results" })).toBeVisible();
}

/** Indexes of the neighbours of a text, nearest first, from the vectors that the API returns for a model. */
async function neighbours(url: string, key: string, model: string, row: number): Promise<number[]> {
  const vectors = await embed(url, key, { model, input: SUPPORT });
  return vectors
    .map((vector, index) => ({ index, value: cosine(vectors[row], vector) }))
    .filter((one) => one.index !== row)
    .sort((a, b) => b.value - a.value)
    .map((one) => one.index);
}

test("shows by how many ranks the neighbours of a text move with a second model", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  await routed.allow();
  const model = { name: "second-embed", upstream_name: "nomic-embed-text", operation: "embeddings" };
  await routed.channel("Second", { models: [model] });
  const { key } = await routed.call("/api/keys", { name: "Program" });
  await embedSupport(page, url, "patchbay-embed");
  const section = page.getByRole("region", { name: "Compare models" });
  await section.getByLabel("Second model").selectOption("second-embed");
  await section.getByRole("button", { name: "Compare" }).click();
  await expect(section.getByText(/^The models share \d+(\.\d)?% of the 5 nearest/)).toBeVisible();

  const first = await neighbours(url, key, "patchbay-embed", 0);
  const second = await neighbours(url, key, "second-embed", 0);
  await page.getByRole("button", { name: /^Text 1:/ }).click();
  const lists = (name: string) => section.getByRole("region", { name }).getByRole("listitem");
  await expect(lists("patchbay-embed")).toHaveCount(5);
  for (const [at, index] of first.slice(0, 5).entries())
    await expect(lists("patchbay-embed").nth(at)).toContainText(SUPPORT[index] ?? "");
  for (const [at, index] of second.slice(0, 5).entries()) {
    const places = first.indexOf(index) - at;
    const move =
      places === 0
        ? "Same rank"
        : `${places > 0 ? "Up" : "Down"} ${Math.abs(places)} rank${Math.abs(places) === 1 ? "" : "s"}, from ${first.indexOf(index) + 1}`;
    await expect(lists("second-embed").nth(at)).toContainText(SUPPORT[index] ?? "");
    await expect(lists("second-embed").nth(at)).toContainText(move);
  }
  await section.getByRole("button", { name: "Show 4 more" }).click();
  const shared = first.slice(0, 5).filter((index) => second.slice(0, 5).includes(index)).length;
  await expect(section.getByRole("button", { name: SUPPORT[0] ?? "" })).toContainText(
    `${shared} of 5 shared`,
  );
});

test("embeds the texts as documents and the search as a query with a model that has task types", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  await routed.channel("Gemini relay", {
    provider: "gemini",
    base_url: `${routed.upstream.origin}/v1beta`,
    models: [{ name: "with-tasks", upstream_name: "embedder-with-tasks", operation: "embeddings" }],
  });
  await embedSupport(page, routed.product.url, "with-tasks");
  /** The texts that the upstream received for each task, in order. */
  const sent = () =>
    routed.upstream.ledger.flatMap(({ body }) => {
      // CONTRACT: Gemini's batchEmbedContents and embedContent.
      const asked = body as {
        requests?: { taskType?: string; content: { parts: { text: string }[] } }[];
        taskType?: string;
        content?: { parts: { text: string }[] };
      } | null;
      const requests = asked?.requests ?? (asked?.content ? [{ ...asked, content: asked.content }] : []);
      return requests.map((one) => [one.taskType ?? "none", one.content.parts[0]?.text] as const);
    });
  const texts = (task: string) => sent().flatMap(([of, text]) => (of === task ? [text] : []));
  expect(texts("none")).toEqual(SUPPORT);
  expect(texts("RETRIEVAL_DOCUMENT")).toEqual(SUPPORT);
  expect(texts("RETRIEVAL_QUERY")).toEqual([en.embeddings.example.support.query]);

  // Another search of the same texts sends only the query.
  await page.getByRole("searchbox", { name: "Query" }).fill("Where is my parcel?");
  await page.keyboard.press("Enter");
  await expect.poll(() => texts("RETRIEVAL_QUERY")).toHaveLength(2);
  expect(texts("RETRIEVAL_DOCUMENT")).toHaveLength(SUPPORT.length);
  await page.getByLabel("Model", { exact: true }).selectOption("patchbay-embed");
  await page.getByRole("button", { name: /^Embed \d+ texts/ }).click();
  await expect(page.getByRole("list", { name: "Search results" })).toBeVisible();
  expect(texts("RETRIEVAL_QUERY")).toHaveLength(2);
});
