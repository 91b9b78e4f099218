import type { Page } from "playwright/test";
import { expect } from "./fixtures";
import { test } from "./routed";

const actionsOf = (page: Page, name: string) =>
  page.getByRole("button", { name: `Actions for ${name}`, exact: true });
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ has: actionsOf(page, name) });
const embed = (name: string) => [{ name, upstream_name: "nomic-embed-text", operation: "embeddings" }];

async function choose(page: Page, name: string, action: string): Promise<void> {
  await actionsOf(page, name).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test.describe("a model", () => {
  test.use({ allowedConsole: [[/status of 409/], { scope: "test" }] });

  test("can be created with a price and an alias, edited, disabled and deleted", async ({
    routedPage: page,
    routed,
  }) => {
    await page.goto(`${routed.product.url}/models`);
    await page.getByRole("button", { name: "Add model" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add model" }).click();
    await expect(dialog.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(
      /Enter a model name, e\.g\. patchbay-speech\./,
    );
    await dialog.getByLabel("Name", { exact: true }).fill("house-embed");
    await dialog.getByRole("radio", { name: "Embeddings" }).check();
    await dialog.getByLabel("Aliases").fill("vectors text-vectors");
    await dialog.getByLabel("Per million input tokens").fill("ten");
    await dialog.getByRole("button", { name: "Add model" }).click();
    await expect(dialog.getByLabel("Per million input tokens")).toHaveAccessibleDescription(
      /Enter an amount/,
    );
    await dialog.getByLabel("Per million input tokens").fill("0.02");
    await dialog.getByRole("button", { name: "Add model" }).click();
    await expect(page.getByText("Model house-embed created")).toBeVisible();
    await expect(rowOf(page, "house-embed")).toContainText("Aliases: vectors, text-vectors");
    await expect(rowOf(page, "house-embed")).toContainText("$0.02 / 1M tokens in");
    await expect(rowOf(page, "house-embed")).toContainText("No channel");

    await choose(page, "house-embed", "Edit");
    await expect(dialog.getByLabel("Per million input tokens")).toHaveValue("0.02");
    await dialog.getByLabel("Per million input tokens").fill("");
    await dialog.getByLabel("Dimensions", { exact: true }).fill("768");
    const cache = dialog.getByRole("switch", { name: "Cache responses" });
    await expect(cache).toHaveAccessibleDescription(/answered from memory/);
    await cache.click();
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("house-embed saved")).toBeVisible();
    await expect(rowOf(page, "house-embed")).toContainText("No price");
    await expect(rowOf(page, "patchbay-embed")).toContainText("Free");
    const { items } = await routed.call("/api/models");
    expect(items.find((one: { name: string }) => one.name === "house-embed")).toMatchObject({
      dimensions: 768,
      cacheable: false,
      batching: true,
      aliases: ["vectors", "text-vectors"],
    });

    await page.getByRole("switch", { name: "Enable house-embed" }).click();
    await expect(page.getByText("house-embed disabled")).toBeVisible();

    await choose(page, "house-embed", "Delete");
    const confirm = page.getByRole("alertdialog");
    await confirm.getByLabel("Type house-embed to confirm").fill("house-embed");
    await confirm.getByRole("button", { name: "Delete model" }).click();
    await expect(page.getByText("Model house-embed deleted")).toBeVisible();
    await expect(rowOf(page, "house-embed")).toHaveCount(0);
  });

  test("that was changed elsewhere is shown in its newest version before saving", async ({
    routedPage: page,
    routed,
  }) => {
    await page.goto(`${routed.product.url}/models`);
    await choose(page, "patchbay-embed", "Edit");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Description").fill("Mine");
    const { items } = await routed.call("/api/models");
    const { version, description } = items.find((one: { name: string }) => one.name === "patchbay-embed");
    await routed.call("/api/models/patchbay-embed", { version, description: "Theirs" }, "PATCH");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(dialog.getByText(/was changed elsewhere/)).toBeVisible();
    await expect(dialog.getByLabel("Description")).toHaveValue("Theirs");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("patchbay-embed saved")).toBeVisible();
    // The instance is used by other tests.
    await routed.call("/api/models/patchbay-embed", { version: version + 2, description }, "PATCH");
  });
});

test("saves a double click on a model's switch once", async ({ routedPage: page, routed }) => {
  await routed.call("/api/models", { name: "attic", operation: "embeddings" });
  let saves = 0;
  await page.route("**/api/models/attic", async (route) => {
    saves += 1;
    // Slower than the clicks.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await page.goto(`${routed.product.url}/models`);
  const onOff = page.getByRole("switch", { name: "Enable attic" });
  await onOff.dblclick();
  await expect(page.getByText("attic disabled")).toBeVisible();
  await expect(onOff).not.toBeChecked();
  expect(saves).toBe(1);
});

test("shows the route of a model in order and the skipped channels with the reason", async ({
  routedPage: page,
  routed,
}) => {
  await routed.allow();
  await routed.channel("Cellar", { priority: 1, weight: 3, models: embed("bge") });
  await routed.channel("Attic", { priority: 1, models: embed("bge") });
  const broken = { priority: 0, keys: ["sk-old-key-that-ended"], models: embed("bge") };
  await routed.channel("Rented machine", broken);
  await routed.channel("Spare", { priority: 2, enabled: false, models: embed("bge") });
  expect(await routed.embed("bge")).toBe(200);

  await page.goto(`${routed.product.url}/models`);
  await page.getByRole("button", { name: "bge", exact: true }).click();
  await expect(page).toHaveURL(/\?model=bge$/);
  const sheet = page.getByRole("dialog", { name: "Route of bge" });
  const turns = sheet.getByRole("list").first().getByRole("listitem");
  await expect(turns.filter({ hasText: "Cellar" }).first()).toContainText("% of requests");
  await expect(turns.filter({ hasText: "Attic" }).first()).toBeVisible();
  const skipped = sheet.getByRole("listitem");
  await expect(skipped.filter({ hasText: "Rented machine" })).toContainText(
    /The upstream rejected the key\. For \d+ more seconds?/,
  );
  await expect(skipped.filter({ hasText: "Spare" })).toContainText("Disabled.");
  await sheet.getByRole("button", { name: "Edit model" }).click();
  await expect(page.getByRole("dialog", { name: "Edit bge" })).toBeVisible();
});

test.describe("when a route can no longer be read", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("offers Retry beside the last route and reads it again then", async ({ routedPage: page, routed }) => {
    await page.goto(`${routed.product.url}/models?model=patchbay-embed`);
    const sheet = page.getByRole("dialog", { name: "Route of patchbay-embed" });
    const channel = sheet.getByRole("list").first().getByRole("link").first();
    await expect(channel).toBeVisible();
    let isDown = true;
    await page.route("**/api/models/*/route", (route) =>
      isDown
        ? route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } })
        : route.continue(),
    );
    const retry = sheet.getByRole("button", { name: "Retry" });
    await expect(retry).toBeVisible();
    await expect(channel).toBeVisible();
    isDown = false;
    await retry.click();
    await expect(retry).toHaveCount(0);
  });
});

test("keeps search and type in the URL", async ({ routedPage: page, routed }) => {
  await page.goto(`${routed.product.url}/models?operation=speech`);
  await expect(rowOf(page, "patchbay-speech")).toBeVisible();
  await expect(rowOf(page, "patchbay-embed")).toHaveCount(0);
  await page.getByRole("radio", { name: "All" }).click();
  await expect(page.getByRole("radio", { name: "All" })).toBeChecked();
  await page.goBack();
  await expect(page.getByRole("radio", { name: "Speech" })).toBeChecked();
  await page.goForward();
  await expect(page.getByRole("radio", { name: "All" })).toBeChecked();
  await page.getByLabel("Search models").fill("embed");
  await expect(page).toHaveURL(/\?q=embed$/);
  await expect(rowOf(page, "patchbay-embed")).toBeVisible();
  await page.getByLabel("Search models").fill("cellar");
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect(rowOf(page, "patchbay-speech")).toBeVisible();
});

test.describe("a model that does not exist", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("is reported by its route, which offers no form", async ({ routedPage: page, routed }) => {
    await page.goto(`${routed.product.url}/models?model=none`);
    const sheet = page.getByRole("dialog", { name: "Route of none" });
    await expect(sheet).toContainText("No model has this name.");
    await expect(sheet.getByRole("button", { name: /Edit model|Retry/ })).toHaveCount(0);
  });

  test("is reported by the dialogs that were open when it was deleted", async ({
    routedPage: page,
    routed,
  }) => {
    const create = () => routed.call("/api/models", { name: "attic", operation: "embeddings" });
    const remove = () => routed.call("/api/models/attic", undefined, "DELETE");
    await create();
    await page.goto(`${routed.product.url}/models`);
    await choose(page, "attic", "Edit");
    await page.getByLabel("Description").fill("Mine");
    await remove();
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByRole("dialog")).toContainText("This no longer exists");

    await create();
    await page.goto(`${routed.product.url}/models`);
    await choose(page, "attic", "Delete");
    await page.getByLabel("Type attic to confirm").fill("attic");
    await remove();
    await page.getByRole("button", { name: "Delete model" }).click();
    await expect(page.getByRole("alertdialog")).toContainText("This no longer exists");
  });
});
