import { enterPassword, expect, freshCode, OWNER, openAccountMenu, otherBrowser, test } from "./enrolled";
import { signInByCookie } from "./fixtures";
import { enrol, typedSecret } from "./wizard-page";

const NEW_PASSWORD = "eleven quiet lanterns glow";

test.beforeEach(async ({ page, ownProduct }) => {
  await signInByCookie(page, ownProduct.url, ownProduct.cookie);
});

const factorSection = /Two-factor authentication/;

test("a new display name shows in the frame at once and after a reload", async ({ page, ownProduct }) => {
  await page.goto(`${ownProduct.url}/account`);
  const save = page.getByRole("button", { name: "Save changes" });
  await expect(save).toBeDisabled();
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

test("a changed password signs out every other browser and this one goes on", async ({
  page,
  ownProduct,
  browser,
}) => {
  const other = await otherBrowser(browser, ownProduct.url);
  const isLive = page.waitForResponse((reply) => reply.url().endsWith("/api/events"));
  await page.goto(`${ownProduct.url}/account`);
  await page.getByLabel("Display name").fill("Olivia of the lamps");
  await isLive;
  const isReopened = page.waitForRequest((request) => request.url().endsWith("/api/events"));
  await page.getByLabel("Current password").fill(OWNER.password);
  await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
  await page.getByLabel("Confirm new password").fill(NEW_PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed.")).toBeVisible();
  await expect(page.getByText("No other browser is signed in.")).toBeVisible();
  // The old session's stream has ended by then, and the page has gone on in the new one.
  await isReopened;
  await expect(page.getByLabel("Display name")).toHaveValue("Olivia of the lamps");
  page.once("dialog", (dialog) => void dialog.accept());
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Account" })).toBeVisible();

  // The page that was open notices by itself, and would go on to sign-in over any other visit.
  await expect(other).toHaveURL(/\/login/);
  await other.goto(`${ownProduct.url}/keys`);
  await expect(other).toHaveURL(/\/login\?return_to=/);
  await enterPassword(other, NEW_PASSWORD);
  await expect(other).toHaveURL(`${ownProduct.url}/keys`);
  await other.context().close();
});

test("a second factor is switched on with a real app's code, and the next sign-in asks for one", async ({
  page,
  ownProduct,
}) => {
  await page.goto(`${ownProduct.url}/account`);
  const section = page.getByRole("region", { name: factorSection });
  await section.getByRole("button", { name: "Turn on" }).click();
  const lost = await typedSecret(page);
  await expect(page.getByText("This is a new QR code")).toHaveCount(0);
  // A secret is shown once: whoever loads the page again is told what to do with the entry of the first.
  await page.reload();
  await section.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByText("This is a new QR code")).toBeVisible();
  const { secret, codes } = await enrol(page);
  expect(secret).not.toBe(lost);
  expect(new Set(codes).size).toBe(10);
  // Neither Escape nor a press beside the dialog loses the codes.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  await expect(section.getByText("10 backup codes left")).toBeVisible();

  await openAccountMenu(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/login$/);
  await page.goto(`${ownProduct.url}/account`);
  await enterPassword(page);
  await expect(page.getByLabel("6-digit code")).toBeFocused();
  await page.keyboard.type(freshCode(secret, 1));
  await expect(page).toHaveURL(`${ownProduct.url}/account`);
});

test.describe("with a second factor", () => {
  test.use({ allowedConsole: [[/status of 403/], { scope: "test" }] });

  test("new backup codes take a password and a code, and replace the old ones", async ({
    page,
    enrolled,
  }) => {
    await page.goto(`${enrolled.url}/account`);
    await page.getByRole("button", { name: "New backup codes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password", { exact: true }).fill("not the password");
    await dialog.getByLabel("Code from the app, or a backup code").fill(freshCode(enrolled.secret));
    await dialog.getByRole("button", { name: "Create ten codes" }).click();
    await expect(dialog.getByText("Incorrect password or code.")).toBeVisible();
    await dialog.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await dialog.getByLabel("Code from the app, or a backup code").fill(freshCode(enrolled.secret));
    await dialog.getByRole("button", { name: "Create ten codes" }).click();
    const made = dialog.getByRole("listitem");
    await expect(made).toHaveCount(10);
    expect(enrolled.backupCodes).not.toContain(await made.first().textContent());
    await dialog.getByRole("button", { name: "I’ve saved them" }).click();
  });

  test("it is switched off with a backup code, and the password alone signs in again", async ({
    page,
    enrolled,
  }) => {
    await page.goto(`${enrolled.url}/account`);
    await page.getByRole("button", { name: "Turn off" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await dialog.getByLabel("Code from the app, or a backup code").fill(enrolled.backupCodes[1] ?? "");
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await expect(page.getByText("Two-factor authentication is off")).toBeVisible();
    await expect(page.getByRole("button", { name: "Turn on" })).toBeVisible();

    await page.context().clearCookies();
    await page.goto(`${enrolled.url}/login`);
    await enterPassword(page);
    await expect(page).toHaveURL(`${enrolled.url}/`);
  });
});

test("one other browser is signed out by name, then all others", async ({ page, ownProduct, browser }) => {
  const [first, second, third] = [
    await otherBrowser(browser, ownProduct.url),
    await otherBrowser(browser, ownProduct.url),
    await otherBrowser(browser, ownProduct.url),
  ];
  await page.goto(`${ownProduct.url}/account`);
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

  await section.getByRole("button", { name: "Sign out all others" }).click();
  await expect(page.getByRole("alertdialog", { name: "Sign out 2 other browsers?" })).toBeVisible();
  await page.getByRole("alertdialog").getByRole("button", { name: "Sign out all others" }).click();
  await expect(section.getByText("No other browser is signed in.")).toBeVisible();
  for (const other of [first, second, third]) {
    // It leaves by itself, and would do so over the next visit.
    await expect(other).toHaveURL(/\/login/);
    await other.goto(`${ownProduct.url}/keys`);
    await expect(other).toHaveURL(/\/login/);
    await other.context().close();
  }
});

test("after signing out, Back shows nothing of the console", async ({ page, ownProduct }) => {
  await page.goto(`${ownProduct.url}/keys`);
  await expect(page.getByRole("heading", { level: 1, name: "API keys" })).toBeVisible();
  await openAccountMenu(page);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Sign in" })).toBeVisible();
});
