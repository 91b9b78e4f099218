import path from "node:path";
import Database from "libsql";
import { setUp, startProduct } from "../support/product";
import { call } from "./console-api";
import { expect, signInByCookie, test } from "./fixtures";

test("shows a change with its target and each field before and after", async ({
  ownerPage: page,
  product,
}) => {
  const { cookie, url } = product;
  const key = await call(url, cookie, "POST", "/api/keys", { name: "Hallway radio", rpm: 60 });
  await call(url, cookie, "PATCH", `/api/keys/${key.id}`, { rpm: 90, version: key.version });
  await page.goto(`${url}/audit`);
  const row = page.getByRole("listitem").filter({ hasText: "changed an API key" }).first();
  await expect(row).toContainText("olivia changed an API key Hallway radio");
  await row.getByText("changed an API key").click();
  const line = row.getByRole("row").filter({ hasText: "rpm" });
  await expect(line.locator("del")).toHaveText("60");
  await expect(line.locator("ins")).toHaveText("90");
  await expect(row).not.toContainText(key.key);
});

test("keeps filters in the URL across a reload", async ({ page, freshProduct: { url } }) => {
  const cookie = await setUp(url);
  await signInByCookie(page, url, cookie);
  await call(url, cookie, "POST", "/api/keys", { name: "Letter box" });
  await page.goto(`${url}/audit`);
  await page.getByLabel("Action", { exact: true }).selectOption({ label: "API keys" });
  await page.getByLabel("Actor", { exact: true }).selectOption({ label: "olivia" });
  await page.getByLabel("Time", { exact: true }).selectOption({ label: "Last hour" });
  await expect(page).toHaveURL(/what=keys&actor=usr_\w+&time=1h$/);
  await page.reload();
  await expect(page.getByRole("listitem").filter({ hasText: "created an API key Letter box" })).toBeVisible();
  await expect(page.getByText("completed setup")).toHaveCount(0);
  await page.getByLabel("Action", { exact: true }).selectOption({ label: "Models" });
  const noRows = page.getByRole("heading", { name: "No rows match these filters" });
  await expect(noRows).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel("Action", { exact: true })).toHaveValue("keys");
  await page.goForward();
  await expect(noRows).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(page.getByText("completed setup")).toBeVisible();
});

test("lets the user type a date, part by part", async ({ ownerPage: page, product: { url } }) => {
  await page.goto(`${url}/audit?time=days`);
  await page.getByLabel("From", { exact: true }).focus();
  // Types as fast as a person, because each digit of the year makes a new date.
  await page.keyboard.type("11012026", { delay: 60 });
  await expect(page).toHaveURL(/time=days&from=2026-11-01$/);
  await expect(page.getByLabel("From", { exact: true })).toHaveValue("2026-11-01");
});

test.describe("when a verification fails", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("shows its error", async ({ ownerPage: page, product: { url } }) => {
    await page.goto(`${url}/audit`);
    await expect(page.getByText(/^\d+ rows? verified$/)).toBeVisible();
    await page.route("**/api/audit/verify", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
    );
    await page.getByRole("button", { name: "Verify again" }).click();
    await expect(page.getByRole("main").getByRole("alert")).toContainText("Something went wrong");
  });
});

test.describe("when a filter fails to load", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("shows an error instead of the rows of the previous filter", async ({
    ownerPage: page,
    product: { url },
  }) => {
    await page.goto(`${url}/audit`);
    const rows = page.getByRole("main").getByRole("listitem");
    await expect(rows.first()).toBeVisible();
    await page.route("**/api/audit?*action=*", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
    );
    await page.getByLabel("Action", { exact: true }).selectOption({ label: "Channels" });
    await expect(page.getByRole("main").getByRole("button", { name: "Retry" })).toBeVisible();
    await expect(rows).toHaveCount(0);
  });
});

test("verifies the hash chain and names a row that was tampered with", async ({ page }) => {
  const product = await startProduct();
  try {
    const cookie = await setUp(product.url);
    await call(product.url, cookie, "POST", "/api/keys", { name: "Hall radio" });
    await signInByCookie(page, product.url, cookie);
    await page.goto(`${product.url}/audit`);
    await expect(page.getByText(/^\d+ rows verified$/)).toBeVisible();
    await expect(page.getByRole("button", { name: "Copy newest hash" })).toBeVisible();
    const file = new Database(path.join(product.dataDirectory, "patchbay.db"));
    file.exec("pragma busy_timeout = 5000");
    file.exec("drop trigger audit_no_update");
    file.exec("update audit set actor = 'mallory' where seq = 2");
    file.close();
    await page.getByRole("button", { name: "Verify again" }).click();
    await expect(
      page.getByRole("alert").filter({ hasText: "Row 2 was changed, or the row before it was removed" }),
    ).toBeVisible();
  } finally {
    // Closes the page's event stream before the server stops.
    await page.goto("about:blank");
    await product.close();
  }
});
