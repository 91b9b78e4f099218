import type { Page } from "playwright/test";
import { expect } from "./fixtures";
import { test } from "./routed";

test.use({ needsNewInstance: true });

const embed = (name: string) => [{ name, upstream_name: "nomic-embed-text", operation: "embeddings" }];
const incidents = (page: Page) =>
  page.locator("details").filter({ has: page.getByRole("heading", { name: "Incidents" }) });
const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

test("shows a failed-over channel as down, never as healthy or without traffic", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  await routed.allow();
  const wrongKey = { priority: 0, keys: ["sk-old-key-that-ended"], models: embed("bge") };
  await routed.channel("Rented machine", wrongKey);
  await routed.channel("Primary", { priority: 1, models: embed("bge") });
  expect(await routed.embed("bge")).toBe(200);
  expect(await routed.embed("nothing")).toBe(404);

  await page.goto(url);
  await incidents(page).locator("summary").click();
  await expect(incidents(page).getByText("Rented machine is down")).toBeVisible();
  const routes = page.getByRole("region", { name: "Routes" });
  await expect(
    routes.getByText(
      "bge on Rented machine, down: no requests, 0 failed One attempt failed before another channel was asked.",
    ),
  ).toBeAttached();
  await expect(routes.getByText("down · 1 failed")).toBeVisible();
  await expect(page.getByRole("link", { name: "excludes 1 unpriced model" })).toHaveAttribute(
    "href",
    "/models?q=bge",
  );

  await page.goto(`${url}/models`);
  const row = rowOf(page, "bge");
  await expect(row.getByRole("listitem").filter({ hasText: "Rented machine" })).toContainText("Down");
  await expect(row.getByRole("listitem").filter({ hasText: "Primary" })).toContainText("Serving");
});

test("counts cached replies as their own group of the calls by channel", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  await routed.allow();
  await routed.channel("Primary", { models: embed("bge") });
  const { key } = await routed.call("/api/keys", { name: "Cached" });
  const ask = () =>
    fetch(`${url}/v1/embeddings`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: "bge", input: "kettle" }),
    });
  for (let time = 0; time < 3; time += 1) expect((await ask()).status).toBe(200);
  await page.goto(url);
  const byChannel = page
    .locator("section")
    .filter({ has: page.getByRole("heading", { name: "By channel" }) });
  await expect(byChannel.getByRole("listitem").filter({ hasText: "Cached or repeated" })).toContainText("2");
  await expect(byChannel.getByRole("listitem").filter({ hasText: "Primary" })).toContainText("1");
});

for (const [name, viewport] of [
  ["on a phone", { width: 390, height: 844 }],
  ["at 200 % zoom", { width: 720, height: 450 }],
] as const)
  test.describe(name, () => {
    test.use({ viewport });

    test(`shows every figure without scrolling, with incidents and first steps: ${name}`, async ({
      routedPage: page,
      routed,
    }) => {
      await routed.allow();
      await routed.channel("Rented machine", { keys: ["sk-old-key-that-ended"], models: embed("bge") });
      await routed.embed("bge");
      await page.goto(routed.product.url);
      await expect(incidents(page)).toBeVisible();
      for (const figure of ["calls", "errors", "audio", "tokens", "latency"]) {
        const box = await page.getByTestId(`figure-${figure}`).boundingBox();
        expect((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0), figure).toBeLessThanOrEqual(
          viewport.height,
        );
      }
    });
  });

test("keeps the first steps dismissed after a reload", async ({ routedPage: page, routed }) => {
  await page.goto(routed.product.url);
  await expect(page.getByRole("heading", { name: "First steps" })).toBeVisible();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByRole("heading", { name: "First steps" })).toHaveCount(0);
  await expect(page.locator("#content")).toBeFocused();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Routes" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "First steps" })).toHaveCount(0);
});

test("selects a free, healthy model in the playgrounds and describes the built-in voices", async ({
  routedPage: page,
  routed,
}) => {
  const { url } = routed.product;
  await routed.allow();
  await routed.channel("Rented machine", { models: embed("a-first-by-name") });
  await page.goto(`${url}/playground/embeddings`);
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue("patchbay-embed-en");
  await page.goto(`${url}/playground/speech`);
  await expect(page.getByText("Classic synthesiser; voice names are aliases.")).toBeVisible();
});
