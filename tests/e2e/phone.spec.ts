import type { Page } from "playwright/test";
import { devices } from "playwright/test";
import { enterPassword, expect, freshCode, test } from "./enrolled";
import { createOwner, goToAdministratorStep, heading } from "./wizard-page";

const { userAgent, deviceScaleFactor } = devices["Pixel 7"];
test.use({
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
  userAgent,
  deviceScaleFactor,
});

/** How many pixels the page is wider than the screen. */
const horizontalOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("completes setup on a phone without horizontal scrolling", async ({ page, freshProduct }) => {
  await page.goto(`${freshProduct.url}/setup`);
  await expect(page.getByText("Step 1 of 6")).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
  await goToAdministratorStep(page);
  expect(await horizontalOverflow(page)).toBe(0);
  await createOwner(page);
  await expect(page.getByRole("img", { name: /QR code/ })).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
  await page.getByRole("button", { name: "Not now" }).tap();
  await page.getByRole("button", { name: "Create API key", exact: true }).tap();
  await expect(page.getByTestId("api-key")).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
  await page.getByRole("button", { name: "Continue" }).tap();
  await page.getByRole("button", { name: "Speak", exact: true }).tap();
  await expect(page.getByText(/of audio, generated in/)).toBeVisible();
  expect(await horizontalOverflow(page)).toBe(0);
});

test("lists API keys as cards and navigates with the menu", async ({ ownerPage: page, product }) => {
  await page.goto(`${product.url}/keys`);
  await expect(
    page.getByRole("main").getByRole("listitem").filter({ hasText: "sk-pb-" }).first(),
  ).toBeVisible();
  await expect(page.getByRole("table")).toBeHidden();
  expect(await horizontalOverflow(page)).toBe(0);
  await page.getByRole("button", { name: "Open menu" }).tap();
  await page.getByRole("dialog", { name: "Main" }).getByRole("link", { name: "Account" }).tap();
  await expect(heading(page, "Account")).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await horizontalOverflow(page)).toBe(0);
});

test("signs in by touch with a numeric keypad for the code", async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/login`);
  expect(await horizontalOverflow(page)).toBe(0);
  await enterPassword(page, enrolled);
  await expect(page.getByLabel("6-digit code")).toHaveAttribute("inputmode", "numeric");
  await page.getByLabel("6-digit code").fill(freshCode(enrolled.secret));
  await expect(page).toHaveURL(`${enrolled.url}/`);
});

test("makes every button at least 40 pixels high", async ({ ownerPage: page, product }) => {
  for (const path of ["/", "/keys", "/account"]) {
    await page.goto(product.url + path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const small = await page.getByRole("button").evaluateAll((buttons) =>
      buttons
        .filter((one) => one.checkVisibility())
        .map((one) => ({
          name: one.textContent || one.ariaLabel,
          height: one.getBoundingClientRect().height,
        }))
        .filter((one) => one.height < 40),
    );
    expect(small, path).toEqual([]);
  }
});
