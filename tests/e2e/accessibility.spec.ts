import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright/test";
import { expect, signInByCookie, test } from "./fixtures";
import { PAGES, type PageUnderTest, withPage } from "./pages";

async function faults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

async function look(page: Page, url: string, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(url + path, { waitUntil: "networkidle" });
  expect.soft(await faults(page), "light").toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveClass(/dark/);
  expect.soft(await faults(page), "dark").toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload({ waitUntil: "networkidle" });
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(inner, "wider than the phone").toBeLessThanOrEqual(outer ?? 0);
}

const title = ({ name }: PageUnderTest) =>
  `axe finds nothing on ${name} in either theme, and nothing scrolls sideways at 390 pixels`;

for (const one of PAGES.filter(({ as }) => as === "fresh"))
  test(title(one), async ({ page, freshProduct }) => look(page, freshProduct.url, one.path));

for (const one of PAGES.filter(({ as }) => as !== "fresh"))
  test(title(one), async ({ page, product }) => {
    if (one.as === "owner") await signInByCookie(page, product.url, product.cookie);
    await withPage(one, product, (path) => look(page, product.url, path));
  });
