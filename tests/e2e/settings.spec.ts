import { readFileSync } from "node:fs";
import type { Page } from "playwright/test";
import { OWNER, setUp, signIn, startProduct } from "../support/product";
import { call, changeSettings } from "./console-api";
import { asksToLeave, expect, holdRequests, signInByCookie, test } from "./fixtures";

const formOf = (page: Page, name: string) => page.getByRole("form", { name });
const box = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

// Some of these tests cause refused requests.
test.use({ allowedConsole: [/status of (400|403|409)/] });

test("previews a change before saving and can undo it afterwards", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings`);
  const form = formOf(page, "Access");
  await form.getByRole("switch", { name: "Self-use mode" }).click();
  await expect(form.getByTestId("changes")).toContainText("Self-use mode: off → on");
  await form.getByRole("button", { name: "Discard" }).click();
  await expect(form.getByTestId("changes")).toHaveCount(0);
  await form.getByRole("switch", { name: "Self-use mode" }).click();
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved: Self-use mode")).toBeVisible();
  expect((await call(product.url, product.cookie, "GET", "/api/settings")).self_use_mode).toBe(true);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Changed back: Self-use mode")).toBeVisible();
  await expect(form.getByRole("switch", { name: "Self-use mode" })).not.toBeChecked();
});

test("closes a toast above an open dialog, and removes a toast with an action when its page is left", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/settings`, { waitUntil: "networkidle" });
  const form = formOf(page, "Access");
  const undo = page.getByRole("button", { name: "Undo" });
  const saveChange = async () => {
    await form.getByRole("switch", { name: "Self-use mode" }).click();
    await form.getByRole("button", { name: "Save changes" }).click();
    await expect(undo).toBeVisible();
  };
  await saveChange();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog");
  await expect(palette).toBeVisible();
  await page.locator("[data-sonner-toast]").getByRole("button", { name: "Close" }).click();
  await expect(undo).toHaveCount(0);
  await expect(palette).toBeVisible();
  await page.keyboard.press("Escape");
  await saveChange();
  await page.getByRole("link", { name: "Usage", exact: true }).click();
  await expect(page).toHaveURL(/\/usage/);
  await expect(undo).toHaveCount(0);
});

test("saves the budget for new registrations", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings`);
  const form = formOf(page, "Access");
  const budget = form.getByLabel("Budget for new registrations");
  await expect(budget).toHaveCount(0);
  const registration = form.getByRole("switch", { name: "Open registration" });
  await registration.click();
  await expect(budget).toHaveValue("5");
  await budget.fill("a lot");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByRole("alert").filter({ hasText: "amount" })).toBeVisible();
  await registration.click();
  await expect(budget).toHaveAccessibleDescription(/amount/);
  await registration.click();
  await budget.fill("12.50");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByTestId("changes")).toHaveCount(0);
  const saved = await call(product.url, product.cookie, "GET", "/api/settings");
  expect([saved.self_registration, saved.registration_budget_usd]).toEqual([true, "12.50"]);
  await changeSettings(product.url, product.cookie, {
    self_registration: false,
    registration_budget_usd: "5",
  });
});

test("keeps the section in the URL and the history", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings`);
  await page.getByRole("link", { name: "Limits" }).click();
  await expect(page).toHaveURL(`${product.url}/settings?section=limits`);
  await expect(page.getByRole("heading", { name: "Limits" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("link", { name: "Limits" })).toHaveAttribute("aria-current", "page");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Access" })).toBeVisible();
});

test("shows errors at their fields", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=security`);
  await box(page, "Admin idle timeout").fill("0.1");
  await box(page, "Member session lifetime").fill("soon");
  await formOf(page, "Sessions").getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Enter 0.25 or more." })).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "Enter a number." })).toBeVisible();
});

/** Replaces the page's event stream, so that the page does not learn of a change made elsewhere. */
async function disableLiveUpdates(page: Page): Promise<void> {
  const stream = { status: 200, contentType: "text/event-stream", body: ": no events\n\n" };
  await page.route("**/api/events*", (route) => route.fulfill(stream));
}

test("merges changes to different fields and asks again when the same field was changed elsewhere", async ({
  ownerPage: page,
  product,
}) => {
  const change = (body: object) => changeSettings(product.url, product.cookie, body);
  await disableLiveUpdates(page);
  await page.goto(`${product.url}/settings?section=security`);
  await box(page, "Minimum length").fill("12");
  await change({ self_registration: true });
  const form = formOf(page, "Passwords");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved: Minimum length")).toBeVisible();

  await box(page, "Minimum length").fill("14");
  await change({ password_minimum: 20, self_registration: false });
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByText("These settings were changed elsewhere")).toBeVisible();
  await expect(form.getByTestId("changes")).toContainText("Minimum length: 20 → 14");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByTestId("changes")).toHaveCount(0);
  expect((await call(product.url, product.cookie, "GET", "/api/settings")).password_minimum).toBe(14);
  await change({ password_minimum: null });
});

test("a field that was changed and changed back follows changes made elsewhere", async ({
  ownerPage: page,
  product,
}) => {
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${product.url}/settings`);
  await isLive;
  const form = formOf(page, "Access");
  const mode = form.getByRole("switch", { name: "Self-use mode" });
  await mode.click();
  await mode.click();
  await changeSettings(product.url, product.cookie, { self_use_mode: true });
  await expect(mode).toBeChecked({ timeout: 20_000 });
  await expect(form.getByTestId("changes")).toHaveCount(0);
  await changeSettings(product.url, product.cookie, { self_use_mode: false });
});

test("undoes only its own change when another field of the form was changed elsewhere", async ({
  ownerPage: page,
  product,
}) => {
  const change = (body: object) => changeSettings(product.url, product.cookie, body);
  await disableLiveUpdates(page);
  await page.goto(`${product.url}/settings`);
  const form = formOf(page, "Access");
  await form.getByRole("switch", { name: "Self-use mode" }).click();
  await change({ registration_budget_usd: "7" });
  await form.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Changed back: Self-use mode")).toBeVisible();
  const after = await call(product.url, product.cookie, "GET", "/api/settings");
  expect([after.self_use_mode, after.registration_budget_usd]).toEqual([false, "7"]);
  await change({ registration_budget_usd: "5" });
});

test("clears the caches without saving unsaved fields of the same form", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/settings?section=data`);
  const form = formOf(page, "Caches");
  await form.getByRole("textbox", { name: "Speech", exact: true }).fill("7");
  await form.getByRole("button", { name: "Clear both caches" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Clear caches" }).click();
  await expect(page.getByText("Caches cleared")).toBeVisible();
  await expect(form.getByTestId("changes")).toContainText("7");
  expect((await call(product.url, product.cookie, "GET", "/api/settings")).caches.speech_mb).toBe(64);
});

test("does not reopen a dialog that was closed with Back", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings`);
  await page.getByRole("link", { name: "Network" }).click();
  await page.getByRole("button", { name: "Generate token" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Access" })).toBeVisible();
  await page.goForward();
  await expect(page.getByRole("button", { name: "Generate token" })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("keeps what is entered while an earlier change is saved", async ({ ownerPage: page, product }) => {
  let release = (): void => undefined;
  let isReleased = Promise.resolve();
  const holdSaves = () => {
    isReleased = new Promise((resolve) => {
      release = resolve;
    });
  };
  holdSaves();
  await page.route("**/api/settings", async (route) => {
    if (route.request().method() !== "GET") await isReleased;
    await route.continue();
  });
  await page.goto(`${product.url}/settings?section=limits`);
  const form = formOf(page, "Limits");
  await box(page, "Attempts per request").fill("4");
  await form.getByRole("button", { name: "Save changes" }).click();
  await box(page, "Header timeout").fill("9");
  await box(page, "Attempts per request").fill("5");
  release();
  await expect(page.getByText("Saved: Attempts per request")).toBeVisible();
  await expect(form.getByTestId("changes")).toContainText("4 → 5");
  await expect(box(page, "Header timeout")).toHaveValue("9");
  await expect(form.getByText(/were changed elsewhere/)).toHaveCount(0);
  holdSaves();
  await form.getByRole("button", { name: "Save changes" }).click();
  // Sets the field to the value that is stored until the request ends.
  await box(page, "Attempts per request").fill("4");
  release();
  await expect(page.getByText(/^Saved: .*Header timeout/)).toBeVisible();
  await expect(box(page, "Attempts per request")).toHaveValue("4");
  await expect(form.getByTestId("changes")).toContainText("5 → 4");
  await box(page, "Attempts per request").fill("");
  await box(page, "Header timeout").fill("");
  await form.getByRole("button", { name: "Save changes" }).click();
  await expect(form.getByTestId("changes")).toHaveCount(0);
});

test("describes a number field with its unit", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=security`);
  await expect(box(page, "Admin idle timeout")).toHaveAccessibleDescription(/^hours\b/);
});

test("keeps the focus in a form whose buttons disappear", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=limits`);
  const form = formOf(page, "Limits");
  const field = box(page, "Attempts per request");
  await field.fill("4");
  await form.getByRole("button", { name: /^Reset Attempts per request/ }).press("Enter");
  await expect(field).toBeFocused();
  await field.fill("4");
  await form.getByRole("button", { name: "Discard" }).press("Enter");
  await expect(form).toBeFocused();
  await field.fill("4");
  await form.getByRole("button", { name: "Save changes" }).press("Enter");
  await expect(form.getByTestId("changes")).toHaveCount(0);
  await expect(form).toBeFocused();
  await field.fill("");
  await form.getByRole("button", { name: "Save changes" }).press("Enter");
  await expect(form.getByTestId("changes")).toHaveCount(0);
});

test("shows the default of a limit and resets to it", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=limits`);
  const field = page.getByRole("textbox", { name: "Attempts per request" });
  await expect(field).toHaveAttribute("placeholder", "3");
  const bodies = page.getByRole("textbox", { name: "In progress, all keys" });
  await expect(bodies).toHaveAccessibleDescription(/Default: 256 MB$/);
  await expect(bodies).toHaveAttribute("placeholder", "256");
  await field.fill("5");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Saved: Attempts per request")).toBeVisible();
  await page.getByRole("button", { name: "Reset Attempts per request to 3" }).click();
  await expect(page.getByTestId("changes")).toContainText("5 → 3");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByTestId("changes")).toHaveCount(0);
  expect((await call(product.url, product.cookie, "GET", "/api/settings")).limits).toEqual({});
});

test("allows a private upstream with the password and revokes it", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=network`);
  await page.getByRole("button", { name: "Allow an address" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill("http://192.168.1.20:8880");
  await dialog.getByLabel("Your password").fill("not the password");
  await dialog.getByRole("button", { name: "Allow" }).click();
  await expect(dialog.getByText("Incorrect password.")).toBeVisible();
  await dialog.getByLabel("Your password").fill(OWNER.password);
  await dialog.getByRole("button", { name: "Allow" }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Revoke 192.168.1.20:8880" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect(page.getByText("None. Channels can only reach the public internet.")).toBeVisible();
});

test("shows an invalid private upstream at its field and asks before the dialog is closed", async ({
  ownerPage: page,
  product,
}) => {
  await page.goto(`${product.url}/settings?section=network`);
  await page.getByRole("button", { name: "Allow an address" }).click();
  const dialog = page.getByRole("dialog");
  const address = dialog.getByLabel("Address");
  await address.fill("10.0.0.1:80");
  await dialog.getByLabel("Your password").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await expect(address).toHaveAccessibleDescription(/Enter a URL/);
  await page.keyboard.press("Escape");
  await page.getByRole("alertdialog").getByRole("button", { name: "Keep editing" }).click();
  await expect(address).toHaveValue("10.0.0.1:80");
});

test("lists the private upstreams of the environment, which cannot be revoked", async ({ page }) => {
  const product = await startProduct({ env: { PATCHBAY_UPSTREAM_ALLOW: "192.168.0.0/16" } });
  await signInByCookie(page, product.url, await setUp(product.url));
  await page.goto(`${product.url}/settings?section=network`);
  await expect(page.getByRole("listitem").filter({ hasText: "192.168.0.0/16" })).toContainText(
    "PATCHBAY_UPSTREAM_ALLOW",
  );
  await expect(page.getByText("None. Channels can only reach the public internet.")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /Revoke/ })).toHaveCount(0);
  await page.goto("about:blank");
  await product.close();
});

test("shows a metrics token once and requires it for /metrics until it is removed", async ({
  ownerPage: page,
  product,
}) => {
  const status = async (token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${product.url}/metrics`, { headers })).status;
  };
  await page.goto(`${product.url}/settings?section=network`);
  await page.getByRole("button", { name: "Generate token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(OWNER.password);
  // A token that arrives after the form was closed is shown too.
  const release = await holdRequests(page, "**/api/settings/metrics-token");
  await dialog.getByRole("button", { name: "Generate token" }).click();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  expect(await asksToLeave(page)).toBe(true);
  release();
  const token = (await page.getByTestId("metrics-token").textContent()) ?? "";
  // Escape must not close the dialog and lose the token.
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("A token is active")).toBeVisible();
  expect([await status(), await status(token)]).toEqual([401, 200]);
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No token: /metrics can only be read from this machine.")).toBeVisible();
  expect(await status()).toBe(200);
});

test("imports an exported file after a preview", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=transfer`);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download file" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^patchbay-settings-.*\.json$/);
  const exported = JSON.parse(readFileSync(await file.path(), "utf8"));
  const choose = (content: string) =>
    page
      .locator("input[type=file]")
      .setInputFiles({ name: "house.json", mimeType: "application/json", buffer: Buffer.from(content) });
  await choose("not JSON");
  await expect(page.getByText("The file is not JSON.")).toBeVisible();

  const settings = { ...exported.settings, caches: { embeddings_mb: 8, speech_mb: 64 } };
  // Larger than a request body may be: the page sends it without the white space.
  await choose(JSON.stringify({ ...exported, settings }).padEnd(9 * 1024 * 1024));
  const dialog = page.getByRole("dialog", { name: "Import house.json" });
  await expect(dialog.getByRole("listitem").filter({ hasText: "caches" })).toContainText("changed");
  const before = await call(product.url, product.cookie, "GET", "/api/settings");
  expect(before.caches.embeddings_mb).toBe(64);
  await dialog.getByRole("button", { name: "Apply one change" }).click();
  await expect(dialog).toHaveCount(0);
  const after = await call(product.url, product.cookie, "GET", "/api/settings");
  expect(after.caches.embeddings_mb).toBe(8);
  await changeSettings(product.url, product.cookie, { caches: before.caches });
});

test("previews the first hundred changes of a large file, skipped entries before the others", async ({
  ownerPage: page,
  product,
}) => {
  const channel = (number: number) => ({
    kind: "channel",
    name: `Upstream ${number}`,
    action: number === 150 ? "skip" : "change",
    fields: number === 150 ? [] : ["weight"],
    reason: number === 150 ? "Several channels have this name on this instance." : null,
  });
  const steps = Array.from({ length: 150 }, (_, index) => channel(index + 1));
  await page.route("**/api/settings/import", (route) =>
    route.fulfill({ json: { success: true, message: "", data: { dry_run: true, steps } } }),
  );
  await page.goto(`${product.url}/settings?section=transfer`);
  const buffer = Buffer.from(JSON.stringify({ format: "patchbay-settings" }));
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "large.json", mimeType: "application/json", buffer });
  const rows = page.getByRole("dialog").getByRole("listitem");
  await expect(rows).toHaveCount(100);
  await expect(rows.first()).toContainText("Upstream 150");
  await page.getByRole("button", { name: "Load more" }).click();
  await expect(rows).toHaveCount(150);
});

test("downloads a backup of the database", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings?section=transfer`);
  await page.getByRole("button", { name: "Download backup" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(OWNER.password);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download backup" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^patchbay-.*\.db$/);
  expect(
    readFileSync(await file.path())
      .subarray(0, 15)
      .toString(),
  ).toBe("SQLite format 3");
});

test("redirects a user who must set up 2FA to the account page", async ({ page, freshProduct }) => {
  const { url } = freshProduct;
  const owner = await setUp(url);
  const mia = { username: "mia", password: "nine blue lanterns drift" };
  await call(url, owner, "POST", "/api/users", mia);
  await changeSettings(url, owner, { two_factor_roles: ["member"] });
  await signInByCookie(page, url, await signIn(url, mia));
  await page.goto(`${url}/keys`);
  await expect(page).toHaveURL(`${url}/account`);
  await expect(page.getByText("Your role requires two-factor authentication")).toBeVisible();
  await expect(page.getByRole("button", { name: "Turn on" })).toBeVisible();
});

test("filters sections and fields by a search", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/settings`);
  const search = page.getByRole("searchbox", { name: "Search settings" });
  await search.fill("header timeout");
  await expect(page.getByRole("textbox", { name: "Header timeout" })).toBeVisible();
  await expect(page.getByText("Slower connections are closed.")).toBeVisible();
  await expect(page.getByText("Default: 10 s", { exact: true })).toBeVisible();
  await expect(page.getByLabel("TLS handshake timeout", { exact: true })).toBeHidden();
  await expect(page.getByRole("heading", { name: "Access" })).toBeHidden();
  await search.fill("session");
  await expect(page.getByRole("textbox", { name: "Admin idle timeout" })).toBeVisible();
  await search.fill("xyzzy");
  await expect(page.getByText("No settings match.")).toBeVisible();
  await search.fill("");
  await expect(page.getByRole("heading", { name: "Access" })).toBeVisible();
});
