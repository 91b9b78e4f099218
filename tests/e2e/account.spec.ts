import { changeSettings } from "./console-api";
import { enterPassword, expect, freshCode, openAccountMenu, signInElsewhere, test } from "./enrolled";
import { asksToLeave, holdRequests, signInByCookie } from "./fixtures";
import { createUser } from "./users";
import { enrol, shownSecret } from "./wizard-page";

const NEW_PASSWORD = "eleven quiet lanterns glow";

test.beforeEach(async ({ page, account }) => {
  await signInByCookie(page, account.url, account.cookie);
});

const twoFactorSection = /Two-factor authentication/;

test("shows a new display name in the shell at once and after a reload", async ({ page, account }) => {
  await page.goto(`${account.url}/account`);
  const save = page.getByRole("button", { name: "Save changes" });
  await expect(save).toBeDisabled();
  const title = page.getByRole("heading", { name: "Two-factor authentication" });
  await expect(title).toHaveCSS("line-height", `${(await title.boundingBox())?.height}px`);
  await page.getByLabel("Display name").fill("Olivia Green");
  await page.getByLabel("Email").fill("olivia@example.com");
  await save.click();
  await expect(page.getByText("Profile saved")).toBeVisible();
  const menu = page.getByRole("button", { name: /^Account menu/ });
  await expect(menu).toContainText("Olivia Green");
  await page.reload();
  await expect(page.getByLabel("Email")).toHaveValue("olivia@example.com");
  await expect(menu).toContainText("Olivia Green");
});

test("makes the profile's fields read-only while the profile is being saved", async ({ page, account }) => {
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/user/self", async (route) => {
    if (route.request().method() !== "GET") await isReleased;
    await route.continue();
  });
  await page.goto(`${account.url}/account`);
  await page.getByLabel("Display name").fill("Olivia Green");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByLabel("Email")).not.toBeEditable();
  release();
  await expect(page.getByText("Profile saved")).toBeVisible();
  await expect(page.getByLabel("Email")).toBeEditable();
});

test("saves a member's profile after the language was changed", async ({ page, account, product }) => {
  const { cookie } = await createUser(product.url, product.cookie, { username: "lena", role: "member" });
  await signInByCookie(page, account.url, cookie);
  await page.goto(`${account.url}/account`);
  await openAccountMenu(page);
  const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await page.getByRole("menuitemradio", { name: "中文" }).click();
  await saved;
  await page.getByLabel("显示名称").fill("Lena Green");
  await page.getByRole("button", { name: "保存更改" }).click();
  await expect(page.getByText("个人资料已保存")).toBeVisible();
});

test("shows a member's email as read-only while anyone can register", async ({ page, account, product }) => {
  const { url, cookie: owner } = product;
  const { cookie } = await createUser(url, owner, { username: "mina", role: "member" });
  await changeSettings(url, owner, { self_registration: true });
  await signInByCookie(page, account.url, cookie);
  await page.goto(`${account.url}/account`);
  await expect(page.getByLabel("Email")).not.toBeEditable();
  await expect(page.getByLabel("Email")).toHaveAccessibleDescription(/Only administrators can change it/);
  await page.getByLabel("Display name").fill("Mina Green");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Profile saved")).toBeVisible();
  await changeSettings(url, owner, { self_registration: false });
  await page.reload();
  await expect(page.getByLabel("Email")).toBeEditable();
});

test.describe("a 2FA enrolment", () => {
  test.use({ allowedConsole: [[/status of 403/], { scope: "test" }] });

  test("asks for the password with the focus in its field, then moves the focus to the dialog", async ({
    page,
    account,
  }) => {
    await page.route("**/api/user/2fa/setup", async (route) => {
      if (route.request().postDataJSON().password) await route.continue();
      else await route.fulfill({ status: 403, json: { success: false, message: "", code: "forbidden" } });
    });
    await page.goto(`${account.url}/account`);
    await page.getByRole("button", { name: "Turn on" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByLabel("Password", { exact: true })).toBeFocused();
    await page.keyboard.type(account.password);
    await page.keyboard.press("Enter");
    await shownSecret(page);
    await expect(dialog).toBeFocused();
  });

  test("asks before the console of another user replaces its backup codes", async ({
    page,
    account,
    product,
  }) => {
    const { id, cookie } = await createUser(product.url, product.cookie, {
      username: "mona",
      role: "member",
    });
    const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
    await page.goto(`${account.url}/account`);
    await isLive;
    await page.getByRole("button", { name: "Turn on" }).click();
    const { codes } = await enrol(page);
    await signInByCookie(page, account.url, cookie);
    await fetch(`${account.url}/api/user/logout`, { method: "POST", headers: { cookie: account.cookie } });
    const prompt = page.getByRole("alertdialog", { name: "Another user has signed in" });
    await prompt.getByRole("button", { name: "Keep editing" }).click();
    await expect(page.getByText(codes[0] ?? "none")).toBeVisible();
    await page.getByRole("button", { name: "I’ve saved them" }).click();
    await expect(page.getByRole("button", { name: "Account menu: mona" })).toBeVisible();
    await page.goto("about:blank");
    await fetch(`${product.url}/api/users/${id}`, { method: "DELETE", headers: { cookie: product.cookie } });
  });
});

test("signs out every other browser after a password change but keeps this one", async ({
  page,
  account,
  browser,
}) => {
  const other = await signInElsewhere(browser, account);
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${account.url}/account`);
  await page.getByLabel("Display name").fill("Olivia Brown");
  await isLive;
  const isReopened = page.waitForRequest((request) => request.url().endsWith("/api/events"));
  await page.getByLabel("Current password").fill(account.password);
  await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
  await page.getByLabel("Confirm new password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed.")).toBeVisible();
  await expect(page.getByText("No other browser is signed in.")).toBeVisible();
  // The old session's event stream has ended; the page has opened one in the new session.
  await isReopened;
  await expect(page.getByLabel("Display name")).toHaveValue("Olivia Brown");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Account" })).toBeVisible();

  // Wait for the automatic redirect to sign-in, which would interrupt the next navigation.
  await expect(other).toHaveURL(/\/login/);
  await other.goto(`${account.url}/keys`);
  await expect(other).toHaveURL(/\/login\?return_to=/);
  await enterPassword(other, { ...account, password: NEW_PASSWORD });
  await expect(other).toHaveURL(`${account.url}/keys`);
  await other.context().close();
});

test.describe("when the schema of the password form cannot be loaded", () => {
  test.use({ allowedConsole: [[/ERR_ABORTED/], { scope: "test" }] });

  test("does not change the password if the repeated one differs", async ({ page, account }) => {
    await page.goto(`${account.url}/account`);
    await page.getByLabel("Current password").fill(account.password);
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await page.getByLabel("Confirm new password").fill(`${NEW_PASSWORD}2`);
    await page.route("**/_next/static/**", (route) => route.abort("aborted"));
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByLabel("Confirm new password")).toHaveAccessibleDescription(/don’t match/);
    await page.unroute("**/_next/static/**");
  });
});

test("enables 2FA with a TOTP code and asks for one at the next sign-in", async ({ page, account }) => {
  await page.goto(`${account.url}/account`);
  const section = page.getByRole("region", { name: twoFactorSection });
  await section.getByRole("button", { name: "Turn on" }).click();
  const unconfirmed = await shownSecret(page);
  await expect(page.getByText("This is a new QR code")).toHaveCount(0);
  // A reload creates a new secret, and the page says that the first one is no longer valid.
  await page.reload();
  await section.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByText("This is a new QR code")).toBeVisible();
  const { secret, codes } = await enrol(page);
  expect(secret).not.toBe(unconfirmed);
  expect(new Set(codes).size).toBe(10);
  // Escape does not close the dialog while the codes are shown.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  await expect(section.getByText("10 backup codes left")).toBeVisible();

  await openAccountMenu(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/login$/);
  await page.goto(`${account.url}/account`);
  await enterPassword(page, account);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await page.keyboard.type(freshCode(secret, 1));
  await expect(page).toHaveURL(`${account.url}/account`);
});

test.describe("with 2FA enabled", () => {
  test.use({ allowedConsole: [[/status of (403|500)/], { scope: "test" }] });

  test("says what to do without an app when no backup codes are left", async ({ page, enrolled }) => {
    await page.route("**/api/user/2fa/status", async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      await route.fulfill({ response, json: { ...rest, data: { ...data, backup_codes_left: 0 } } });
    });
    await page.goto(`${enrolled.url}/account`);
    await expect(page.getByText("No backup codes left")).toBeVisible();
    await expect(page.getByText(/If you lost the app, have 2FA reset/)).toBeVisible();
  });

  test("creates new backup codes only with password and code, and replaces the old ones", async ({
    page,
    enrolled,
  }) => {
    await page.goto(`${enrolled.url}/account`);
    await page.getByRole("button", { name: "Create new backup codes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password", { exact: true }).fill("not the password");
    await dialog.getByLabel("Code from the app, or a backup code").fill(freshCode(enrolled.secret));
    await dialog.getByRole("button", { name: "Create ten codes" }).click();
    await expect(dialog.getByText("Incorrect password or code.")).toBeVisible();
    const code = dialog.getByLabel("Code from the app, or a backup code");
    await expect(code).toHaveValue("");
    await dialog.getByLabel("Password", { exact: true }).fill(enrolled.password);
    await code.fill(freshCode(enrolled.secret));
    // After any other failure the code stays in its field, so that it can be sent again.
    await page.route(
      "**/api/user/2fa/backup_codes",
      (route) => route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
      { times: 1 },
    );
    await dialog.getByRole("button", { name: "Create ten codes" }).click();
    await expect(dialog.getByRole("alert")).toBeVisible();
    await expect(code).not.toHaveValue("");
    // Codes that arrive after the form was closed are shown too.
    const release = await holdRequests(page, "**/api/user/2fa/backup_codes");
    await dialog.getByRole("button", { name: "Create ten codes" }).click();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    expect(await asksToLeave(page)).toBe(true);
    release();
    const newCodes = dialog.getByRole("listitem");
    await expect(newCodes).toHaveCount(10);
    expect(enrolled.backupCodes).not.toContain(await newCodes.first().textContent());
    await dialog.getByRole("button", { name: "I’ve saved them" }).click();
  });

  test("turns off 2FA with a backup code and then signs in with the password only", async ({
    page,
    enrolled,
  }) => {
    await page.goto(`${enrolled.url}/account`);
    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog");
    // A failure that arrives after the dialog was closed is reported too.
    await dialog.getByLabel("Password", { exact: true }).fill("not the password");
    await dialog.getByLabel("Code from the app, or a backup code").fill("123456");
    const release = await holdRequests(page, "**/api/user/2fa/disable");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
    release();
    await expect(page.getByText("Incorrect password.", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Turn off" }).click();
    await dialog.getByLabel("Password", { exact: true }).fill(enrolled.password);
    await dialog.getByLabel("Code from the app, or a backup code").fill(enrolled.backupCodes[1] ?? "");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await expect(page.getByText("Two-factor authentication is off")).toBeVisible();
    await expect(page.getByRole("button", { name: "Turn on" })).toBeVisible();

    await page.context().clearCookies();
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page, enrolled);
    await expect(page).toHaveURL(`${enrolled.url}/`);
  });
});

test("signs out one other browser, then all others", async ({ page, account, browser }) => {
  const [first, second, third] = [
    await signInElsewhere(browser, account),
    await signInElsewhere(browser, account),
    await signInElsewhere(browser, account),
  ];
  await page.goto(`${account.url}/account`);
  const section = page.getByRole("region", { name: "Sessions" });
  const rows = section.getByRole("listitem");
  await expect(rows).toHaveCount(4);
  await expect(rows.filter({ hasText: "This browser" })).toHaveCount(1);
  await expect(rows.first()).toContainText("127.0.0.1");

  await section
    .getByRole("button", { name: /^Sign out .+, 127\.0\.0\.1$/ })
    .first()
    .click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign out" }).click();
  await expect(rows).toHaveCount(3);
  await expect(page.getByRole("main")).toBeFocused();

  await section.getByRole("button", { name: "Sign out all others" }).click();
  await expect(page.getByRole("alertdialog", { name: "Sign out 2 other browsers?" })).toBeVisible();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign out all others" }).click();
  await expect(section.getByText("No other browser is signed in.")).toBeVisible();
  for (const other of [first, second, third]) {
    // Wait for the automatic redirect to sign-in, which would interrupt the next navigation.
    await expect(other).toHaveURL(/\/login/);
    await other.goto(`${account.url}/keys`);
    await expect(other).toHaveURL(/\/login/);
    await other.context().close();
  }
});

test("shows nothing of the console on Back after signing out", async ({ page, account }) => {
  await page.goto(`${account.url}/keys`);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await openAccountMenu(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
});
