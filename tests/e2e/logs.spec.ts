import type { Page } from "playwright/test";
import { expect, test } from "./fixtures";
import { createDeadModel, createProgram, embed, type Program } from "./usage-calls";

let program: Program;
test.beforeEach(async ({ product }, { title }) => {
  program = await createProgram(product, title.slice(0, 40));
});

const rows = (page: Page) => page.getByRole("table", { name: "Calls", exact: true }).getByRole("row");
const drawer = (page: Page) => page.getByRole("dialog", { name: "Call" });
const callLink = (page: Page) => page.getByRole("link", { name: /patchbay-embed at / });

test("opens a call in a drawer with its timeline and a URL of its own", async ({
  ownerPage: page,
  product,
}) => {
  const requestId = await embed(product.url, program);
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("200");
  await callLink(page).click();
  await expect(page).toHaveURL(/call=use_/);
  await expect(drawer(page).getByRole("heading", { name: "Timeline" })).toBeVisible();
  await expect(drawer(page).getByRole("listitem").filter({ hasText: "Authorised" })).toBeVisible();
  await expect(drawer(page).getByRole("listitem").filter({ hasText: "Attempt 1" })).toBeVisible();
  await expect(drawer(page).getByText(requestId)).toBeVisible();
  await page.reload();
  await expect(drawer(page).getByText(requestId)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/call=/);
});

test("explains the error code of a failed call and links to calls with the same error", async ({
  ownerPage: page,
  product,
}) => {
  await createDeadModel(product, "logs-dead-model");
  await embed(product.url, program, { model: "logs-dead-model" });
  await embed(product.url, program);
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel("Outcome").selectOption("failed");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).nth(1)).toContainText("no_channel_available");
  await page.getByRole("link", { name: /logs-dead-model at / }).click();
  await expect(drawer(page)).toContainText(
    "Every channel of this model was at its limit, had its circuit open, or was disabled.",
  );
  await drawer(page).getByRole("link", { name: "Same error" }).click();
  await expect(page).toHaveURL(/status=no_channel_available/);
  await expect(rows(page)).toHaveCount(2);
});

test("shows the input text of a call if it was stored, else says that it was not", async ({
  ownerPage: page,
  product,
}) => {
  const storePrompts = (isOn: boolean) =>
    fetch(`${product.url}/api/settings`, {
      method: "PATCH",
      headers: { "content-type": "application/json", cookie: product.cookie },
      body: JSON.stringify({ keep_prompts: isOn }),
    });
  await embed(product.url, program, { input: "sent before storing" });
  await storePrompts(true);
  const stored = await embed(product.url, program, { input: "the lights are on" });
  await storePrompts(false);
  await page.goto(`${product.url}/logs?key_id=${program.id}&call=${stored}`);
  await expect(drawer(page).getByText("the lights are on")).toBeVisible();
  await page.keyboard.press("Escape");
  await callLink(page).last().click();
  await expect(drawer(page).getByText("Input texts are not stored.")).toBeVisible();
});

test("adds new calls to the open list on revalidation", async ({ ownerPage: page, product }) => {
  await embed(product.url, program);
  await page.goto(`${product.url}/logs?key_id=${program.id}`);
  await expect(rows(page)).toHaveCount(2);
  await embed(product.url, program, { tags: "second" });
  // SWR revalidates when the window gets the focus.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await expect(rows(page)).toHaveCount(3, { timeout: 1_000 });
  }).toPass();
});

test("loads hundreds of calls by scrolling, each once", async ({ ownerPage: page, product }) => {
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
