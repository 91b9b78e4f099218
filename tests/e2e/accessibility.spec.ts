import AxeBuilder from "@axe-core/playwright";
import { expect, signInByCookie, test } from "./fixtures";
import { PAGES } from "./pages";

for (const { name, path, as } of PAGES) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`axe finds nothing on ${name} in ${colorScheme}`, async ({ page, product, freshProduct }) => {
      const url = as === "fresh" ? freshProduct.url : product.url;
      if (as === "owner") await signInByCookie(page, url, product.cookie);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(url + path, { waitUntil: "networkidle" });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(
        violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`),
      ).toEqual([]);
    });
  }

  test(`nothing scrolls sideways on ${name} at 390 pixels`, async ({ page, product, freshProduct }) => {
    const url = as === "fresh" ? freshProduct.url : product.url;
    if (as === "owner") await signInByCookie(page, url, product.cookie);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(url + path, { waitUntil: "networkidle" });
    const [inner, outer] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      window.innerWidth,
    ]);
    expect(inner).toBeLessThanOrEqual(outer ?? 0);
  });
}
