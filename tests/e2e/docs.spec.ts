import type { Page } from "playwright/test";
import { GUIDES } from "@/app/(console)/docs/read-guide";
import { expect, signInByCookie, test } from "./fixtures";
import { overflow } from "./page-checks";
import { createUser } from "./users";

const entry = (page: Page, anchor: string) => page.locator(`#${anchor}`);

test("generates speech from the API docs and plays it", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/docs#post-v1-audio-speech`);
  const speech = entry(page, "post-v1-audio-speech");
  await speech.getByRole("button", { name: "Try it" }).click();
  await speech.getByRole("button", { name: "Send" }).click();
  await expect(speech.getByText("200 OK")).toBeVisible({ timeout: 20_000 });
  const sound = speech.getByLabel("Play the response");
  await expect
    .poll(() => sound.evaluate((element) => (element instanceof HTMLAudioElement ? element.duration : 0)))
    .toBeGreaterThan(0.5);
});

test("does not scroll the example tabs vertically", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/docs#post-v1-audio-speech`);
  const tabs = entry(page, "post-v1-audio-speech").getByRole("tablist").first();
  await expect(tabs).toBeVisible();
  expect(await tabs.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
});

test("plays a Gemini response and shortens its base64", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/docs#post-v1beta-models-model-generatecontent`);
  const speech = entry(page, "post-v1beta-models-model-generatecontent");
  await speech.getByRole("button", { name: "Try it" }).click();
  await speech.getByRole("button", { name: "Send" }).click();
  await expect(speech.getByText("200 OK")).toBeVisible({ timeout: 20_000 });
  await expect(speech.getByLabel("Play the response")).toBeVisible();
  await expect(speech.getByText(/… \([\d,]+ characters\)/)).toBeVisible();
});

test("opens an endpoint again by its link after it was closed", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/docs`);
  const link = page.getByRole("link", { name: "Embed texts", exact: true });
  const linked = entry(page, "post-v1-embeddings");
  for (const _ of [1, 2]) {
    await link.click();
    await expect(linked).toHaveAttribute("open", "");
    await expect(link).toHaveAttribute("aria-current", "location");
    await linked.locator("summary").first().click();
    await expect(linked).not.toHaveAttribute("open", "");
    await expect(link).not.toHaveAttribute("aria-current");
  }
  const events = entry(page, "get-api-events");
  const summary = events.locator("summary").first();
  await summary.scrollIntoViewIfNeeded();
  const top = () => summary.evaluate((row) => row.getBoundingClientRect().top);
  const before = await top();
  await summary.click();
  // Opening a row does not move it.
  await expect(page).toHaveURL(/#get-api-events$/);
  expect(await top()).toBeCloseTo(before, 0);
  await events.getByRole("button", { name: "Try it" }).click();
  await expect(events.getByText("The reply of this endpoint does not end.")).toBeVisible();
});

test("opens an endpoint again by its link after a search and after it was closed", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/docs#post-v1-embeddings`);
  const linked = entry(page, "post-v1-embeddings");
  await expect(linked).toHaveAttribute("open", "");
  await page.getByRole("searchbox", { name: "Search endpoints" }).fill("embed");
  await expect(page).toHaveURL(/\?q=embed$/);
  await expect(linked).toHaveAttribute("open", "");
  const link = page.getByRole("link", { name: "Embed texts", exact: true });
  await expect(link).not.toHaveAttribute("aria-current");
  await linked.locator("summary").first().click();
  await expect(linked).not.toHaveAttribute("open", "");
  await link.click();
  await expect(linked).toHaveAttribute("open", "");
  await expect(link).toHaveAttribute("aria-current", "location");
});

test("keeps the search field in view when a linked endpoint matches the search again", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/docs#post-v1-embeddings`);
  const linked = entry(page, "post-v1-embeddings");
  await expect(linked).toBeInViewport();
  const search = page.getByRole("searchbox", { name: "Search endpoints" });
  await search.fill("speech");
  await expect(linked).toHaveCount(0);
  await search.fill("");
  await expect(linked).toHaveCount(1);
  await expect(search).toBeInViewport();
});

test.describe("when a later load of the API docs fails", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("keeps the open form", async ({ ownerPage: page, product }) => {
    await page.goto(`${product.url}/docs#get-v1-models`);
    const models = entry(page, "get-v1-models");
    await models.getByRole("button", { name: "Try it" }).click();
    await models.getByText("Your own key").click();
    await models.getByLabel("API key").fill("sk-pb-typed");
    let failures = 0;
    await page.route("**/openapi.json", (route) => {
      failures += 1;
      return route.fulfill({ status: 500, body: "{}" });
    });
    await expect(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event("online")));
      await expect.poll(() => failures, { timeout: 1_000 }).toBe(1);
    }).toPass();
    // Time for the page to handle the failed reply.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
    await expect(models.getByLabel("API key")).toHaveValue("sk-pb-typed");
  });
});

test.describe("with the user's own API key", () => {
  test.use({ allowedConsole: [/401/] });
  test("sends requests with that key", async ({ ownerPage: page, product }) => {
    await page.goto(`${product.url}/docs#get-v1-models`);
    const models = entry(page, "get-v1-models");
    await models.getByRole("button", { name: "Try it" }).click();
    await models.getByText("Your own key").click();
    await models.getByLabel("API key").fill("sk-pb-wrong");
    await models.getByRole("button", { name: "Send" }).click();
    await expect(models.getByText("401 Unauthorized")).toBeVisible();
    await models.getByLabel("API key").fill(product.key);
    await models.getByRole("button", { name: "Send" }).click();
    await expect(models.getByText("200 OK")).toBeVisible();
    await expect(models.getByLabel("Response body", { exact: true })).toContainText("patchbay-speech");
  });
});

test("reads console lists with the session and offers no endpoint that changes data", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/docs?q=/api/keys`);
  await expect(page.getByText(/^\d+ endpoints$/)).toBeVisible();
  const list = entry(page, "get-api-keys");
  await list.locator("summary").first().click();
  await expect(page).toHaveURL(/#get-api-keys$/);
  await list.getByRole("button", { name: "Try it" }).click();
  await list.getByRole("button", { name: "Send" }).click();
  await expect(list.getByText("200 OK")).toBeVisible();
  const remove = entry(page, "delete-api-keys-id");
  await remove.locator("summary").first().click();
  await remove.getByRole("button", { name: "Try it" }).click();
  await expect(remove.getByText("This endpoint changes data")).toBeVisible();
  await expect(remove.getByRole("button", { name: "Send" })).toHaveCount(0);
});

test("opens the API docs with an invalid percent-encoding in the fragment", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/docs#100%`);
  await expect(page.getByLabel("Search endpoints")).toBeVisible();
});

test("shows a message when no endpoint matches the search", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/docs`);
  await page.getByLabel("Search endpoints").fill("teapot");
  await expect(page.getByText("No endpoints match “teapot”.")).toBeVisible();
  await expect(page).toHaveURL(/\?q=teapot$/);
});

test("shows this server's URL in guides and links to other guides", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/docs`);
  await page.getByRole("link", { name: /Use an SDK/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Use an SDK" })).toBeVisible();
  await expect(page.getByText(`baseURL: "${product.url}/v1"`).first()).toBeVisible();
  await page
    .getByRole("navigation", { name: "Guides" })
    .getByRole("link", { name: "Back up and restore" })
    .click();
  await expect(page.getByText("npm run admin -- backup", { exact: false })).toBeVisible();
});

test("fits every guide on a phone, with no short option broken at a hyphen", async ({
  ownerPage: page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const guide of GUIDES) {
    await page.goto(`${product.url}/docs/guides/${guide}`);
    await expect(page.getByRole("article").getByRole("heading", { level: 1 })).toBeVisible();
    await expect
      .poll(() => overflow(page), `pixels that ${guide} is wider than the phone`)
      .toBeLessThanOrEqual(0);
    const broken = await page
      .getByRole("article")
      .locator("code:not(pre code)")
      .evaluateAll((all) =>
        all.filter((code) => code.getClientRects().length > 1).map((code) => code.textContent),
      );
    expect(broken.filter((text) => (text ?? "").length <= 32)).toEqual([]);
  }
});

test("opens the API docs for members, who get 404 for alerts and audit log", async ({ page, product }) => {
  const { cookie } = await createUser(product.url, product.cookie, {
    username: "docs-reader",
    role: "member",
  });
  await signInByCookie(page, product.url, cookie);
  await page.goto(`${product.url}/docs`);
  await expect(entry(page, "post-v1-embeddings")).toBeVisible();
  for (const path of ["/alerts", "/audit"]) {
    const reply = await page.request.get(product.url + path);
    expect(reply.status()).toBe(404);
  }
});

test("lists endpoints by tag, with fields in a table and code in every language", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/docs`);
  const menu = page.getByRole("navigation", { name: "Endpoints by API" });
  for (const tag of ["OpenAI API", "Gemini API", "Console API", "Operations"])
    await expect(menu.getByRole("link", { name: new RegExp(`^${tag}`) })).toBeVisible();
  const link = menu.locator('a[href="#post-v1-audio-speech"]');
  await link.click();
  await expect(link).toHaveAttribute("aria-current", "location");
  const speech = entry(page, "post-v1-audio-speech");
  const body = speech.getByRole("table", { name: "Request body" });
  for (const heading of ["Field", "Type", "Required", "Meaning", "Limits"])
    await expect(body.getByRole("columnheader", { name: heading })).toBeVisible();
  const speed = body.getByRole("row", { name: /^speed / });
  await expect(speed).toContainText("number");
  await expect(speed).toContainText("optional");
  await expect(speed).toContainText("≥ 0.25");
  await expect(body.getByRole("row", { name: /^model / })).toContainText("required");
  for (const [language, text] of [
    ["JavaScript", "await fetch("],
    ["Python", "urllib.request"],
    ["Go", "package main"],
    ["Java", "HttpRequest"],
    ["PHP", "<?php"],
    ["curl", "curl "],
  ] as const) {
    await speech.getByRole("tab", { name: language, exact: true }).click();
    await expect(speech.getByRole("tabpanel")).toContainText(text);
  }
});

test("never stores a pasted API key and sends it only to this server", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/docs#get-v1-models`);
  const models = entry(page, "get-v1-models");
  await models.getByRole("button", { name: "Try it" }).click();
  await models.getByText("Your own key").click();
  await models.getByLabel("API key").fill(product.key);
  await models.getByRole("button", { name: "Send" }).click();
  await expect(models.getByText("200 OK")).toBeVisible();
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
  );
  expect(stored).not.toContain(product.key);
  await page.reload();
  await models.getByRole("button", { name: "Try it" }).click();
  await expect(models.getByRole("radio", { name: "Temporary key (15 min)" })).toBeChecked();
});
