import type { Page } from "playwright/test";
import { createKey, setUp, signIn } from "../support/product";
import { call } from "./enrolled";
import { expect, holdRequests, openOtherBrowser, signInByCookie, test } from "./fixtures";

/** The HTTP status of an embeddings request with this key. */
async function statusWith(url: string, key: string): Promise<number> {
  const reply = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "patchbay-embed", input: "kettle" }),
  });
  return reply.status;
}

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function choose(page: Page, name: string, action: string): Promise<void> {
  await rowOf(page, name)
    .getByRole("button", { name: `Actions for ${name}` })
    .click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Creates a key on the page and returns its secret. */
async function createKeyOnPage(page: Page, url: string, name: string): Promise<string> {
  await page.goto(`${url}/keys`);
  await page.getByRole("button", { name: "Create API key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Create API key" }).click();
  const key = (await page.getByTestId("api-key").textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(rowOf(page, name)).toBeVisible();
  return key;
}

test("shows a new API key once, copies it and accepts it", async ({ ownerPage: page, product, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${product.url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Newsletter reader");
  await dialog.getByRole("button", { name: "Create API key" }).click();
  // Escape does not close the dialog before the key is copied.
  await page.keyboard.press("Escape");
  const key = await page.getByTestId("api-key").textContent();
  const copy = dialog.getByRole("button", { name: "Copy API key" });
  await copy.click();
  await expect(dialog.getByRole("status")).toHaveText("Copied");
  await expect(copy).toHaveText("Copied");
  await expect(copy.getByRole("status")).toHaveCount(0);
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page).toHaveURL(`${product.url}/keys`);
  await expect(page.getByText(key ?? "none")).toHaveCount(0);
  await expect(rowOf(page, "Newsletter reader")).toContainText("Never used");

  expect(await statusWith(product.url, key ?? "")).toBe(200);
  // The time of last use is saved every few seconds.
  await expect(async () => {
    await page.reload();
    await expect(rowOf(page, "Newsletter reader")).toContainText("Newsletter reader");
    await expect(rowOf(page, "Newsletter reader")).not.toContainText("Never used", { timeout: 1_000 });
  }).toPass({ timeout: 40_000 });
});

test("says that an API key could not be copied", async ({ ownerPage: page, product }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  await page.goto(`${product.url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Radio play");
  await dialog.getByRole("button", { name: "Create API key" }).click();
  await dialog.getByRole("button", { name: "Copy API key" }).click();
  await expect(page.getByText("Could not copy. Select the text and copy it.")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
});

test("accepts a decimal comma in a budget", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Comma");
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel("Daily budget (USD)").fill("1,234");
  await dialog.getByRole("button", { name: "Create API key" }).click();
  await expect(dialog.getByLabel("Daily budget (USD)")).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Daily budget (USD)").fill("12,5");
  const sent = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/api/keys"));
  await dialog.getByRole("button", { name: "Create API key" }).click();
  expect((await sent).postDataJSON()).toMatchObject({ budget: { daily_usd: "12.5" } });
  await dialog.getByRole("button", { name: "Done" }).click();
});

test("shows errors at their fields, including fields under Limits", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel("Requests per minute").fill("many");
  // The day and the year are missing.
  await dialog.getByLabel("Expires").pressSequentially("02");
  await dialog.getByLabel("Daily budget (USD)").fill("ten");
  await dialog.getByLabel("Allowed IP addresses").fill("10.0.0.0/8 home");
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByRole("checkbox", { name: "Speech" }).uncheck();
  await dialog.getByRole("checkbox", { name: "Embeddings" }).uncheck();
  await dialog.getByRole("button", { name: "Create API key" }).click();
  await expect(dialog.getByLabel("Name")).toHaveAccessibleDescription(/Required/);
  await expect(dialog.getByLabel("Requests per minute")).toHaveAccessibleDescription(/whole number/);
  await expect(dialog.getByLabel("Expires")).toHaveAccessibleDescription(/not accepted/);
  await dialog.getByRole("button", { name: "Never" }).click();
  await expect(dialog.getByLabel("Expires")).not.toHaveAccessibleDescription(/not accepted/);
  await expect(dialog.getByLabel("Daily budget (USD)")).toHaveAccessibleDescription(/Enter an amount/);
  await expect(dialog.getByLabel("Allowed IP addresses")).toHaveAccessibleDescription(
    /Enter IP addresses or ranges/,
  );
  await expect(dialog.getByText("Select at least one.")).toBeVisible();
});

test("asks before Escape or an outside click closes a form with unsaved input", async ({
  ownerPage: page,
  product,
}) => {
  const dialog = page.getByRole("dialog");
  const clickOutside = () => page.mouse.click(4, 4);
  await page.goto(`${product.url}/keys?create=1`);
  await dialog.getByLabel("Name").fill("Draft");
  const question = page.getByRole("alertdialog", { name: "Discard unsaved changes?" });
  for (const close of [clickOutside, () => page.keyboard.press("Escape")]) {
    await close();
    await expect(question).toContainText("Unsaved changes in: Create API key.");
    await question.getByRole("button", { name: "Keep editing" }).click();
    await expect(dialog.getByLabel("Name")).toHaveValue("Draft");
  }
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(dialog).toHaveCount(0);
  await page.goto(`${product.url}/keys?create=1`);
  await dialog.getByLabel("Name").fill("Draft");
  await dialog.getByLabel("Name").fill("");
  await clickOutside();
  await expect(dialog).toHaveCount(0);
});

test("a request that ends after its dialog was closed leaves the next dialog open", async ({
  ownerPage: page,
  product,
}) => {
  for (const name of ["Late first", "Late second", "Late third"])
    await createKey(product.url, product.cookie, { name });
  await page.goto(`${product.url}/keys`);
  const releaseRotation = await holdRequests(page, "**/api/keys/*/rotate");
  await choose(page, "Late first", "Rotate");
  await page.getByRole("alertdialog").getByRole("button", { name: "Rotate" }).click();
  await page.keyboard.press("Escape");

  const form = page.getByRole("dialog", { name: "Edit Late second" });
  await choose(page, "Late second", "Edit");
  await form.getByLabel("Name").fill("Late and typed");
  releaseRotation();
  // The new secret is shown above the form.
  await expect(page.getByTestId("api-key")).toBeVisible();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByTestId("api-key")).toHaveCount(0);
  await expect(form.getByLabel("Name")).toHaveValue("Late and typed");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();

  const releaseDeletion = await holdRequests(page, "**/api/keys/*");
  await choose(page, "Late third", "Delete");
  await page.getByLabel("Type Late third").fill("Late third");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await choose(page, "Late second", "Edit");
  await form.getByLabel("Name").fill("Late and typed");
  releaseDeletion();
  await expect(page.getByText("Late third deleted")).toBeVisible();
  await expect(form.getByLabel("Name")).toHaveValue("Late and typed");
});

test("shows two secrets that arrive together one after the other, each until it is copied or closed", async ({
  ownerPage: page,
  product,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await createKey(product.url, product.cookie, { name: "Slow rotation" });
  await page.goto(`${product.url}/keys`);
  const opener = page.getByRole("button", { name: "Create API key" });
  const releaseRotation = await holdRequests(page, "**/api/keys/*/rotate");
  const releaseCreation = await holdRequests(page, "**/api/keys");
  await choose(page, "Slow rotation", "Rotate");
  await page.getByRole("alertdialog").getByRole("button", { name: "Rotate" }).click();
  await page.keyboard.press("Escape");
  await opener.click();
  const form = page.getByRole("dialog", { name: "Create API key" });
  await form.getByLabel("Name").fill("Fast creation");
  await form.getByRole("button", { name: "Create API key" }).click();

  releaseRotation();
  const rotated = page.getByRole("dialog", { name: "Slow rotation" });
  await rotated.getByRole("button", { name: "Copy API key" }).click();
  const first = await page.getByTestId("api-key").textContent();
  releaseCreation();
  // The form closes when its key exists.
  await expect(page.locator("[role=dialog]")).toHaveCount(1);
  await expect(page.getByTestId("api-key")).toHaveText(first ?? "none");
  await page.keyboard.press("Escape");

  const created = page.getByRole("dialog", { name: "Fast creation" });
  await expect(page.getByTestId("api-key")).not.toHaveText(first ?? "none");
  // Escape does not close this dialog, because its key has not been copied yet.
  await page.keyboard.press("Escape");
  await expect(created).toBeVisible();
  await created.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test("deletes an API key whose name is typed as it is shown, with one space for two", async ({
  ownerPage: page,
  product,
}) => {
  await createKey(product.url, product.cookie, { name: "Spare  phone" });
  await page.goto(`${product.url}/keys`);
  await choose(page, "Spare phone", "Delete");
  await page.getByLabel("Type Spare phone").fill("Spare phone");
  await page.getByRole("button", { name: "Delete API key" }).click();
  await expect(rowOf(page, "Spare phone")).toHaveCount(0);
});

test("shows each budget label on one line", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Limits", { exact: true }).click();
  const heights = await Promise.all(
    ["Daily", "Monthly", "Total"].map((period) =>
      dialog.getByText(`${period} budget (USD)`).evaluate((label) => label.getBoundingClientRect().height),
    ),
  );
  expect(new Set(heights).size).toBe(1);
});

test("saves an edited API key and shows its budget", async ({ ownerPage: page, product }) => {
  await createKeyOnPage(page, product.url, "Kitchen radio");
  await choose(page, "Kitchen radio", "Edit");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Kitchen speaker");
  await dialog.getByRole("checkbox", { name: "Embeddings" }).uncheck();
  await dialog.getByText("Limits", { exact: true }).click();
  await dialog.getByLabel("Daily budget (USD)").fill("2.5");
  await dialog.getByRole("combobox", { name: "Models" }).fill("patchbay-speech");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Kitchen speaker saved")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Actions for Kitchen/ })).toBeFocused();
  await expect(rowOf(page, "Kitchen speaker")).toContainText(/\$0\.00 of \$2\.50 today/);

  await choose(page, "Kitchen speaker", "Edit");
  await expect(dialog.getByLabel("Daily budget (USD)")).toHaveValue("2.50");
  await expect(dialog.getByRole("button", { name: "Remove patchbay-speech" })).toBeVisible();
  await expect(dialog.getByRole("checkbox", { name: "Embeddings" })).not.toBeChecked();
});

test("keeps the old API key valid during the grace period of a rotation", async ({
  ownerPage: page,
  product,
}) => {
  const old = await createKeyOnPage(page, product.url, "Intercom");
  await choose(page, "Intercom", "Rotate");
  await page.getByLabel("Old key stays valid for").selectOption("6");
  await page.getByRole("button", { name: "Rotate API key" }).click();
  await expect(page.getByText(/^The old key stays valid until [^.]+\.$/)).toBeVisible();
  const fresh = (await page.getByTestId("api-key").textContent()) ?? "";
  expect(fresh).not.toBe(old);
  expect(await statusWith(product.url, old)).toBe(200);
  expect(await statusWith(product.url, fresh)).toBe(200);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(rowOf(page, "Intercom")).toHaveCount(2);
  await expect(rowOf(page, "Intercom").filter({ hasText: /Expires in/ })).toHaveCount(1);
});

test("states when the old and the new key end if the rotated key expires within the grace period", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  const expires_at = new Date(Date.now() + 2 * 3_600_000);
  await call(url, cookie, "/api/keys", { name: "Pop-up shop", expires_at: expires_at.toISOString() });
  const time = expires_at.toISOString().slice(11, 16);
  await page.goto(`${url}/keys`);
  await choose(page, "Pop-up shop", "Rotate");
  const grace = page.getByLabel("Old key stays valid for");
  await expect(grace).toHaveAccessibleDescription(new RegExp(`^Only until .*, ${time}, when it expires$`));
  await grace.selectOption("No grace period");
  await expect(grace).toHaveAccessibleDescription("");
  await grace.selectOption("6 hours");
  await page.getByRole("button", { name: "Rotate API key" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(new RegExp(`The old key stays valid until [^.]*, ${time}\\.`));
  await expect(dialog).toContainText(new RegExp(`The new key expires on [^.]*, ${time}\\.`));
  await dialog.getByRole("button", { name: "Done" }).click();
});

test("refuses a disabled API key until it is enabled again", async ({ ownerPage: page, product }) => {
  const key = await createKeyOnPage(page, product.url, "Old phone");
  await choose(page, "Old phone", "Disable");
  await page.getByRole("button", { name: "Disable API key" }).click();
  await expect(rowOf(page, "Old phone").getByText("Disabled")).toBeVisible();
  expect(await statusWith(product.url, key)).toBe(401);
  await rowOf(page, "Old phone").getByRole("button", { name: "Actions for Old phone" }).click();
  await expect(page.getByRole("menuitem", { name: "Enable" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Rotate" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await choose(page, "Old phone", "Enable");
  await expect(page.getByText("Old phone enabled")).toBeVisible();
  expect(await statusWith(product.url, key)).toBe(200);
});

test("deletes an API key only after its name is typed", async ({ ownerPage: page, product }) => {
  const key = await createKeyOnPage(page, product.url, "Lost laptop");
  await choose(page, "Lost laptop", "Delete");
  const dialog = page.getByRole("alertdialog", { name: "Delete Lost laptop?" });
  const remove = dialog.getByRole("button", { name: "Delete API key" });
  await expect(remove).toBeDisabled();
  await expect(dialog.getByLabel("Type Lost laptop to confirm")).toBeFocused();
  await page.keyboard.type("Lost laptop");
  await remove.click();
  await expect(page.getByText("Lost laptop deleted")).toBeVisible();
  await expect(rowOf(page, "Lost laptop")).toHaveCount(0);
  // The button that had the focus was in the deleted row, so the focus moves to the page's content.
  await expect(page.getByRole("main")).toBeFocused();
  expect(await statusWith(product.url, key)).toBe(401);
});

test.describe("a page of an older version of the server", () => {
  test.use({
    allowedConsole: [
      [/status of 404/, /MIME type/, /ChunkLoadError|Failed to load chunk/],
      { scope: "test" },
    ],
  });

  test("asks to reload when the code of a menu can no longer be loaded", async ({
    ownerPage: page,
    product,
  }) => {
    await createKey(product.url, product.cookie, { name: "Old page" });
    await page.goto(`${product.url}/keys`, { waitUntil: "networkidle" });
    await page.route("**/_next/static/**", (route) => route.fulfill({ status: 404 }));
    let checks = 0;
    page.on("response", (response) => (checks += response.url().endsWith("/health/live") ? 1 : 0));
    // The first input loads the code of toasts.
    await page.mouse.move(1, 1);
    await expect.poll(() => checks, { timeout: 15_000 }).toBeGreaterThanOrEqual(2);
    await rowOf(page, "Old page").getByRole("button", { name: "Actions for Old page" }).click();
    await expect(page.getByRole("button", { name: "Reload page", exact: true })).toBeVisible({
      timeout: 15_000,
    });
  });
});

test.describe("an API key that was deleted elsewhere", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("is reported after its dialog was closed", async ({ ownerPage: page, product: { url, cookie } }) => {
    const { id } = await call<{ id: string }>(url, cookie, "/api/keys", { name: "Lent" });
    await page.goto(`${url}/keys`);
    const release = await holdRequests(page, `**/api/keys/${id}`);
    await choose(page, "Lent", "Delete");
    await page.getByLabel("Type Lent").fill("Lent");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("alertdialog")).toHaveCount(0);
    await fetch(`${url}/api/keys/${id}`, { method: "DELETE", headers: { cookie } });
    release();
    await expect(page.getByText("This no longer exists")).toBeVisible();
  });

  test("is reported by the dialogs that were open", async ({ ownerPage: page, product: { url, cookie } }) => {
    for (const [action, confirm, role] of [
      ["Edit", "Save changes", "dialog"],
      ["Delete", "Delete API key", "alertdialog"],
    ] as const) {
      const { id } = await call<{ id: string }>(url, cookie, "/api/keys", { name: "Borrowed" });
      await page.goto(`${url}/keys`);
      await choose(page, "Borrowed", action);
      const dialog = page.getByRole(role);
      await dialog.getByRole("textbox").first().fill("Borrowed");
      await fetch(`${url}/api/keys/${id}`, { method: "DELETE", headers: { cookie } });
      await dialog.getByRole("button", { name: confirm }).click();
      await expect(dialog).toContainText("This no longer exists");
    }
  });
});

test.describe("limits set by an administrator", () => {
  test.use({ allowedConsole: [[/status of 403/], { scope: "test" }] });

  test("are shown to the member, who cannot loosen them", async ({ ownerPage: page, product, browser }) => {
    const { url } = product;
    const account = { username: "ivo", password: "nine blue lanterns drift" };
    await call(url, product.cookie, "/api/users", account);
    const cookie = await signIn(url, account);
    for (const name of ["Radio of ivo", "Phone of ivo"]) await createKey(url, cookie, { name });

    // The owner limits the user, limits one key and disables the other.
    const dialog = page.getByRole("dialog");
    await page.goto(`${url}/users`);
    await choose(page, "ivo", "Edit");
    await dialog.getByLabel("Requests per minute").fill("90");
    await dialog.getByLabel("Monthly budget (USD)").fill("7.5");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("ivo saved")).toBeVisible();
    await page.goto(`${url}/keys`);
    await choose(page, "Radio of ivo", "Edit");
    await dialog.getByText("Limits", { exact: true }).click();
    await dialog.getByLabel("Requests per minute").fill("60");
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByText("Radio of ivo saved")).toBeVisible();
    await choose(page, "Phone of ivo", "Disable");
    await page.getByRole("button", { name: "Disable API key" }).click();
    await expect(page.getByText("Phone of ivo disabled")).toBeVisible();

    const theirs = await openOtherBrowser(browser);
    await signInByCookie(theirs, url, cookie);
    await theirs.goto(`${url}/keys`);
    const notice = theirs.getByText("90 requests per minute");
    await expect(notice).toContainText("$7.50 per month");
    await expect(theirs.getByText("Limits for all your API keys together")).toBeVisible();
    await rowOf(theirs, "Phone of ivo").getByRole("button", { name: "Actions for Phone of ivo" }).click();
    await expect(theirs.getByRole("menuitem", { name: "Disabled by the owner" })).toBeDisabled();
    await theirs.keyboard.press("Escape");

    await choose(theirs, "Radio of ivo", "Edit");
    const form = theirs.getByRole("dialog");
    const requests = form.getByLabel("Requests per minute");
    await expect(requests).toHaveAccessibleDescription(/Set by the owner/);
    await expect(form.getByLabel("Tokens per minute")).not.toHaveAccessibleDescription(/Set by/);
    await requests.fill("61");
    await form.getByRole("button", { name: "Save changes" }).click();
    await expect(requests).toHaveAccessibleDescription(/This limit was set by a user with a higher role/);
    await requests.fill("59");
    await form.getByRole("button", { name: "Save changes" }).click();
    await expect(theirs.getByText("Radio of ivo saved")).toBeVisible();
    await theirs.context().close();
  });
});

test("stores the search in the URL and shows an empty state without matches", async ({
  ownerPage: page,
  product,
}) => {
  await createKeyOnPage(page, product.url, "Garden gate");
  // Wait for hydration: the rows are rendered before the page handles input.
  await page.goto(`${product.url}/keys?q=garden`, { waitUntil: "networkidle" });
  await expect(rowOf(page, "Garden gate")).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
  const found = page.getByRole("main").getByRole("status");
  await expect(found).toHaveText("1 result");
  await page.getByLabel("Search API keys").fill("cellar");
  await expect(page.getByRole("heading", { name: "No API keys match “cellar”" })).toBeVisible();
  await expect(found).toHaveText("No results");
  await expect(page).toHaveURL(/\?q=cellar$/);
  await page.getByRole("button", { name: "Clear search" }).press("Enter");
  await expect(rowOf(page, "Garden gate")).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
});

test("explains API keys and offers to create one when there are none", async ({ page, freshProduct }) => {
  await signInByCookie(page, freshProduct.url, await setUp(freshProduct.url));
  await page.goto(`${freshProduct.url}/keys`);
  await expect(page.getByRole("heading", { name: "No API keys yet" })).toBeVisible();
  await page.getByRole("button", { name: "Create API key" }).click();
  await expect(page.getByRole("dialog", { name: "Create API key" })).toBeVisible();
});

test.describe("when the list fails to load", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("shows the error with its request ID and retries", async ({ ownerPage: page, product }) => {
    await page.route(/\/api\/keys\?/, (route) =>
      route.fulfill({
        status: 500,
        headers: { "x-request-id": "req-of-this-test" },
        json: { success: false, message: "", code: "internal" },
      }),
    );
    // The search is too long for the server to read the list in advance, so the browser requests it.
    await page.goto(`${product.url}/keys?q=${"x".repeat(201)}`);
    await expect(page.getByRole("alert").filter({ hasText: "Request id" })).toContainText("req-of-this-test");
    await page.unroute(/\/api\/keys\?/);
    await page.route(/\/api\/keys\?/, (route) =>
      route.fulfill({ json: { success: true, message: "", data: { items: [], next_cursor: null } } }),
    );
    await page.getByRole("button", { name: "Retry" }).press("Enter");
    await expect(page.getByRole("button", { name: "Clear search" })).toBeVisible();
    await expect(page.getByRole("main")).toBeFocused();
  });

  test("keeps the rows of an earlier load above the error", async ({
    ownerPage: page,
    product: { url, cookie },
  }) => {
    await createKey(url, cookie, { name: "Kept row" });
    const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
    await page.goto(`${url}/keys`);
    await expect(rowOf(page, "Kept row")).toBeVisible();
    await isLive;
    await page.route(/\/api\/keys\?/, (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
    );
    // The page loads its list again after a change by another client.
    await createKey(url, cookie, { name: "Newer row" });
    const retry = page.getByRole("button", { name: "Retry" });
    await expect(retry).toBeVisible();
    await expect(rowOf(page, "Kept row")).toBeVisible();
    await expect(rowOf(page, "Newer row")).toHaveCount(0);
    await page.unroute(/\/api\/keys\?/);
    await retry.click();
    await expect(rowOf(page, "Newer row")).toBeVisible();
    await expect(rowOf(page, "Kept row")).toBeVisible();
    await expect(retry).toHaveCount(0);
  });
});

test("accepts models and addresses as chips with suggestions, by keyboard only", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/keys?create=1`);
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Chip reader");
  await dialog.getByText("Limits", { exact: true }).click();
  const models = dialog.getByRole("combobox", { name: "Models" });
  await models.focus();
  await expect(dialog.getByRole("option", { name: "patchbay-speech", exact: true })).toBeVisible();
  await page.keyboard.type("PATCHBAY-sp");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("button", { name: "Remove patchbay-speech" })).toBeVisible();
  await page.keyboard.type("no-such-model ");
  await expect(dialog.getByText("Unknown model: no-such-model.")).toBeVisible();
  await page.keyboard.press("Backspace");
  await expect(dialog.getByRole("button", { name: "Remove no-such-model" })).toHaveCount(0);
  // Escape closes the suggestions, not the dialog.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await expect(dialog.getByRole("option")).toHaveCount(0);
  const addresses = dialog.getByRole("combobox", { name: "Allowed IP addresses" });
  await addresses.focus();
  await dialog.getByRole("option", { name: "10.0.0.0/8" }).click();
  await page.keyboard.type("203.0.113.7, 2001:db8::/32 ");
  await dialog.getByRole("button", { name: "Remove 203.0.113.7" }).press("Enter");
  await expect(addresses).toBeFocused();
  await dialog.getByRole("button", { name: "90 days" }).click();
  await expect(dialog.getByRole("button", { name: "90 days" })).toHaveAttribute("aria-pressed", "true");
  await dialog.getByRole("button", { name: "Create API key" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  const { data } = await (await page.request.get(`${product.url}/api/keys?q=Chip`)).json();
  expect(data.items[0]).toMatchObject({
    allowed_models: ["patchbay-speech"],
    allowed_addresses: ["10.0.0.0/8", "2001:db8::/32"],
  });
  const days = (Date.parse(data.items[0].expires_at) - Date.now()) / 86_400_000;
  expect(Math.floor(days)).toBeGreaterThanOrEqual(90);
  expect(days).toBeLessThan(91);

  await choose(page, "Chip reader", "Edit");
  await dialog.getByRole("button", { name: "Never" }).click();
  await expect(dialog.getByLabel("Expires")).toHaveValue("");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Chip reader saved")).toBeVisible();
  await choose(page, "Chip reader", "Try in playground");
  await expect(page).toHaveURL(/\/playground\/speech/);
  await expect(page.getByLabel("Model", { exact: true })).toHaveValue("patchbay-speech");
});

test("shows the requests of the last 30 days of each API key", async ({ ownerPage: page, product }) => {
  const key = await createKeyOnPage(page, product.url, "Busy kiosk");
  await createKeyOnPage(page, product.url, "Idle kiosk");
  for (let i = 0; i < 3; i++) expect(await statusWith(product.url, key)).toBe(200);
  await page.reload();
  await expect(rowOf(page, "Busy kiosk")).toContainText("3 requests");
  await expect(rowOf(page, "Idle kiosk")).toContainText("No requests");
});
