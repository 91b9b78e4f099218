import path from "node:path";
import Database from "libsql";
import { setUp, startProduct } from "../support/product";
import { expect, signInByCookie, test } from "./fixtures";

async function call(url: string, cookie: string, method: string, route: string, body: object) {
  const reply = await fetch(url + route, {
    method,
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });
  return (await reply.json()).data;
}

test("a change is told by name, with each field before and after", async ({ ownerPage: page, product }) => {
  const { cookie, url } = product;
  const key = await call(url, cookie, "POST", "/api/keys", { name: "Hallway radio", rpm: 60 });
  await call(url, cookie, "PATCH", `/api/keys/${key.id}`, { rpm: 90, version: key.version });
  await page.goto(`${url}/audit`);
  const row = page.getByRole("listitem").filter({ hasText: "changed a key" }).first();
  await expect(row).toContainText("olivia changed a key Hallway radio");
  await row.getByText("changed a key").click();
  const line = row.getByRole("row").filter({ hasText: "rpm" });
  await expect(line.locator("del")).toHaveText("60");
  await expect(line.locator("ins")).toHaveText("90");
  await expect(row).not.toContainText(key.key);
});

test("filters are part of the address and hold after a reload", async ({ page, freshProduct: { url } }) => {
  const cookie = await setUp(url);
  await signInByCookie(page, url, cookie);
  await call(url, cookie, "POST", "/api/keys", { name: "Letter box" });
  await page.goto(`${url}/audit`);
  await page.getByLabel("What").selectOption({ label: "Keys" });
  await page.getByLabel("Who").selectOption({ label: "olivia" });
  await page.getByLabel("When").selectOption({ label: "Last hour" });
  await expect(page).toHaveURL(/what=keys&actor=usr_\w+&time=1h$/);
  await page.reload();
  await expect(page.getByRole("listitem").filter({ hasText: "made a key Letter box" })).toBeVisible();
  await expect(page.getByText("set the instance up")).toHaveCount(0);
  await page.getByLabel("What").selectOption({ label: "Models" });
  await expect(page.getByRole("heading", { name: "No row fits these filters" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(page.getByText("set the instance up")).toBeVisible();
});

test("the chain is verified on the page, and a row that was tampered with is named", async ({ page }) => {
  const product = await startProduct();
  try {
    const cookie = await setUp(product.url);
    await call(product.url, cookie, "POST", "/api/keys", { name: "Door bell" });
    await signInByCookie(page, product.url, cookie);
    await page.goto(`${product.url}/audit`);
    await expect(page.getByText(/^\d+ rows verified$/)).toBeVisible();
    await expect(page.getByRole("button", { name: "Copy newest hash" })).toBeVisible();
    const file = new Database(path.join(product.dataDirectory, "patchbay.db"));
    file.exec("drop trigger audit_no_update");
    file.exec("update audit set actor = 'mallory' where seq = 2");
    file.close();
    await page.getByRole("button", { name: "Verify again" }).click();
    await expect(
      page
        .getByRole("alert")
        .filter({ hasText: "Row 2 was changed, or does not follow from the one before it" }),
    ).toBeVisible();
  } finally {
    // The page listens to the server; it is left before the server goes.
    await page.goto("about:blank");
    await product.close();
  }
});
