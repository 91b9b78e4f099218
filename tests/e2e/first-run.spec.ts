import type { Locator, Page } from "playwright/test";
import { setUp, startProduct } from "../support/product";
import { totpCode } from "../support/totp";
import { asksToLeave, expect, holdRequests, OWNER, openOtherBrowser, signInByCookie, test } from "./fixtures";
import {
  createOwner,
  enrol,
  goToAdministratorStep,
  heading,
  measurePlayback,
  shownSecret,
} from "./wizard-page";

const SETUP_TOKEN = "a-token-that-only-the-operator-knows-0123456789";

/** Waits for the code and the font of the step after the owner is created, before the product is stopped. */
async function waitForSecret(page: Page): Promise<void> {
  await shownSecret(page);
  await page.evaluate(async () => void (await document.fonts.ready));
}

/**
 * Expects the first font of the element's style to be loaded, and invisible until then, so that no other font is
 * visible.
 */
async function expectOwnFont(element: Locator): Promise<void> {
  const state = () =>
    element.evaluate((one) => {
      const family = getComputedStyle(one).fontFamily.split(",")[0]?.replaceAll(/["']/g, "");
      const face = [...document.fonts].find((font) => font.family.replaceAll(/["']/g, "") === family);
      return `${face?.display} ${face?.status}`;
    });
  await expect.poll(state).toBe("block loaded");
}

test("sets up an empty instance and plays its first audio", async ({ page, freshProduct }) => {
  await page.goto(freshProduct.url);
  await expect(page).toHaveURL(/\/setup$/);
  await expect(heading(page, "Patchbay is running")).toBeVisible();
  await expect(page.getByText("SQLite, a file in the data folder")).toBeVisible();
  await expect(page.getByText("patchbay-speech", { exact: true })).toBeVisible();
  await goToAdministratorStep(page);
  await createOwner(page);

  const { codes } = await enrol(page);
  expect(codes).toHaveLength(10);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("patchbay-backup-codes.txt");
  await page.getByRole("button", { name: "I’ve saved them" }).click();

  await page.getByLabel("Name").fill("Reading app");
  await page.getByRole("button", { name: "Create API key", exact: true }).click();
  await expectOwnFont(page.getByTestId("api-key"));
  expect(await asksToLeave(page)).toBe(true);
  const key = await page.getByTestId("api-key").textContent();
  expect(key).toMatch(/^sk-pb-[0-9A-Za-z]{38}$/);
  await page.getByRole("button", { name: "Continue" }).click();

  const reply = page.waitForResponse(/:generateContent$/);
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  expect((await (await reply).request().allHeaders()).authorization).toBe(`Bearer ${key}`);
  await expect(page.getByText(/of audio, generated in/)).toBeVisible();
  // Playback started automatically.
  await expect
    .poll(() => page.evaluate(() => document.querySelector("audio")?.currentTime ?? 0))
    .toBeGreaterThan(0.2);
  const playback = await measurePlayback(page);
  expect(playback.duration).toBeGreaterThan(1);
  expect(playback.peak).toBeGreaterThan(0.05);
  await expect(page.getByRole("region", { name: "Request" })).toContainText(
    "/v1beta/models/patchbay-speech:generateContent",
  );

  await page.getByRole("button", { name: "Open the speech playground" }).click();
  await expect(page).toHaveURL(/\/playground\/speech/);
  await expect(heading(page, "Speech playground")).toBeVisible();
  await page.waitForLoadState("networkidle");
});

test("offers skipped 2FA and the unfinished setup on the overview", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(page);
  await createOwner(page);
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();

  await page.goto(freshProduct.url);
  await expect(page.getByRole("link", { name: "Turn on" })).toHaveAttribute("href", "/account");
  await page.getByRole("link", { name: "Finish setup" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();
});

test("shows the backup codes on any step until they are saved", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(page);
  await createOwner(page);
  const releaseCheck = await holdRequests(page, "**/api/user/2fa/enable");
  await page.getByLabel("Code from the app").fill(totpCode(await shownSecret(page), Date.now()));
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();
  expect(await asksToLeave(page)).toBe(true);
  releaseCheck();
  const areSaved = page.getByRole("button", { name: "I’ve saved them" });
  await expect(areSaved).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/step=second-factor$/);
  await expect(areSaved).toBeVisible();
  await page.goForward();
  await expect(page).toHaveURL(/step=key$/);
  await areSaved.click();
  await expect(heading(page, "Create your first API key")).toBeVisible();
  await page.goBack();
  await expect(page.getByText("If you have not saved your backup codes")).toBeVisible();
});

test("focuses the first invalid field of the account and keeps every step on one line", async ({
  page,
  freshProduct,
}) => {
  await page.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(page);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByLabel("Username")).toBeFocused();
  await expect(page.getByLabel("Password", { exact: true })).toHaveAttribute("aria-invalid", "true");
  await createOwner(page);
  const steps = page.getByRole("list", { name: "Progress" }).getByRole("listitem");
  const heights = await steps.evaluateAll((all) => all.slice(0, -1).map((step) => step.clientHeight));
  expect(heights.length).toBeGreaterThan(3);
  expect(new Set(heights).size).toBe(1);
});

test("keeps all answers on reload and Back", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await page.getByRole("button", { name: "Start setup" }).click();
  await page.getByRole("radio", { name: "With a team" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Username").fill(OWNER.username);
  await page.getByLabel("Email").fill("olivia@example.com");

  await page.reload();
  await expect(page.getByLabel("Username")).toHaveValue(OWNER.username);
  await expect(page.getByLabel("Email")).toHaveValue("olivia@example.com");
  await page.goBack();
  await expect(page.getByRole("radio", { name: "With a team" })).toBeChecked();
  await page.goForward();
  await createOwner(page);

  await enrol(page);
  await page.reload();
  await expect(page.getByText("If you have not saved your backup codes")).toContainText("under Account");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Create API key", exact: true }).click();
  await expect(page.getByTestId("api-key")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(heading(page, "Hear your first audio")).toBeVisible();
  await page.reload();
  await expect(heading(page, "Hear your first audio")).toBeVisible();
  await page.goBack();
  await expect(page.getByText("An API key was already created.")).toBeVisible();
});

test("sets up an instance in a browser that refuses storage", async ({ page, freshProduct }) => {
  await page.addInitScript(() => {
    Storage.prototype.setItem = Storage.prototype.removeItem = () => {
      throw new DOMException("", "SecurityError");
    };
  });
  await page.goto(freshProduct.url);
  await goToAdministratorStep(page);
  await createOwner(page);
});

test("explains on Back that the steps before the account can no longer be changed", async ({
  page,
  freshProduct,
}) => {
  await page.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(page);
  await createOwner(page);
  const notice = page.getByRole("status").filter({ hasText: "Your account is created" });
  await expect(notice).toHaveCount(0);
  for (const step of ["administrator", "usage", "welcome"]) {
    await page.goBack();
    await expect(page).toHaveURL(`${freshProduct.url}/setup?step=${step}`);
    await expect(notice).toContainText("change the usage under Settings");
    await expect(heading(page, "Set up two-factor authentication")).toBeVisible();
  }
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();
  await expect(notice).toHaveCount(0);
  await page.goBack();
  await expect(heading(page, "Set up two-factor authentication")).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test("returns on Back to the step that a resumed wizard began with, and to the overview after its end", async ({
  page,
  freshProduct,
}) => {
  await signInByCookie(page, freshProduct.url, await setUp(freshProduct.url));
  await page.goto(`${freshProduct.url}/setup`);
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();
  await page.goBack();
  await expect(heading(page, "Set up two-factor authentication")).toBeVisible();
  await page.goForward();
  await page.getByRole("button", { name: "Skip for now" }).click();
  await page.getByRole("button", { name: "Skip and finish" }).click();
  await expect(page).toHaveURL(/\/playground\/speech/);
  await page.goBack();
  await expect(page).toHaveURL(`${freshProduct.url}/`);
  await expect(heading(page, "Overview")).toBeVisible();
});

test.describe("when the end of the setup cannot be saved", () => {
  test.use({ allowedConsole: [[/status of 500/], { scope: "test" }] });

  test("shows the error without a button to retry the speech", async ({ page, freshProduct }) => {
    await signInByCookie(page, freshProduct.url, await setUp(freshProduct.url));
    await page.goto(`${freshProduct.url}/setup`);
    await page.getByRole("button", { name: "Not now" }).click();
    await page.getByRole("button", { name: "Skip for now" }).click();
    await page.route("**/api/setup/progress", (route) =>
      route.fulfill({ status: 500, json: { success: false, message: "", code: "internal" } }),
    );
    await page.getByRole("button", { name: "Skip and finish" }).click();
    const alert = page.getByRole("main").getByRole("alert");
    await expect(alert).toContainText("Something went wrong");
    await expect(alert.getByRole("button", { name: "Retry" })).toHaveCount(0);
  });
});

test("sends the slower of two simultaneous setups to sign-in", async ({ page, freshProduct, browser }) => {
  const slower = await openOtherBrowser(browser);
  await slower.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(slower);
  await page.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(page);
  await createOwner(page);

  await slower.getByLabel("Username").fill("peter");
  await slower.getByLabel("Password", { exact: true }).fill("another long pass phrase");
  await slower.getByLabel("Confirm password").fill("another long pass phrase");
  await slower.getByRole("button", { name: "Create account" }).click();
  await expect(heading(slower, "Already set up")).toBeVisible();
  await slower.getByRole("link", { name: "Go to sign-in" }).click();
  await expect(slower).toHaveURL(/\/login\?reason=taken$/);
  await expect(slower.getByText("This instance is already set up.")).toBeVisible();
  await slower.context().close();
});

test("opens the wizard after setup only for an owner who has not finished it", async ({
  page,
  freshProduct,
  browser,
}) => {
  await page.goto(`${freshProduct.url}/setup`);
  await goToAdministratorStep(page);
  await createOwner(page);
  expect((await page.goto(`${freshProduct.url}/setup`))?.status()).toBe(200);

  const visitor = await openOtherBrowser(browser);
  expect((await visitor.goto(`${freshProduct.url}/setup`))?.status()).toBe(404);
  await expect(heading(visitor, "Page not found")).toBeVisible();
  await visitor.context().close();
});

test.describe("invalid setup input", () => {
  test.use({ allowedConsole: [[/status of 40[01]/], { scope: "test" }] });

  test("shows each error of the admin account at its field", async ({ page, freshProduct }) => {
    await page.goto(`${freshProduct.url}/setup`);
    await goToAdministratorStep(page);
    await page.getByLabel("Username").fill("olivia green");
    await page.getByLabel("Email").fill("nowhere");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByLabel("Confirm password").fill("shorter");
    await page.getByRole("button", { name: "Create account" }).click();
    const expectDescription = (label: string, words: RegExp) =>
      expect(page.getByRole("textbox", { name: label, exact: true })).toHaveAccessibleDescription(words);
    await expectDescription("Username", /Use only letters, digits/);
    await expectDescription("Email optional", /Enter an email address/);
    await expectDescription("Password", /Use at least 8 characters/);
    await expectDescription("Confirm password", /The passwords don’t match/);

    // Checked only by the server.
    await page.getByLabel("Username").fill("olivia");
    await page.getByLabel("Email").fill("");
    await page.getByLabel("Password", { exact: true }).fill("password123");
    await page.getByLabel("Confirm password").fill("password123");
    await page.getByRole("button", { name: "Create account" }).click();
    await expectDescription("Password", /too common/);
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  });

  test("shows a wrong setup token at its field and accepts a corrected one", async ({ page }) => {
    const product = await startProduct({ env: { PATCHBAY_SETUP_TOKEN: SETUP_TOKEN } });
    await page.goto(`${product.url}/setup`);
    await page.getByRole("button", { name: "Start setup" }).click();
    await expect(page.getByText(/the file setup-token in the data folder/)).toBeVisible();
    await page.getByLabel("Setup token").fill("not-the-token");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByLabel("Username").fill(OWNER.username);
    await page.getByLabel("Password", { exact: true }).fill(OWNER.password);
    await page.getByLabel("Confirm password").fill(OWNER.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Setup token")).toHaveAccessibleDescription(/was not accepted/);

    await page.getByLabel("Setup token").fill(SETUP_TOKEN);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await createOwner(page);
    await waitForSecret(page);
    await product.close();
  });
});

test("removes a setup token from the URL and does not ask for it", async ({ page }) => {
  const product = await startProduct({ env: { PATCHBAY_SETUP_TOKEN: SETUP_TOKEN } });
  await page.goto(`${product.url}/setup#token=${SETUP_TOKEN}`);
  await expect(heading(page, "Patchbay is running")).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/setup`);
  await goToAdministratorStep(page);
  await createOwner(page);
  await waitForSecret(page);
  await product.close();
});

test("ignores the token of an old setup link on this machine", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup#token=a-token-of-an-earlier-start`);
  await goToAdministratorStep(page);
  await createOwner(page);
  await waitForSecret(page);
});

test("redirects console pages to the wizard before setup and to sign-in after it", async ({
  page,
  freshProduct,
}) => {
  await page.goto(`${freshProduct.url}/keys`);
  await expect(page).toHaveURL(/\/setup$/);
  await setUp(freshProduct.url);
  await page.goto(`${freshProduct.url}/keys`);
  await expect(page).toHaveURL(/\/login\?return_to=%2Fkeys$/);
});
