import { setUp, startProduct } from "../support/product";
import { elsewhere, expect, OWNER, test } from "./fixtures";
import { createOwner, enrol, heading, listenTo, toAdministrator } from "./wizard-page";

const SETUP_TOKEN = "a-token-that-only-the-operator-knows-0123456789";

test("an empty folder becomes a service that speaks, in one sitting", async ({ page, freshProduct }) => {
  await page.goto(freshProduct.url);
  await expect(page).toHaveURL(/\/setup$/);
  await expect(heading(page, "Patchbay is running")).toBeVisible();
  await expect(page.getByText("SQLite, a file in the data folder")).toBeVisible();
  await expect(page.getByText("patchbay-speech", { exact: true })).toBeVisible();
  await toAdministrator(page);
  await createOwner(page);

  const { codes } = await enrol(page);
  expect(codes).toHaveLength(10);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("patchbay-backup-codes.txt");
  await page.getByRole("button", { name: "I’ve saved them" }).click();

  await page.getByLabel("Name").fill("Reading lamp");
  await page.getByRole("button", { name: "Create API key", exact: true }).click();
  const key = await page.getByTestId("api-key").textContent();
  expect(key).toMatch(/^sk-pb-[0-9A-Za-z]{38}$/);
  await page.getByRole("button", { name: "Continue" }).click();

  const reply = page.waitForResponse(/:generateContent$/);
  await page.getByRole("button", { name: "Speak", exact: true }).click();
  expect((await (await reply).request().allHeaders()).authorization).toBe(`Bearer ${key}`);
  await expect(page.getByText(/of audio, generated in/)).toBeVisible();
  // It began by itself.
  await expect
    .poll(() => page.evaluate(() => document.querySelector("audio")?.currentTime ?? 0))
    .toBeGreaterThan(0.2);
  const heard = await listenTo(page);
  expect(heard.duration).toBeGreaterThan(1);
  expect(heard.peak).toBeGreaterThan(0.05);
  await expect(page.getByRole("region", { name: "Request" })).toContainText(
    "/v1beta/models/patchbay-speech:generateContent",
  );

  await page.getByRole("button", { name: "Open the speech playground" }).click();
  await expect(page).toHaveURL(/\/playground\/speech/);
  await expect(heading(page, "Speech playground")).toBeVisible();
  await page.waitForLoadState("networkidle");
});

test("a second factor left for later is asked for again on the overview", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await toAdministrator(page);
  await createOwner(page);
  await page.getByRole("button", { name: "Not now" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();

  await page.goto(freshProduct.url);
  await expect(page.getByRole("link", { name: "Turn on" })).toHaveAttribute("href", "/account");
  await page.getByRole("link", { name: "Finish setup" }).click();
  await expect(heading(page, "Create your first API key")).toBeVisible();
});

test("Refresh and Back lose nothing that was answered or saved", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await page.getByRole("button", { name: "Start setup" }).click();
  await page.getByRole("radio", { name: "With a team" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Username").fill(OWNER.username);
  await page.getByLabel("Email").fill("olivia@example.com");
  await page.getByLabel("Password", { exact: true }).focus();

  await page.reload();
  await expect(page.getByLabel("Username")).toHaveValue(OWNER.username);
  await expect(page.getByLabel("Email")).toHaveValue("olivia@example.com");
  await page.goBack();
  await expect(page.getByRole("radio", { name: "With a team" })).toBeChecked();
  await page.goForward();
  await createOwner(page);

  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("button", { name: "Create API key", exact: true }).click();
  await expect(page.getByTestId("api-key")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(heading(page, "Hear your first audio")).toBeVisible();
  await page.reload();
  await expect(heading(page, "Hear your first audio")).toBeVisible();
  await page.goBack();
  await expect(page.getByText("An API key was already created.")).toBeVisible();
});

test("of two visitors at once the slower one is told and sent to sign-in", async ({
  page,
  freshProduct,
  browser,
}) => {
  const slower = await elsewhere(browser);
  await slower.goto(`${freshProduct.url}/setup`);
  await toAdministrator(slower);
  await page.goto(`${freshProduct.url}/setup`);
  await toAdministrator(page);
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

test("after set-up the wizard is nobody's but the owner's who is still in it", async ({
  page,
  freshProduct,
  browser,
}) => {
  await page.goto(`${freshProduct.url}/setup`);
  await toAdministrator(page);
  await createOwner(page);
  expect((await page.goto(`${freshProduct.url}/setup`))?.status()).toBe(200);

  const stranger = await elsewhere(browser);
  expect((await stranger.goto(`${freshProduct.url}/setup`))?.status()).toBe(404);
  await expect(heading(stranger, "Page not found")).toBeVisible();
  await stranger.context().close();
});

test.describe("what the server refuses", () => {
  test.use({ allowedConsole: [[/status of 40[01]/], { scope: "test" }] });

  test("each fault of the administrator stands at its field", async ({ page, freshProduct }) => {
    await page.goto(`${freshProduct.url}/setup`);
    await toAdministrator(page);
    await page.getByLabel("Username").fill("olivia green");
    await page.getByLabel("Email").fill("nowhere");
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByLabel("Confirm password").fill("shorter");
    await page.getByRole("button", { name: "Create account" }).click();
    const fault = (label: string, words: RegExp) =>
      expect(page.getByRole("textbox", { name: label, exact: true })).toHaveAccessibleDescription(words);
    await fault("Username", /Use only letters, digits/);
    await fault("Email optional", /Enter an email address/);
    await fault("Password", /Use at least 8 characters/);
    await fault("Confirm password", /The passwords don’t match/);

    // What only the server knows.
    await page.getByLabel("Username").fill("olivia");
    await page.getByLabel("Email").fill("");
    await page.getByLabel("Password", { exact: true }).fill("password123");
    await page.getByLabel("Confirm password").fill("password123");
    await page.getByRole("button", { name: "Create account" }).click();
    await fault("Password", /too common/);
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
  });

  test("a token that is wrong is told at its field and can be corrected", async ({ page }) => {
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
    await product.close();
  });
});

test("a token in the printed link is taken out of the address and not asked for", async ({ page }) => {
  const product = await startProduct({ env: { PATCHBAY_SETUP_TOKEN: SETUP_TOKEN } });
  await page.goto(`${product.url}/setup#token=${SETUP_TOKEN}`);
  await expect(heading(page, "Patchbay is running")).toBeVisible();
  await expect(page).toHaveURL(`${product.url}/setup`);
  await toAdministrator(page);
  await createOwner(page);
  await product.close();
});

test("a page of the console leads to the wizard first, to sign-in later", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/keys`);
  await expect(page).toHaveURL(/\/setup$/);
  await setUp(freshProduct.url);
  await page.goto(`${freshProduct.url}/keys`);
  await expect(page).toHaveURL(/\/login\?return_to=%2Fkeys$/);
});
