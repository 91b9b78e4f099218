import type { Page } from "playwright/test";
import { call } from "./enrolled";
import { expect, signInByCookie, test } from "./fixtures";
import { createUser } from "./users";

const option = (page: Page, name: string | RegExp) => page.getByRole("option", { name });
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

/** Expects the option that screen readers announce as selected. */
async function expectSelected(page: Page, name: string): Promise<void> {
  const id = await option(page, name).first().getAttribute("id");
  await expect(page.getByRole("combobox", { name: "Commands" })).toHaveAttribute(
    "aria-activedescendant",
    id ?? "",
  );
}

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Commands" })).toBeFocused();
  await expect(page.getByRole("listbox", { name: "Commands" })).toBeVisible();
  await page.keyboard.type(text);
}

test("finds channels, models, API keys and users by name and opens them", async ({
  ownerPage: page,
  product,
}) => {
  await call(product.url, product.cookie, "/api/keys", { name: "night batch" });
  await page.goto(product.url);
  await search(page, "built-in sp");
  await option(page, "Built-in speech").click();
  await expect(page).toHaveURL(`${product.url}/channels/chn_builtin_speech`);
  await expect(heading(page, "Built-in speech")).toBeVisible();

  // Pages come first, then records.
  await search(page, "speech");
  await expect(option(page, "patchbay-speech")).toBeVisible();
  await expect(page.getByRole("option").first()).toHaveText("Speech");
  await expect(option(page, "Speech").first()).toHaveAttribute("aria-selected", "true");
  await expectSelected(page, "Speech");
  await option(page, "patchbay-speech").click();
  await expect(page.getByRole("dialog", { name: "Route of patchbay-speech" })).toBeVisible();
  await page.keyboard.press("Escape");

  await search(page, "NIGHT");
  await expect(option(page, /^night batch/)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${product.url}/keys?q=night%20batch`);
  await expect(page.getByRole("searchbox")).toHaveValue("night batch");
  await expect(page.getByRole("cell", { name: /^night batch/ })).toBeVisible();

  await search(page, "olivi");
  await option(page, /olivia/).click();
  await expect(page).toHaveURL(`${product.url}/users?q=olivia`);
  await expect(heading(page, "Users")).toBeVisible();

  await search(page, "nothing is called that");
  await expect(page.getByText("No results.")).toBeVisible();
});

test("searches only API keys for a member", async ({ page, product }) => {
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  const { cookie } = await createUser(product.url, product.cookie, { username: "pia", role: "member" });
  await call(product.url, cookie, "/api/keys", { name: "patch cord" });
  await signInByCookie(page, product.url, cookie);
  await page.goto(`${product.url}/account`);
  await search(page, "patch");
  await expect(option(page, /^patch cord/)).toBeVisible();
  await expect(page.getByRole("option")).toHaveCount(1);
  expect(requested.filter((path) => /^\/api\/(channels|models|users)/.test(path))).toEqual([]);
});

test("searches a multi-page list on the server and keeps previous matches meanwhile", async ({
  ownerPage: page,
  product,
}) => {
  for (const name of ["moss wall", "moss green"])
    await call(product.url, product.cookie, "/api/keys", { name });
  // The first page of a long list may contain no match.
  const longer = { success: true, message: "", data: { items: [], next_cursor: "more" } };
  await page.route("**/api/keys?limit=100", (route) => route.fulfill({ json: longer }));
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asks = (url: URL) => url.pathname === "/api/keys" && url.searchParams.get("q") === "moss g";
  await page.route(asks, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(product.url);
  await search(page, "moss");
  await expect(option(page, /^moss green/)).toBeVisible();
  await expect(option(page, /^moss wall/)).toBeVisible();
  const isAsked = page.waitForRequest((request) => asks(new URL(request.url())));
  await page.keyboard.type(" g");
  await isAsked;
  await expect(option(page, /^moss wall/)).toHaveCount(0);
  await expect(option(page, /^moss green/)).toBeVisible();
  const isAnswered = page.waitForResponse((reply) => asks(new URL(reply.url())));
  release();
  await isAnswered;
  await expect(option(page, /^moss green/)).toBeVisible();
  await expect(option(page, /^moss wall/)).toHaveCount(0);
});

test.describe("a list that fails to load", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("has no matches and shows no error", async ({ ownerPage: page, product }) => {
    await page.route("**/api/users?*", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
    );
    await page.goto(`${product.url}/account`);
    await search(page, "built-in e");
    await expect(option(page, "Built-in embeddings")).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: /\S/ })).toHaveCount(0);
    await page.keyboard.type("xyz");
    await expect(page.getByText("No results.")).toBeVisible();
  });
});
