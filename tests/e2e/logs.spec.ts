import type { Page } from "playwright/test";
import { expect, test } from "./fixtures";
import { embed, makeDeadModel, makeProgram, type Program } from "./usage-calls";

let program: Program;
test.beforeEach(async ({ product }, { title }) => {
  program = await makeProgram(product, title.slice(0, 40));
});

const rows = (page: Page) => page.getByRole("table", { name: "Calls", exact: true }).getByRole("row");
const drawer = (page: Page) => page.getByRole("dialog", { name: "Call" });
const callLink = (page: Page) => page.getByRole("link", { name: /patchbay-embed at / });

test("a call opens beside the list, with what happened in it, and has an address of its own", async ({
  ownerPage: page,
  product,
}) => {
  const requestId = await embed(product.url, program);
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("200");
  await callLink(page).click();
  await expect(page).toHaveURL(/call=use_/);
  await expect(drawer(page).getByRole("heading", { name: "What happened" })).toBeVisible();
  await expect(drawer(page).getByRole("listitem").filter({ hasText: "Admitted" })).toBeVisible();
  await expect(drawer(page).getByRole("listitem").filter({ hasText: "Attempt 1" })).toBeVisible();
  await expect(drawer(page).getByText(requestId)).toBeVisible();
  await page.reload();
  await expect(drawer(page).getByText(requestId)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/call=/);
});

test("a failed call says what its code means, and leads to others like it", async ({
  ownerPage: page,
  product,
}) => {
  await makeDeadModel(product, "logs-dead-model");
  await embed(product.url, program, { model: "logs-dead-model" });
  await embed(product.url, program);
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel("Outcome").selectOption("failed");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("no_channel_available");
  await page.getByRole("link", { name: /logs-dead-model at / }).click();
  await expect(drawer(page)).toContainText(
    "Every channel of this model was full, resting after failures, or disabled.",
  );
  await drawer(page).getByRole("link", { name: "Same fault" }).click();
  await expect(page).toHaveURL(/status=no_channel_available/);
  await expect(rows(page)).toHaveCount(2);
});

test("the words of a call are there where they are kept, and said not to be where they are not", async ({
  ownerPage: page,
  product,
}) => {
  const keep = (isOn: boolean) =>
    fetch(`${product.url}/api/settings`, {
      method: "PATCH",
      headers: { "content-type": "application/json", cookie: product.cookie },
      body: JSON.stringify({ keep_prompts: isOn }),
    });
  await embed(product.url, program, { input: "said before" });
  await keep(true);
  const kept = await embed(product.url, program, { input: "the lamps are lit" });
  await keep(false);
  await page.goto(`${product.url}/logs?key_id=${program.id}&call=${kept}`);
  await expect(drawer(page).getByText("the lamps are lit")).toBeVisible();
  await page.keyboard.press("Escape");
  await callLink(page).last().click();
  await expect(drawer(page).getByText("The words of calls are not kept.")).toBeVisible();
});

test("what comes in while the page is open stands on top once it is read again", async ({
  ownerPage: page,
  product,
}) => {
  await embed(product.url, program);
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(2);
  await embed(product.url, program, { tags: "second" });
  // SWR reads again when its window comes back to the front.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await expect(rows(page)).toHaveCount(3, { timeout: 1_000 });
  }).toPass();
});

test("hundreds of calls are read as one scrolls, each once", async ({ ownerPage: page, product }) => {
  for (let index = 0; index < 120; index += 20)
    await Promise.all(Array.from({ length: 20 }, () => embed(product.url, program)));
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(51);
  await expect(async () => {
    await page.mouse.wheel(0, 4_000);
    await expect(rows(page)).toHaveCount(121, { timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole("button", { name: "Load more" })).toHaveCount(0);
  const ids = await rows(page)
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  expect(new Set(ids).size).toBe(120);
});
