import { readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { expect, holdRequests, signInByCookie, test } from "./fixtures";
import { createTestKey, embed, type TestKey } from "./usage-calls";
import { createUser } from "./users";

let testKey: TestKey;
test.beforeEach(async ({ product }, { title }) => {
  testKey = await createTestKey(product, title.slice(0, 40));
});

const rows = (page: Page) => page.getByRole("table", { name: "Requests", exact: true }).getByRole("row");
const figure = (page: Page, name: string) => page.getByRole("radio", { name: new RegExp(`^${name}`) });

test("counts the calls of the day in the figures and lists them", async ({ ownerPage: page, product }) => {
  for (const _ of [1, 2, 3]) await embed(product.url, testKey);
  await page.goto(`${product.url}/usage?key_id=${testKey.id}`);
  await expect(figure(page, "Requests")).toHaveAccessibleName(/Requests\s*3\s*none failed/);
  await expect(figure(page, "Spend")).toHaveAccessibleName(/\$0\.00/);
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).nth(1)).toContainText("patchbay-embed");
  await figure(page, "Tokens").click();
  await expect(page).toHaveURL(/figure=tokens/);
  await expect(page.getByRole("slider", { name: /Tokens over time/ })).toBeAttached();
});

test("keeps filters in the URL, applies them to everything and clears them at once", async ({
  ownerPage: page,
  product,
}) => {
  await embed(product.url, testKey, { tags: "web,beta" });
  await embed(product.url, testKey, { tags: "night" });
  await page.goto(`${product.url}/usage?key_id=${testKey.id}`);
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel("Tag", { exact: true }).fill("beta");
  await page.getByLabel("Tag", { exact: true }).press("Enter");
  await expect(page).toHaveURL(/tag=beta/);
  await expect(rows(page)).toHaveCount(2);
  await expect(figure(page, "Requests")).toHaveAccessibleName(/Requests\s*1\b/);
  await page.getByLabel("Outcome").selectOption("failed");
  await expect(page.getByRole("heading", { name: "No requests match these filters" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(`${product.url}/usage`);
  await expect(page.getByLabel("Tag", { exact: true })).toHaveValue("");
});

test("filters the page by a row of a breakdown", async ({ ownerPage: page, product }) => {
  await embed(product.url, testKey, { tags: "cellar" });
  await page.goto(`${product.url}/usage?key_id=${testKey.id}`);
  const model = page.getByRole("main").getByRole("link", { name: /^patchbay-embed/ });
  await expect(model).toBeVisible();
  const release = await holdRequests(page, "**/api/usage/summary?*by=tag*");
  const breakdown = page.getByLabel("Break down by");
  await breakdown.selectOption("tag");
  await expect(page).toHaveURL(/by=tag/);
  // A row of the previous breakdown would set the tag filter to the name of a model.
  await expect(model).toHaveCount(0);
  release();
  const tag = page.getByRole("link", { name: /cellar/ });
  await expect(tag).toBeVisible();
  await page.goBack();
  await expect(breakdown).toHaveValue("model");
  await page.goForward();
  await tag.click();
  await expect(page).toHaveURL(/tag=cellar/);
  await expect(page.getByLabel("Tag", { exact: true })).toHaveValue("cellar");
});

test.describe("in a browser whose time zone is not the instance's", () => {
  test.use({ timezoneId: "Asia/Kathmandu" });

  for (const path of ["/usage", "/logs"])
    test(`selects a whole day of the instance from the chart on ${path}`, async ({
      ownerPage: page,
      product,
    }) => {
      await embed(product.url, testKey);
      await page.goto(`${product.url}${path}?range=30d`);
      await page.getByRole("slider").press("Home");
      await page.getByRole("slider").press("Enter");
      await expect(page).toHaveURL(/from=/);
      const query = new URL(page.url()).searchParams;
      // The instance has the time zone of this process.
      const from = new Date(query.get("from") ?? "");
      const to = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1);
      expect([from.getHours(), query.get("to")]).toEqual([0, to.toISOString()]);
    });
});

test("exports the filtered calls only", async ({ ownerPage: page, product }) => {
  await embed(product.url, testKey, { tags: "kept" });
  const other = await embed(product.url, testKey, { tags: "left out" });
  await page.goto(`${product.url}/usage?key_id=${testKey.id}&tag=kept`);
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^\uFEFFat,id,request_id,key_id,key_name/);
  expect(lines[1]).toContain("kept");
  expect(lines.join()).not.toContain(other);
});

test("shows members their own calls, no user filter and no logs", async ({ page, product }) => {
  await embed(product.url, testKey);
  const { cookie } = await createUser(product.url, product.cookie, {
    username: "usage-member",
    role: "member",
  });
  await signInByCookie(page, product.url, cookie);
  // Only administrators get the breakdown by user.
  const breakdowns: (string | null)[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/api/usage/summary") breakdowns.push(searchParams.get("by"));
  });
  await page.goto(`${product.url}/usage?by=user`);
  await expect(page.getByText("No data in this range.")).toBeVisible();
  expect(breakdowns).toContain("model");
  expect(breakdowns).not.toContain("user");
  await expect(page.getByRole("heading", { name: "No requests in this range" })).toBeVisible();
  await page.getByRole("button", { name: "More filters" }).click();
  await expect(page.getByLabel("Key", { exact: true })).toBeVisible();
  await expect(page.getByLabel("User", { exact: true })).toHaveCount(0);
  await expect(page.getByRole("link", { name: "Logs" })).toHaveCount(0);
});

test.describe("when usage and audit data fail to load", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  for (const path of ["/usage", "/audit"])
    test(`shows one error on ${path} and reloads everything on retry`, async ({
      ownerPage: page,
      product,
    }) => {
      let isDown = true;
      await page.route(/\/api\/(?:usage|audit)/, (route) =>
        isDown
          ? route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } })
          : route.continue(),
      );
      await page.goto(product.url + path);
      const main = page.getByRole("main");
      const errors = main.getByRole("alert").filter({ has: page.getByRole("button", { name: "Retry" }) });
      await expect(errors.first()).toBeVisible();
      // Loading has ended.
      await expect(main.locator("[aria-busy=true]")).toHaveCount(0);
      expect(await errors.count()).toBe(1);
      isDown = false;
      await errors.getByRole("button").click();
      await expect(errors).toHaveCount(0);
      await expect(
        path === "/usage" ? figure(page, "Requests") : main.getByText(/rows? verified|No rows yet/),
      ).toBeVisible();
    });

  for (const [path, reply] of [
    ["/usage", "/api/usage/summary"],
    ["/", "/api/overview"],
  ])
    test(`shows an error on ${path} instead of the figures of the previous range`, async ({
      ownerPage: page,
      product,
    }) => {
      await page.goto(product.url + path);
      await expect(figure(page, "Requests")).toBeVisible();
      await page.route(`**${reply}?*`, (route) =>
        route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
      );
      await page.getByRole("radio", { name: "Week" }).click();
      await expect(page.getByRole("main").getByRole("button", { name: "Retry" }).first()).toBeVisible();
      await expect(figure(page, "Requests")).toHaveCount(0);
    });
});
