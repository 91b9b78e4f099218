import type { Page, Request } from "playwright/test";
import { setUp, signIn as signInByApi } from "../support/product";
import { totpCode } from "../support/totp";
import { changeSettings } from "./console-api";
import { call } from "./enrolled";
import {
  asksToLeave,
  expect,
  holdRequests,
  openOtherBrowser,
  signInByCookie,
  test,
  waitForHydration,
} from "./fixtures";
import { PASSWORD } from "./users";

const NEW_PASSWORD = "twelve red foxes nap";
const STEP_MS = 30_000;

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

/** Returns the one-time link that a dialog shows, and closes the dialog. */
async function takeLink(page: Page): Promise<string> {
  const link = (await page.getByTestId("one-time-link").textContent()) ?? "";
  await page.getByRole("button", { name: "Done" }).click();
  return link;
}

async function fillAccount(page: Page, username: string): Promise<void> {
  const name = page.getByLabel("Username");
  await name.waitFor();
  await waitForHydration(page);
  await name.fill(username);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Confirm password").fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
}

async function signIn(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel("Username or email").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Creates a user through the API. */
function addUser(url: string, cookie: string, username: string, role = "member") {
  return call<{ id: string }>(url, cookie, "/api/users", { username, password: PASSWORD, role });
}

test("creates a member from an invite link that works only once", async ({
  ownerPage: page,
  product,
  browser,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${product.url}/users`);
  await page.getByRole("button", { name: "Invite user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("zoe@example.com");
  await dialog.getByLabel("Link expires after").selectOption("7 days");
  await dialog.getByRole("button", { name: "Create link" }).click();
  // Escape does not close the dialog before the link is copied.
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Copy link" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const link = await takeLink(page);
  expect(link).toBe(copied);
  await expect(
    page.getByRole("listitem").filter({ hasText: "Invitation for zoe@example.com" }),
  ).toBeVisible();

  const guest = await openOtherBrowser(browser);
  await guest.goto(link);
  await expect(guest.getByRole("heading", { name: "Join Patchbay" })).toBeVisible();
  await expect(guest.getByText("You can also sign in with zoe@example.com.")).toBeVisible();
  await fillAccount(guest, "olivia");
  await expect(guest.getByLabel("Username")).toHaveAccessibleDescription(/taken/);
  await fillAccount(guest, "zoe");
  await expect(guest).toHaveURL(`${product.url}/`);
  const navigation = guest.getByRole("navigation", { name: "Main" });
  await expect(navigation.getByRole("link", { name: "API keys" })).toBeVisible();
  await expect(navigation.getByRole("link", { name: "Users" })).toHaveCount(0);

  await guest.goto(link);
  await expect(guest.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible();
  await page.reload();
  await expect(rowOf(page, "zoe@example.com")).toContainText("Member");
  await expect(page.getByText("Invitation for zoe@example.com")).toHaveCount(0);
  await guest.context().close();
});

test("shows two one-time links that arrive together one after the other", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  await addUser(url, cookie, "slow-reset");
  await page.goto(`${url}/users`);
  const release = await holdRequests(page, "**/api/users/*/password_reset");
  await choose(page, "slow-reset", "Create password reset link");
  await page.getByRole("alertdialog").getByRole("button", { name: "Create link" }).click();
  await page.keyboard.press("Escape");
  expect(await asksToLeave(page)).toBe(true);
  await page.getByRole("button", { name: "Invite user" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create link" }).click();
  await expect(page.getByTestId("one-time-link")).toBeVisible();
  const isReset = page.waitForResponse("**/api/users/*/password_reset");
  release();
  await isReset;
  expect(await takeLink(page)).toContain("/invite#token=");
  expect(await takeLink(page)).toContain("/reset#token=");
});

test("lists more than one page of pending links", async ({ page, freshProduct: { url } }) => {
  const cookie = await setUp(url);
  await signInByCookie(page, url, cookie);
  for (let index = 0; index <= 50; index++)
    await call(url, cookie, "/api/invites", { role: "member", email: `guest-${index}@example.com` });
  await page.goto(`${url}/users`);
  const oldest = page.getByText("Invitation for guest-0@example.com");
  await expect(oldest).toHaveCount(0);
  await page.getByRole("button", { name: "Load more" }).click();
  await expect(oldest).toBeVisible();
});

test("shows the link that was pasted last when an earlier one is checked later", async ({
  page,
  product: { url, cookie },
}) => {
  const inviteFor = async (email: string) =>
    (await call<{ token: string }>(url, cookie, "/api/invites", { role: "member", email })).token;
  const [earlier, last] = [await inviteFor("earlier@example.com"), await inviteFor("last@example.com")];
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isEarlier = (one: Request) => one.postData()?.includes(earlier) ?? false;
  await page.route("**/api/invites/inspect", async (route) => {
    if (isEarlier(route.request())) await isReleased;
    await route.continue();
  });
  const isSent = page.waitForRequest(isEarlier);
  await page.goto(`${url}/invite#token=${earlier}`);
  await isSent;
  await page.evaluate((token) => {
    location.hash = `#token=${token}`;
  }, last);
  await expect(page.getByText("last@example.com")).toBeVisible();
  const isChecked = page.waitForResponse((one) => isEarlier(one.request()));
  release();
  await isChecked;
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(page.getByText("last@example.com")).toBeVisible();
});

test("invalidates a revoked invite link", async ({ ownerPage: page, product, browser }) => {
  const made = await call<{ token: string }>(product.url, product.cookie, "/api/invites", {
    role: "admin",
    email: "revoked@example.com",
  });
  await page.goto(`${product.url}/users`);
  await page.getByRole("button", { name: "Revoke: Invitation for revoked@example.com" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke link" }).click();
  await expect(page.getByText("Link revoked")).toBeVisible();
  const guest = await openOtherBrowser(browser);
  await guest.goto(`${product.url}/invite#token=${made.token}`);
  await expect(guest.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible();
  await guest.context().close();
});

test("resets a password with a link and a 2FA code, and ends other sessions", async ({
  ownerPage: page,
  product: { url, cookie },
  browser,
}) => {
  await addUser(url, cookie, "remy");
  const phone = await openOtherBrowser(browser);
  await signIn(phone, url, "remy", PASSWORD);
  await expect(phone).toHaveURL(`${url}/`);
  const own = (await phone.context().cookies()).map((one) => `${one.name}=${one.value}`).join("; ");
  const { secret } = await call<{ secret: string }>(url, own, "/api/user/2fa/setup", {});
  await call(url, own, "/api/user/2fa/enable", { code: totpCode(secret, Date.now() - STEP_MS) });

  await page.goto(`${url}/users`);
  await expect(rowOf(page, "remy")).toContainText("On");
  await choose(page, "remy", "Create password reset link");
  await page.getByRole("alertdialog").getByRole("button", { name: "Create link" }).click();
  const link = await takeLink(page);

  const guest = await openOtherBrowser(browser);
  await guest.goto(link);
  await guest.getByLabel("New password").fill(NEW_PASSWORD);
  await guest.getByLabel("Confirm password").fill(NEW_PASSWORD);
  await guest.getByLabel("Code from the app").fill("000000");
  await guest.getByRole("button", { name: "Save and sign in" }).click();
  await expect(guest.getByLabel("Code from the app")).toHaveAccessibleDescription(/incorrect/);
  await guest.getByLabel("Code from the app").fill(totpCode(secret, Date.now() + STEP_MS));
  await guest.getByRole("button", { name: "Save and sign in" }).click();
  await expect(guest).toHaveURL(`${url}/`);
  // The open page learns of the end of its session from its event stream.
  await expect(phone).toHaveURL(/\/login/);
  for (const one of [guest, phone]) await one.context().close();
});

test("adds, edits, disables, enables and deletes a user", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/users`);
  await page.getByRole("button", { name: "Add user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Add user" }).click();
  await expect(dialog.getByLabel("Username")).toHaveAccessibleDescription(/Required/);
  await dialog.getByLabel("Username").fill("noor");
  await dialog.getByLabel("Initial password").fill(PASSWORD);
  await dialog.getByRole("button", { name: "Add user" }).click();
  await expect(rowOf(page, "noor")).toContainText("Member");

  await choose(page, "noor", "Edit");
  await dialog.getByLabel("Display name").fill("Noor Haddad");
  await expect(dialog.getByLabel("Role")).not.toHaveAccessibleDescription(/signs the user out/);
  await dialog.getByLabel("Role").selectOption("Administrator");
  await expect(dialog.getByLabel("Role")).toHaveAccessibleDescription(
    /Manages channels.* signs the user out/,
  );
  await dialog.getByLabel("Monthly budget (USD)").fill("25");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("noor saved and signed out everywhere")).toBeVisible();
  await expect(rowOf(page, "Noor Haddad")).toContainText("Administrator");
  await expect(rowOf(page, "Noor Haddad")).toContainText("$0.00 of $25.00");

  // Self-use mode hides budgets, but none that refuses calls.
  await changeSettings(product.url, product.cookie, { self_use_mode: true });
  await page.reload();
  await choose(page, "noor", "Edit");
  await expect(dialog.getByLabel("Monthly budget (USD)")).toHaveValue("25.00");
  await page.keyboard.press("Escape");
  await changeSettings(product.url, product.cookie, { self_use_mode: false });
  await page.reload();

  await choose(page, "noor", "Disable");
  await page.getByRole("button", { name: "Disable user" }).click();
  await expect(rowOf(page, "Noor Haddad").getByText("Disabled")).toBeVisible();
  await page.getByRole("button", { name: "Actions for noor" }).click();
  await expect(page.getByRole("menuitem", { name: "Enable" })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: "Create password reset link" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await choose(page, "noor", "Enable");
  await expect(rowOf(page, "Noor Haddad").getByText("Disabled")).toHaveCount(0);

  await choose(page, "noor", "Delete");
  const ask = page.getByRole("alertdialog", { name: "Delete noor?" });
  await expect(ask.getByRole("button", { name: "Delete user" })).toBeDisabled();
  await page.keyboard.type("noor");
  await ask.getByRole("button", { name: "Delete user" }).click();
  await expect(rowOf(page, "Noor Haddad")).toHaveCount(0);
});

test.describe("concurrent edits", () => {
  test.use({ allowedConsole: [[/status of 409/], { scope: "test" }] });

  test("make the form load the newest version before a user can be saved", async ({
    ownerPage: page,
    product: { url, cookie },
  }) => {
    const { id } = await addUser(url, cookie, "stale");
    await page.goto(`${url}/users`);
    await choose(page, "stale", "Edit");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Display name").fill("Mine");
    await fetch(`${url}/api/users/${id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ display_name: "Theirs", version: 1 }),
    });
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await expect(dialog.getByText(/changed elsewhere/)).toBeVisible();
    await expect(dialog.getByLabel("Display name")).toHaveValue("Theirs");
  });
});

test.describe("a user who was deleted elsewhere", () => {
  test.use({ allowedConsole: [[/status of 404/], { scope: "test" }] });

  test("is reported by the dialogs that were open", async ({ ownerPage: page, product: { url, cookie } }) => {
    for (const [action, confirm, role] of [
      ["Edit", "Save changes", "dialog"],
      ["Delete", "Delete user", "alertdialog"],
    ] as const) {
      const { id } = await addUser(url, cookie, "gone");
      await page.goto(`${url}/users`);
      await choose(page, "gone", action);
      const dialog = page.getByRole(role);
      await dialog.getByRole("textbox").first().fill("gone");
      await fetch(`${url}/api/users/${id}`, { method: "DELETE", headers: { cookie } });
      await dialog.getByRole("button", { name: confirm }).click();
      await expect(dialog).toContainText("This no longer exists");
    }
  });
});

test("shows how long a user is locked, until the lock ends", async ({
  ownerPage: page,
  product: { url, cookie },
}) => {
  await addUser(url, cookie, "timed");
  const locked_until = new Date(Date.now() + 23 * 3_600_000).toISOString();
  await page.route("**/api/users?*", async (route) => {
    const reply = await route.fetch();
    const json = await reply.json();
    for (const user of json.data.items) if (user.username === "timed") user.locked_until = locked_until;
    await route.fulfill({ response: reply, json });
  });
  await page.clock.install();
  await page.goto(`${url}/users`);
  await expect(rowOf(page, "timed")).toContainText(/Locked for 22:59:\d\d/);
  await page.clock.fastForward("23:00:00");
  await expect(rowOf(page, "timed")).not.toContainText("Locked");
});

test("unlocks a user and signs them out everywhere", async ({
  ownerPage: page,
  product: { url, cookie },
  browser,
}) => {
  await addUser(url, cookie, "lock");
  const guest = await openOtherBrowser(browser);
  await signIn(guest, url, "lock", PASSWORD);
  await expect(guest).toHaveURL(`${url}/`);
  for (let i = 0; i < 10; i++)
    await fetch(`${url}/api/user/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "lock", password: "wrong wrong wrong" }),
    });
  await page.goto(`${url}/users`);
  await expect(rowOf(page, "lock")).toContainText(/Locked for 0:[0-3]\d/);
  await choose(page, "lock", "Unlock");
  await expect(page.getByText("lock unlocked")).toBeVisible();
  await expect(rowOf(page, "lock")).not.toContainText("Locked");
  await choose(page, "lock", "Sign out everywhere");
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await expect(page.getByText("lock signed out everywhere")).toBeVisible();
  await guest.goto(`${url}/account`);
  await expect(guest).toHaveURL(/\/login/);
  await guest.context().close();
});

test("does not let an administrator change administrators or the owner", async ({
  page,
  product: { url, cookie },
  browser,
}) => {
  await addUser(url, cookie, "ada", "admin");
  const guest = await openOtherBrowser(browser);
  await signIn(guest, url, "ada", PASSWORD);
  await expect(guest).toHaveURL(`${url}/`);
  await guest.goto(`${url}/users`);
  await guest.getByRole("button", { name: "Actions for olivia" }).click();
  await expect(guest.getByRole("menuitem", { name: /Only a user with a higher role/ })).toBeDisabled();
  await expect(guest.getByRole("menuitem")).toHaveCount(2);
  await guest.keyboard.press("Escape");
  await guest.getByRole("button", { name: "Invite user" }).click();
  await expect(
    guest.getByRole("dialog").getByText("Only the owner can create administrators."),
  ).toBeVisible();
  await guest.context().close();
  await page.close();
});

test("filters API keys by owner through the URL", async ({ ownerPage: page, product: { url, cookie } }) => {
  const { id } = await addUser(url, cookie, "keyed");
  const own = await signInByApi(url, { username: "keyed", password: PASSWORD });
  await call(url, own, "/api/keys", { name: "Reader of keyed" });
  await page.goto(`${url}/keys`);
  await expect(rowOf(page, "Reader of keyed")).toContainText("keyed");
  await page.getByLabel("Owner", { exact: true }).selectOption("Mine");
  await expect(page).toHaveURL(/owner=me/);
  await expect(rowOf(page, "Reader of keyed")).toHaveCount(0);
  await page.goto(`${url}/users`);
  await choose(page, "keyed", "API keys");
  await expect(page).toHaveURL(`${url}/keys?owner=${id}`);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: "Actions for Reader of keyed" }).click();
  await expect(page.getByRole("menuitem", { name: "Rotate" })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Disable API key" }).click();
  await expect(rowOf(page, "Reader of keyed").getByText("Disabled")).toBeVisible();
});

test("offers self-registration only if it is allowed", async ({
  page,
  product: { url, cookie },
  browser,
}) => {
  const set = (on: boolean) => changeSettings(url, cookie, { self_registration: on });
  const guest = await openOtherBrowser(browser);
  expect((await guest.goto(`${url}/register`))?.status()).toBe(404);
  await guest.goto(`${url}/login`);
  await expect(guest.getByRole("link", { name: "Create one" })).toHaveCount(0);
  await set(true);
  await guest.reload();
  await guest.getByRole("link", { name: "Create one" }).click();
  await fillAccount(guest, "selfmade");
  await expect(guest).toHaveURL(`${url}/`);
  await set(false);
  await guest.context().close();
  await page.close();
});

test("explains invitations to an owner without other users", async ({ page, freshProduct }) => {
  await signInByCookie(page, freshProduct.url, await setUp(freshProduct.url));
  await page.goto(`${freshProduct.url}/users`);
  await expect(page.getByRole("heading", { name: "You are the only user" })).toBeVisible();
});
