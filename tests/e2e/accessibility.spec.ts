import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright/test";
import { expect, signInByCookie, test } from "./fixtures";
import { PAGES, type PageUnderTest, visitPage } from "./pages";

async function axeViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

async function checkPage(page: Page, url: string, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(url + path, { waitUntil: "networkidle" });
  expect.soft(await axeViolations(page), "light").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveClass(/dark/);
  expect.soft(await axeViolations(page), "dark").toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload({ waitUntil: "networkidle" });
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(inner, "wider than the phone").toBeLessThanOrEqual(outer ?? 0);
}

const title = ({ name }: PageUnderTest) =>
  `has no axe violations on ${name} in either theme and no horizontal scrolling at 390 pixels`;

for (const one of PAGES.filter(({ as }) => as === "fresh"))
  test(title(one), async ({ page, freshProduct }) => checkPage(page, freshProduct.url, one.path));

for (const one of PAGES.filter(({ as }) => as !== "fresh"))
  test(title(one), async ({ page, product }) => {
    if (one.as === "owner") await signInByCookie(page, product.url, product.cookie);
    await visitPage(one, product, (path) => checkPage(page, product.url, path));
  });
