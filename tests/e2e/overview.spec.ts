import type { Page } from "playwright/test";
import { addMember, expect, signInByCookie, test } from "./overview-page";

/** Makes one embeddings call to the built-in model. */
async function callOnce(url: string, key: string, input = "lamp"): Promise<void> {
  const reply = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "patchbay-embed", input }),
  });
  expect(reply.status).toBe(200);
}

const recentCalls = (page: Page) => page.getByRole("region", { name: "Recent requests" });
const figure = (page: Page, name: string) => page.getByRole("radio", { name: new RegExp(`^${name}`) });

/** The number of requests in the first figure. */
async function requests(page: Page): Promise<number> {
  const text = await page.getByTestId("figure-calls").textContent();
  return Number(text?.replaceAll(",", ""));
}

test("shows a new API call on the open page without a reload", async ({ ownerPage: page, product }) => {
  await callOnce(product.url, product.key);
  await page.goto(product.url);
  await expect(recentCalls(page).getByText("Live", { exact: true })).toBeVisible();
  const before = await requests(page);
  const rows = await recentCalls(page).getByRole("listitem").count();
  let loads = 0;
  page.on("framenavigated", () => {
    loads += 1;
  });

  await callOnce(product.url, product.key, "cord");
  await expect(recentCalls(page).getByRole("listitem")).toHaveCount(Math.min(12, rows + 1), {
    timeout: 10_000,
  });
  await expect.poll(() => requests(page), { timeout: 15_000 }).toBe(before + 1);
  expect(loads).toBe(0);
});

test("shows a key created elsewhere in the open list", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys`);
  const hello = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await hello;
  await fetch(`${product.url}/api/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: product.cookie },
    body: JSON.stringify({ name: "Made in another window" }),
  });
  await expect(page.getByRole("row").filter({ hasText: "Made in another window" })).toBeVisible({
    timeout: 10_000,
  });
});

test("keeps range and figure in the URL and reads the chart by keyboard", async ({
  ownerPage: page,
  product,
}) => {
  await callOnce(product.url, product.key);
  await page.goto(product.url);
  // The chart is rendered after hydration only: once it is there, clicks are handled.
  await expect(page.getByRole("slider")).toBeAttached();
  await page.getByRole("radio", { name: "Hour", exact: true }).click();
  await expect(page).toHaveURL(/range=1h/);
  await figure(page, "Tokens").click();
  await expect(page).toHaveURL(/figure=tokens/);
  await page.reload();
  await expect(page.getByRole("radio", { name: "Hour", exact: true })).toBeChecked();
  await expect(figure(page, "Tokens")).toBeChecked();
  await expect(page.getByRole("img", { name: /^Tokens, .* Highest: / })).toBeVisible();
  const slider = page.getByRole("slider", { name: "Tokens: explore values" });
  await slider.focus();
  const last = await slider.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowLeft");
  expect(await slider.getAttribute("aria-valuetext")).not.toBe(last);
  expect(await slider.getAttribute("aria-valuetext")).toMatch(/Tokens: \d+/);
});

test("applies a custom range and rejects one that ends before it starts", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(product.url);
  await expect(page.getByRole("slider")).toBeAttached();
  await page.getByRole("button", { name: "Custom" }).click();
  const form = page.getByRole("form", { name: "Custom range" });
  await form.getByLabel("From").fill("2026-11-03T10:00");
  await form.getByLabel("To").fill("2026-11-01T10:00");
  await form.getByRole("button", { name: "Show range" }).click();
  await expect(form.getByText("The start must be before the end.")).toBeVisible();
  await form.getByLabel("To").fill("2026-11-09T10:00");
  await form.getByRole("button", { name: "Show range" }).click();
  await expect(page).toHaveURL(/from=2026-11-03.*to=2026-11-09/);
  await expect(page.getByRole("button", { name: /3 Nov|Nov 3/ })).toBeVisible();
});

test("asks for a missing start or end of a custom range at its field", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(product.url);
  await page.getByRole("button", { name: "Custom" }).click();
  const form = page.getByRole("form", { name: "Custom range" });
  const [from, to] = [form.getByLabel("From"), form.getByLabel("To")];
  await from.fill("");
  await form.getByRole("button", { name: "Show range" }).click();
  await expect(from).toHaveAccessibleDescription("Required");
  await expect(to).toHaveAccessibleDescription("");
  await from.fill("2026-11-03T10:00");
  await expect(from).toHaveAccessibleDescription("");
  await to.fill("");
  await form.getByRole("button", { name: "Show range" }).click();
  await expect(to).toHaveAccessibleDescription("Required");
  await to.fill("2026-11-09T10:00");
  await expect(to).toHaveAccessibleDescription("");
});

test("lists each route for screen readers and links to its model or channel", async ({
  ownerPage: page,
  product,
}) => {
  await callOnce(product.url, product.key);
  await page.goto(product.url);
  const bay = page.getByRole("region", { name: "Routes" });
  await expect(
    bay.getByText(/^patchbay-embed on .*: (?:one request|\d+ requests), 0 failed$/),
  ).toBeAttached();
  await bay
    .getByRole("link", { name: /embeddings/i })
    .first()
    .click();
  await expect(page).toHaveURL(/\/(?:channels\/|models\?q=)/);
});

test("shows members their own calls and no channels", async ({ page, product }) => {
  await callOnce(product.url, product.key);
  const { cookie, key } = await addMember(product.url, product.cookie, "mia");
  await callOnce(product.url, key);
  await signInByCookie(page, product.url, cookie);
  await page.goto(product.url);
  await expect(recentCalls(page).getByRole("listitem")).toHaveCount(1);
  expect(await requests(page)).toBe(1);
  await expect(page.getByRole("region", { name: "Routes" })).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "By channel" })).toHaveCount(0);

  // Members have no logs.
  await recentCalls(page).getByRole("listitem").getByRole("link").click();
  await expect(page).toHaveURL(/\/usage\?call=/);
  await expect(page.getByRole("dialog")).toContainText("patchbay-embed");
  await page.goto(product.url);
  await page
    .locator("section", { has: page.getByRole("heading", { name: "By model" }) })
    .getByRole("link")
    .click();
  await expect(page).toHaveURL(/\/usage\?model=patchbay-embed&range=24h/);
});

test("redirects to sign-in when the session is ended elsewhere", async ({ page, product }) => {
  const { id, cookie } = await addMember(product.url, product.cookie, "noa");
  await signInByCookie(page, product.url, cookie);
  await page.goto(product.url);
  await expect(recentCalls(page).getByText("Live", { exact: true })).toBeVisible();
  const users = await fetch(`${product.url}/api/users?q=noa`, { headers: { cookie: product.cookie } });
  const { data } = (await users.json()) as { data: { items: { id: string; version: number }[] } };
  const version = data.items.find((user) => user.id === id)?.version;
  await fetch(`${product.url}/api/users/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json", cookie: product.cookie },
    body: JSON.stringify({ enabled: false, version }),
  });
  await expect(page).toHaveURL(/\/login/, { timeout: 10_000 });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("has no horizontal scrolling on a phone and shows values on a chart tap", async ({
    ownerPage: page,
    product,
  }) => {
    await callOnce(product.url, product.key);
    await page.goto(product.url);
    const chart = page.getByRole("img", { name: /^Requests, / });
    await expect(chart).toBeVisible();
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(await overflow()).toBeLessThanOrEqual(0);
    const box = await chart.boundingBox();
    if (box) await page.touchscreen.tap(box.x + box.width - 10, box.y + box.height / 2);
    await expect(page.locator("[data-slot=readout]")).toHaveText(/\d\d:00–\d\d:00.*Succeeded/);
    expect(await overflow()).toBeLessThanOrEqual(0);
  });
});
