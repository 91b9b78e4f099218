import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright/test";
import { linesOf, parseCsv } from "@/components/embeddings/texts";
import { en } from "@/lib/messages/en";
import { setUp } from "../support/product";
import { cosine } from "./embeddings-api";
import { expect, signInByCookie, test } from "./fixtures";
import { axeViolations } from "./page-checks";

const PATH = "/playground/embeddings";
const SUPPORT = linesOf(en.embeddings.example.support.texts);

const matrix = (page: Page) => page.getByRole("grid", { name: /^Similarity of/ });
const cell = (page: Page) => matrix(page).getByRole("gridcell");
const row = (page: Page, number: number) =>
  page.getByRole("button", { name: new RegExp(`^Text ${number}:`) });
const ranking = (page: Page) => page.getByRole("list", { name: "Search results" }).getByRole("listitem");

/** The lexical model, whose vectors cost nothing. */
const LEXICAL = "#model=patchbay-embed";

async function open(page: Page, url: string, fragment = LEXICAL): Promise<void> {
  await page.goto(`${url}${PATH}${fragment}`, { waitUntil: "networkidle" });
}

/** Opens an example with the lexical model, whose vectors are the same everywhere. */
async function openExample(page: Page, url: string, name = "Help desk"): Promise<void> {
  await open(page, url, "#model=patchbay-embed");
  await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await expect(matrix(page)).toBeVisible();
  await expect(ranking(page).first()).toBeVisible();
}

/** Drops a file on the page. */
async function dropFile(page: Page, name: string, type: string, content: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName = "", mime = "", text = ""]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], fileName, { type: mime }));
      return transfer;
    },
    [name, type, content],
  );
  await page.dispatchEvent("main", "dragenter", { dataTransfer: data });
  await page.dispatchEvent("main", "dragover", { dataTransfer: data });
  await page.dispatchEvent("main", "drop", { dataTransfer: data });
}

async function embed(url: string, key: string, input: string[], fields = {}): Promise<number[][]> {
  const reply = await fetch(`${url}/v1/engines/patchbay-embed/embeddings`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "patchbay-embed", input, ...fields }),
  });
  expect(reply.status).toBe(200);
  // The OpenAI shape of embeddings.
  const { data } = (await reply.json()) as { data: { embedding: number[] }[] };
  return data.map((one) => one.embedding);
}

const contentOf = async (download: Download) => readFile(await download.path(), "utf8");

/** Number of colours of the drawn matrix and their average lightness (0–255). */
async function matrixColours(page: Page): Promise<{ colours: number; light: number }> {
  return matrix(page).evaluate((grid) => {
    const canvas = grid.parentElement?.querySelector("canvas");
    const ctx = canvas?.getContext("2d");
    if (!canvas || !ctx) return { colours: 0, light: 0 };
    const { data } = ctx.getImageData(40, 40, canvas.width - 40, canvas.height - 40);
    const seen = new Set<number>();
    let sum = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      seen.add((red << 16) | (green << 8) | blue);
      sum += (red + green + blue) / 3;
    }
    return { colours: seen.size, light: sum / (data.length / 4) };
  });
}

test("shows the cosines of the vectors that the API returns", async ({ ownerPage: page, product }) => {
  await openExample(page, product.url);
  const vectors = await embed(product.url, product.key, SUPPORT);
  await matrix(page).focus();
  for (const [at, key] of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight", "PageDown"].entries()) {
    await page.keyboard.press(key);
    const [down, across] =
      [
        [0, 1],
        [0, 2],
        [1, 2],
        [1, 3],
        [11, 3],
      ][at] ?? [];
    const value = cosine(vectors[down ?? 0], vectors[across ?? 0]).toFixed(3);
    await expect(cell(page)).toHaveText(
      `${(down ?? 0) + 1}. ${SUPPORT[down ?? 0]} and ${(across ?? 0) + 1}. ${SUPPORT[across ?? 0]}: ${value}`,
    );
  }
});

test("selects both texts of a clicked cell in the list, on the map and in the ranking", async ({
  ownerPage: page,
  product,
}) => {
  await openExample(page, product.url);
  const box = await matrix(page).boundingBox();
  if (!box) throw new Error("no matrix");
  const side = (box.width - 26) / SUPPORT.length;
  await matrix(page).click({ position: { x: 26 + side * 2.5, y: 26 + side * 0.5 } });
  await expect(row(page, 1)).toHaveAttribute("aria-pressed", "true");
  await expect(row(page, 3)).toHaveAttribute("aria-pressed", "true");
  await expect(row(page, 2)).toHaveAttribute("aria-pressed", "false");
  await expect(page.getByRole("listbox").getByRole("option")).toHaveText(`1. ${SUPPORT[0]}`);
  const nearest = page.getByRole("list", { name: "Nearest" }).getByRole("listitem");
  await expect(nearest.first()).toContainText(SUPPORT[2] ?? "");
  await page.keyboard.press("Escape");
  await expect(row(page, 1)).toHaveAttribute("aria-pressed", "false");
});

test("ranks the texts like a search over the API's vectors and shows the top k", async ({
  ownerPage: page,
  product,
}) => {
  await openExample(page, product.url);
  const query = "Where has my parcel gone? It has not arrived";
  await page.getByRole("searchbox", { name: "Query" }).fill(query);
  await page.locator("main").getByRole("button", { name: "Search", exact: true }).click();
  const [queryVector, ...vectors] = await embed(product.url, product.key, [query, ...SUPPORT]);
  const best = vectors
    .map((vector, at) => ({ text: SUPPORT[at] ?? "", value: cosine(queryVector, vector) }))
    .sort((a, b) => b.value - a.value);
  expect(best[0]?.text).toContain("parcel");
  await expect(page.getByText(`5 of 12 for “${query}”`)).toBeVisible();
  await expect(ranking(page)).toHaveCount(5);
  for (const [at, { text, value }] of best.slice(0, 5).entries()) {
    await expect(ranking(page).nth(at)).toContainText(text);
    await expect(ranking(page).nth(at)).toHaveAttribute("data-similarity", value.toFixed(3));
  }
  await page.getByLabel("Top").selectOption("3");
  await expect(ranking(page)).toHaveCount(3);
  await page.getByLabel("Top").selectOption("20");
  await expect(ranking(page)).toHaveCount(12);
});

test("downloads every text with the vector that the API returns", async ({ ownerPage: page, product }) => {
  await openExample(page, product.url);
  await page.getByLabel("Dimensions").fill("64");
  await page.getByRole("button", { name: /^Embed again/ }).click();
  await expect(page.getByText("64 dimensions, norm 1.000")).toBeVisible();
  const wanted = await embed(product.url, product.key, SUPPORT, { dimensions: 64 });
  const save = async (name: RegExp | string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name }).click(),
    ]);
    return download;
  };

  const json = await save("Download all vectors as JSON");
  expect(json.suggestedFilename()).toBe("patchbay-embed-vectors.json");
  const document = JSON.parse(await contentOf(json));
  expect(document).toMatchObject({ model: "patchbay-embed", dimensions: 64, data: { length: 12 } });
  for (const [at, { text, embedding }] of document.data.entries()) {
    expect(text).toBe(SUPPORT[at]);
    expect(Float32Array.from(embedding)).toEqual(Float32Array.from(wanted[at] ?? []));
  }

  const csv = await contentOf(await save("Download all vectors as CSV"));
  expect(csv.startsWith("\uFEFFindex,")).toBe(true);
  const [head, ...lines] = parseCsv(csv);
  expect(head).toHaveLength(2 + 64);
  expect(lines).toHaveLength(12);
  for (const [at, line] of lines.entries()) {
    expect(line.slice(0, 2)).toEqual([String(at), SUPPORT[at]]);
    expect(Float32Array.from(line.slice(2), Number)).toEqual(Float32Array.from(wanted[at] ?? []));
  }

  const table = parseCsv(await contentOf(await save("Matrix (CSV)")));
  expect(table.map((line) => line.length)).toEqual(Array.from({ length: 13 }, () => 13));
  expect(Number(table[1]?.[3])).toBeCloseTo(cosine(wanted[0], wanted[2]), 5);
});

test("shows the same similarities for base64 and float", async ({ ownerPage: page, product }) => {
  await openExample(page, product.url);
  await matrix(page).focus();
  await page.keyboard.press("ArrowRight");
  const float = await cell(page).textContent();
  await page.getByRole("radio", { name: "base64" }).click();
  await page.getByRole("button", { name: /^Embed again/ }).click();
  const vector = page.getByRole("region", { name: "Numbers of text 1" });
  await expect(vector).toContainText(/^[A-Za-z0-9+/]{5000,}={0,2}$/);
  await matrix(page).focus();
  await page.keyboard.press("ArrowRight");
  expect(await cell(page).textContent()).toBe(float);
});

test("adds the text column of a dropped CSV and rejects a file of another type by name", async ({
  ownerPage: page,
  product,
}) => {
  await open(page, product.url);
  const csv = 'id,Text,lang\n1,"A cord, a jack",en\n2,"Say ""hello""",en\n3,,en\n4,你好,zh\n';
  await dropFile(page, "texts.csv", "text/csv", csv);
  const texts = page.getByRole("list", { name: "Texts of the comparison" }).getByRole("listitem");
  await expect(texts).toHaveText(["1A cord, a jack", '2Say "hello"', "3你好"]);
  await dropFile(page, "photo.png", "image/png", "…");
  await expect(page.getByText("“photo.png” is not a text or table file.")).toBeVisible();
  await expect(texts).toHaveCount(3);
});

test("compares 500 texts in a zoomable matrix and reports texts beyond the limit", async ({
  ownerPage: page,
  product,
}) => {
  test.slow();
  const words = ["harbour", "storm", "parcel", "comet", "kettle", "jack", "cord", "lamp"];
  const many = Array.from(
    { length: 520 },
    (_, at) => `Line ${at} about the ${words[at % 8]} and the ${words[(at * 3) % 8]}`,
  );
  await open(page, product.url);
  await page.locator("input[type=file]").setInputFiles({
    name: "lines.txt",
    mimeType: "text/plain",
    buffer: Buffer.from(many.join("\n")),
  });
  await expect(page.getByText("20 texts were left out")).toBeVisible();
  await page.getByRole("button", { name: "Embed 500 texts" }).click();
  await expect(matrix(page)).toHaveAttribute("aria-rowcount", "500", { timeout: 90_000 });
  await expect.poll(async () => (await matrixColours(page)).colours).toBeGreaterThan(20);

  await matrix(page).focus();
  await page.keyboard.press("End");
  await expect(cell(page)).toHaveAttribute("aria-colindex", "500");
  for (const _ of [1, 2, 3]) await page.keyboard.press("+");
  // The zoomed matrix scrolls to the cell that the keys select.
  await page.keyboard.press("Home");
  const scroll = () =>
    matrix(page).evaluate((grid) => [grid.scrollLeft, grid.scrollWidth > grid.clientWidth]);
  await expect.poll(scroll).toEqual([0, true]);
  await page.keyboard.press("End");
  await expect.poll(async () => Number((await scroll())[0])).toBeGreaterThan(1000);
  await page.keyboard.press("0");
  await expect.poll(async () => (await scroll())[1]).toBe(false);

  // Grouped, adjacent texts are similar; as written, every ending differs from the previous one.
  await page.getByRole("radio", { name: "Grouped" }).click();
  const list = page.getByRole("list", { name: "Texts of the comparison" }).getByRole("listitem");
  const endings = (await list.allTextContents()).map((text) => text.replace(/^.*about/, ""));
  const changes = endings.filter((ending, at) => at > 0 && ending !== endings[at - 1]).length;
  expect(changes).toBeLessThan(250);
});

test("embeds and explores texts with the keyboard only", async ({ ownerPage: page, product }) => {
  await open(page, product.url);
  await page.getByLabel("Add texts").focus();
  for (const text of ["The kettle is on", "The kettle was on", "Rain tomorrow"]) {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  }
  await page.keyboard.press("Control+Enter");
  await expect(matrix(page)).toBeVisible();
  for (let press = 0; press < 40; press += 1) {
    if (await matrix(page).evaluate((grid) => grid === document.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  await expect(matrix(page)).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(cell(page)).toHaveText(/1\. The kettle is on and 2\. The kettle was on: 0\.\d{3}/);
  await page.keyboard.press("Escape");
  const map = page.getByRole("listbox", { name: /^Map of 3 texts/ });
  for (let press = 0; press < 10; press += 1) {
    if (await map.evaluate((box) => box === document.activeElement)) break;
    await page.keyboard.press("Tab");
  }
  await expect(map).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(map.getByRole("option", { selected: true })).toHaveText("1. The kettle is on");
  await page.keyboard.press("+");
  await expect(page.getByRole("button", { name: "Zoom out of the map" })).toBeEnabled();
  await page.keyboard.press("0");
  await expect(page.getByRole("button", { name: "Zoom out of the map" })).toBeDisabled();
});

test("keeps the focus when an action removes its control", async ({ ownerPage: page, product }) => {
  await open(page, product.url);
  await page.getByRole("button", { name: /^Help desk/ }).press("Enter");
  await expect(matrix(page)).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
  const first = row(page, 1);
  await first.press("Enter");
  await page.getByRole("button", { name: "Back to pairs" }).press("Enter");
  await expect(page.getByRole("heading", { name: "Nearest neighbours" })).toBeFocused();
  // The rows of the ranking have no control.
  for (const left of [36, 18])
    await page.getByRole("button", { name: `Show ${left} more`, exact: true }).press("Enter");
  await expect(page.getByRole("heading", { name: "Nearest neighbours" })).toBeFocused();
  for (const key of ["Escape", "Enter"]) {
    await first.focus();
    await page.getByRole("button", { name: "Edit text 1" }).press("Enter");
    await page.getByLabel("Text 1", { exact: true }).fill("Where is the kettle?");
    await page.keyboard.press(key);
    await expect(first).toBeFocused();
    await expect(first).toHaveAttribute("aria-pressed", "false");
  }
  await page.getByRole("button", { name: "Embed again" }).press("Enter");
  await expect(page.getByRole("button", { name: "Embed again" })).toHaveCount(0);
  await expect(page.getByRole("main")).toBeFocused();
});

test("adds pasted lines as texts, edits and removes them, and restores them with Undo", async ({
  ownerPage: page,
  product,
}) => {
  await open(page, product.url);
  const field = page.getByLabel("Add texts");
  await field.focus();
  await field.evaluate((target) => {
    const data = new DataTransfer();
    data.setData("text/plain", "one\r\n\r\ntwo\nthree");
    target.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  const texts = page.getByRole("list", { name: "Texts of the comparison" }).getByRole("listitem");
  await expect(texts).toHaveText(["1one", "2two", "3three"]);
  await row(page, 2).dblclick();
  await page.getByLabel("Text 2", { exact: true }).fill("second");
  await page.keyboard.press("Enter");
  await row(page, 1).hover();
  await page.getByRole("button", { name: "Remove text 1" }).click();
  await expect(texts).toHaveText(["1second", "2three"]);
  await expect(row(page, 1)).toBeFocused();
  await page.getByRole("button", { name: "Remove all" }).click();
  await expect(texts).toHaveCount(0);
  await expect(field).toBeFocused();
  await field.fill("added since");
  await field.press("Enter");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(texts).toHaveText(["1second", "2three", "3added since"]);
});

test("says how many texts Undo left out because others were added since the removal", async ({
  ownerPage: page,
  product,
}) => {
  await open(page, product.url);
  const lines = Array.from({ length: 500 }, (_, index) => `text ${index + 1}`).join("\n");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "texts.txt", mimeType: "text/plain", buffer: Buffer.from(lines) });
  await expect(page.getByText("500 of 500")).toBeVisible();
  await page.getByRole("button", { name: "Remove all" }).click();
  const field = page.getByLabel("Add texts");
  await field.fill("added since");
  await field.press("Enter");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("1 text was left out: the page compares at most 500.")).toBeVisible();
  await expect(page.getByText("500 of 500")).toBeVisible();
  await expect(row(page, 500)).toHaveText("500added since");
});

test("keeps the texts that are added while a file is read", async ({ ownerPage: page, product }) => {
  await open(page, product.url);
  const release = await page.evaluateHandle(() => {
    const { text } = Blob.prototype;
    const gate = { open: (): void => undefined };
    const isOpen = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    Blob.prototype.text = async function () {
      await isOpen;
      return text.call(this);
    };
    return gate;
  });
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "texts.txt", mimeType: "text/plain", buffer: Buffer.from("from\na file") });
  const field = page.getByLabel("Add texts");
  await field.fill("typed");
  await field.press("Enter");
  await release.evaluate((gate) => gate.open());
  const texts = page.getByRole("list", { name: "Texts of the comparison" }).getByRole("listitem");
  await expect(texts).toHaveText(["1typed", "2from", "3a file"]);
});

test("keeps the line breaks of a text that is edited", async ({ ownerPage: page, product }) => {
  await open(page, product.url, `${LEXICAL}&text=one%0Atwo&text=three`);
  const texts = () => page.evaluate(() => sessionStorage.getItem("patchbay-embeddings-draft") ?? "");
  await row(page, 1).dblclick();
  const editor = page.getByLabel("Text 1", { exact: true });
  await editor.press("Control+End");
  await editor.press("Shift+Enter");
  await editor.pressSequentially("and a half");
  await editor.press("Enter");
  await expect.poll(texts).toContain("text=one%0Atwo%0Aand+a+half&text=three");
});

test("makes the vector panel inert once the texts were changed", async ({ ownerPage: page, product }) => {
  await openExample(page, product.url);
  const panel = page.getByRole("region", { name: "Vector", exact: true });
  const isInert = () => panel.evaluate((section) => section.closest("[inert]") !== null);
  expect(await isInert()).toBe(false);
  await page.getByRole("textbox", { name: "Add texts" }).fill("One more");
  await page.keyboard.press("Enter");
  await expect.poll(isInert).toBe(true);
});

test("reads texts, settings and query from a link and keeps them after a reload", async ({
  ownerPage: page,
  product,
}) => {
  await open(
    page,
    product.url,
    `${LEXICAL}&text=a%20cord&text=two%20cords&dimensions=32&format=base64&query=cords`,
  );
  await page.getByRole("button", { name: "Embed 2 texts" }).click();
  await expect(ranking(page).first()).toContainText("two cords");
  await expect(page.getByLabel("Dimensions")).toHaveValue("32");
  await row(page, 1).dblclick();
  await page.getByLabel("Text 1", { exact: true }).fill("one cord");
  await page.keyboard.press("Enter");
  await expect
    .poll(() => page.evaluate(() => sessionStorage.getItem("patchbay-embeddings-draft") ?? ""))
    .toContain("one+cord");
  await page.reload();
  await expect(row(page, 1)).toHaveText(/one cord/);
  // A link to a model keeps the texts.
  await page.goto(product.url);
  await open(page, product.url);
  await expect(row(page, 1)).toHaveText(/one cord/);
});

test("shows the call as code that reads the key from the environment", async ({
  ownerPage: page,
  product,
}) => {
  await openExample(page, product.url);
  await page.getByLabel("Dimensions").fill("128");
  const code = page.getByRole("group", { name: /^Code: / });
  await expect(code).toContainText(`${product.url}/v1/embeddings`);
  await expect(code).toContainText("$PATCHBAY_API_KEY");
  await expect(code).toContainText('"dimensions": 128');
  await page.getByRole("tab").nth(1).click();
  await expect(code).toContainText(`${product.url}/v1/engines/patchbay-embed/embeddings`);
  for (const language of ["JavaScript · OpenAI", "JavaScript · Google GenAI", "Python"]) {
    await page.getByRole("tab", { name: language }).click();
    await expect(code).toContainText(SUPPORT[0] ?? "");
    await expect(code).not.toContainText("sk-pb-");
  }
});

test("explains the limits of the built-in model and how to add a semantic one", async ({
  ownerPage: page,
  product,
}) => {
  await open(page, product.url);
  await page.getByText("Similar words, not similar meanings").click();
  await expect(page.getByText(/an administrator adds a channel to an upstream/)).toBeVisible();
});

test("selects the built-in semantic model by default, finds paraphrases and states that it is English-only", async ({
  page,
  freshProduct: product,
}) => {
  await signInByCookie(page, product.url, await setUp(product.url));
  await open(page, product.url, "");
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue("patchbay-embed-en");
  await page.getByText("Similar meanings, in English only").click();
  await expect(page.getByText(/choose patchbay-embed, which compares words/)).toBeVisible();
  const texts = ["The physician was late.", "The soup is too salty.", "The doctor did not arrive on time."];
  const fragment = texts.map((text) => `text=${encodeURIComponent(text)}`).join("&");
  await open(page, product.url, `#${fragment}&query=medical%20staff`);
  await page.getByRole("button", { name: "Embed 3 texts" }).click();
  await expect(matrix(page)).toBeVisible();
  await row(page, 1).click();
  const nearest = page.getByRole("list", { name: "Nearest" }).getByRole("listitem");
  await expect(nearest.first()).toContainText(texts[2] ?? "");
  await expect(ranking(page).last()).toContainText(texts[1] ?? "");
});

test.describe("a rejected call", () => {
  test.use({ allowedConsole: [[/status of 400/], { scope: "test" }] });
  test("shows the message of the API and the request ID", async ({ ownerPage: page, product }) => {
    await open(page, product.url);
    await page.getByLabel("Dimensions").fill("4096");
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.url().endsWith("/embeddings") && one.request().method() === "POST"),
      page.getByRole("button", { name: /^Help desk/ }).click(),
    ]);
    const { error } = await response.json();
    const alert = page.getByRole("alert").filter({ hasText: "HTTP 400" });
    await expect(alert).toContainText(error.message);
    await expect(alert).toContainText(response.headers()["x-request-id"] ?? "no request id");
    await page.getByLabel("Dimensions").fill("");
    await alert.getByRole("button", { name: "Retry" }).click();
    await expect(matrix(page)).toBeVisible();
    await expect(alert).toHaveCount(0);
  });
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`has the colours of the ${colorScheme} theme and no axe violations`, async ({
    ownerPage: page,
    product,
  }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await openExample(page, product.url);
    await expect.poll(async () => (await matrixColours(page)).colours).toBeGreaterThan(20);
    const { light } = await matrixColours(page);
    if (colorScheme === "dark") expect(light).toBeLessThan(90);
    else expect(light).toBeGreaterThan(160);
    expect(await axeViolations(page)).toEqual([]);
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });
  test("has no horizontal scrolling on a phone and selects a pair by tap", async ({
    ownerPage: page,
    product,
  }) => {
    await openExample(page, product.url);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    await matrix(page).scrollIntoViewIfNeeded();
    const box = await matrix(page).boundingBox();
    const side = ((box?.width ?? 0) - 26) / SUPPORT.length;
    await matrix(page).tap({ position: { x: 26 + side * 2.5, y: 26 + side * 0.5 } });
    await expect(cell(page)).toHaveText(/^1\. .* and 3\. /);
    await expect(page.getByText("This pair")).toBeVisible();
  });
});

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });
  test("shows the page and its examples in Chinese", async ({ page, product }) => {
    await signInByCookie(page, product.url, product.cookie);
    await open(page, product.url);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("向量实验台");
    await page.getByRole("button", { name: /^客服问题/ }).click();
    await expect(page.getByRole("grid", { name: /^12 条文本的相似度/ })).toBeVisible();
    await expect(page.getByRole("list", { name: "搜索结果" }).getByRole("listitem").first()).toContainText(
      "密码",
    );
  });
});

for (const [device, width] of [
  ["at 1440 pixels", 1440],
  ["on a phone", 390],
] as const)
  test(`a double click on Embed, a double Enter or repeated Ctrl+Enter embeds once ${device}`, async ({
    ownerPage: page,
    product,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await openExample(page, product.url);
    const counts: number[] = [];
    let answered = 0;
    await page.route("**/v1/embeddings", async (route) => {
      counts.push([route.request().postDataJSON().input].flat().length);
      // Longer than a double click, so that the next gesture starts a run.
      await new Promise((resolve) => setTimeout(resolve, 600));
      await route.fulfill({ response: await route.fetch() });
      answered += 1;
    });
    // One request for the texts, then one for the query; a request in progress is not sent again.
    const isOver = async () => {
      await expect.poll(() => [counts, answered]).toEqual([[SUPPORT.length, 1], 2]);
      await expect(embedButton).toBeVisible();
    };
    const embedButton = page.getByRole("button", { name: /^Embed/ });
    const { width: right = 0 } = (await embedButton.boundingBox()) ?? {};
    await embedButton.dblclick({ position: { x: right - 20, y: 10 } });
    await isOver();
    for (const keys of ["Enter", "Control+Enter"]) {
      counts.length = 0;
      answered = 0;
      await embedButton.focus();
      for (let press = 0; press < 2; press += 1) await page.keyboard.press(keys);
      await isOver();
    }
  });

test("a second click half a second after the first starts no second run, also when the first has ended", async ({
  ownerPage: page,
  product,
}) => {
  await openExample(page, product.url);
  let runs = 0;
  await page.route("**/v1/embeddings", async (route) => {
    if (Array.isArray(route.request().postDataJSON().input)) runs += 1;
    await route.continue();
  });
  const embedButton = page.getByRole("button", { name: /^Embed/ });
  const clickAt = (ms: number) =>
    embedButton.evaluate((button, timeStamp) => {
      const click = new MouseEvent("click", { bubbles: true });
      Object.defineProperty(click, "timeStamp", { value: timeStamp });
      button.dispatchEvent(click);
    }, ms);
  for (const [ms, expected] of [
    [10_000, 1],
    [10_500, 1],
    [10_501, 2],
  ] as const) {
    const reply = page.waitForResponse("**/v1/embeddings", { timeout: 1_000 }).catch(() => null);
    await clickAt(ms);
    await reply;
    await expect(embedButton).toBeVisible();
    expect(runs, `${ms}`).toBe(expected);
  }
});

test("leaving the page ends the request that is running", async ({ ownerPage: page, product }) => {
  await openExample(page, product.url);
  // Never answered.
  await page.route("**/v1/embeddings", () => undefined);
  const sent = page.waitForRequest("**/v1/embeddings");
  await page.getByRole("button", { name: /^Embed/ }).click();
  const request = await sent;
  const ended = page.waitForEvent("requestfailed", (one) => one === request);
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Models" })).toBeVisible();
  expect((await ended).failure()?.errorText).toBe("net::ERR_ABORTED");
});
