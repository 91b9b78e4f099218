import { gzipSync } from "node:zlib";
import type { Page } from "playwright/test";
import { enterPassword, test } from "./enrolled";
import { expect, signInByCookie } from "./fixtures";
import { axeViolations, cutPlaceholders, overflow, slowMotion, unseenFocus } from "./page-checks";
import { PAGES, type PageUnderTest, visitPage } from "./pages";

/** Limit for the gzipped bytes of the scripts that a first visit loads before any input. */
const FIRST_LOAD_LIMIT = 220 * 1024;

/**
 * Loads the page once and checks its scripts, layout shifts, axe in both themes, placeholders, the Tab key, reduced
 * motion, and the width at 200 % zoom, on a phone and at 1024 pixels.
 */
async function checkPage(page: Page, name: string, url: string): Promise<void> {
  const scripts: Promise<[string, number]>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return;
    scripts.push(response.body().then((body) => [response.url(), gzipSync(body).length]));
  });
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url, { waitUntil: "networkidle" });
  const sizes = await Promise.all(scripts);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`${name}: ${(total / 1024).toFixed(0)} KB in ${sizes.length} scripts`);
  expect.soft(sizes.length).toBeGreaterThan(0);
  expect.soft(total).toBeLessThanOrEqual(FIRST_LOAD_LIMIT);
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  expect.soft(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.01);

  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  expect.soft(await axeViolations(page), "light").toEqual([]);
  expect.soft(await slowMotion(page), "animations under reduced motion").toEqual([]);
  expect.soft(await cutPlaceholders(page), "placeholders cut at 1440 pixels").toEqual([]);
  const { stops, unseen } = await unseenFocus(page);
  expect.soft(stops, "Tab stops").toBeGreaterThan(0);
  expect.soft(unseen, "elements without visible focus").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveClass(/dark/);
  // The theme changes only colours, so the other rules would give the same result.
  const rules = ["color-contrast", "link-in-text-block"];
  expect.soft(await axeViolations(page, { rules }), "dark").toEqual([]);
  // A window of 1,440 pixels at a zoom of 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  await expect.poll(() => overflow(page), "pixels wider than the window at 200 %").toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => overflow(page), "pixels wider than the phone").toBeLessThanOrEqual(0);
  // The narrowest window with the sidebar.
  await page.setViewportSize({ width: 1024, height: 768 });
  await expect.poll(() => overflow(page), "pixels wider than 1024").toBeLessThanOrEqual(0);
}

// Layout shifts are measured with the animations that most visitors see.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

const title = ({ name }: Pick<PageUnderTest, "name">) =>
  `loads at most 220 KB of scripts without layout shifts, has no axe violations in either theme, follows Tab and reduced motion, and fits 390 and 1024 pixels and a zoom of 200 %: ${name}`;

for (const one of PAGES.filter(({ as }) => as === "fresh"))
  test(title(one), async ({ page, freshProduct }) => checkPage(page, one.name, freshProduct.url + one.path));

for (const one of PAGES.filter(({ as }) => as !== "fresh"))
  test(title(one), async ({ page, product, allowedConsole }) => {
    if (one.isMissing) allowedConsole.push(/404/);
    if (one.as === "owner") await signInByCookie(page, product.url, product.cookie);
    await visitPage(one, product, (path) => checkPage(page, one.name, product.url + path));
  });

test(title({ name: "two-factor sign-in" }), async ({ page, enrolled }) => {
  await page.goto(`${enrolled.url}/login`);
  await enterPassword(page, enrolled);
  await page.waitForURL(/\/login\/2fa/);
  await checkPage(page, "two-factor sign-in", `${enrolled.url}/login/2fa`);
});

/** Limit for all bytes, compressed, that the first visit of the sign-in page receives: scripts, styles, fonts, page. */
const SIGN_IN_LIMIT = 330 * 1024;

test("transfers at most 330 KB for the sign-in page", async ({ page, product }) => {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize));
  });
  await page.goto(`${product.url}/login`, { waitUntil: "networkidle" });
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  console.log(`sign-in page: ${(total / 1024).toFixed(0)} KB in ${sizes.length} replies`);
  expect(sizes.length).toBeGreaterThan(5);
  expect(total).toBeLessThanOrEqual(SIGN_IN_LIMIT);
});

test("shows states and buttons in a contrast theme, which removes backgrounds", async ({
  ownerPage: page,
  product,
}) => {
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
  const style = (selector: string, name: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

  await page.goto(`${product.url}/channels`);
  const state = page.getByRole("main").getByRole("switch").first();
  const background = () => state.evaluate((element) => getComputedStyle(element).backgroundColor);
  const on = await background();
  const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await state.click();
  await expect(state).not.toBeChecked();
  await expect.poll(background).not.toBe(on);
  await saved;
  // While the list loads again, the switch ignores a click as the second one of a double click.
  await expect(async () => {
    await state.click();
    await expect(state).toBeChecked({ timeout: 1_000 });
  }).toPass();
  expect(await style('nav a[aria-current="page"]', "outline-style")).toBe("solid");
  expect(await style('main a[data-slot="button"]', "border-top-width")).toBe("1px");

  await page.goto(`${product.url}/playground/speech`);
  expect(await style('main label:has(> input[type="radio"]:checked)', "outline-style")).toBe("solid");
  expect(await style('main label:has(> input[type="radio"]:not(:checked))', "outline-style")).toBe("none");
  // The dot of the chosen voice, which is nothing but a background.
  const ground = await style("body", "background-color");
  const dot = 'main label:has(> input[type="radio"]:checked) .rounded-full';
  expect([ground, "rgba(0, 0, 0, 0)"]).not.toContain(await style(dot, "background-color"));
});
