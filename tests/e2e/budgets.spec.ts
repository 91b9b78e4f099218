import { gzipSync } from "node:zlib";
import { expect, signInByCookie, test } from "./fixtures";
import { PAGES } from "./pages";

/** Gzipped bytes of the scripts a cold visit loads before any input. */
const FIRST_LOAD_LIMIT = 220 * 1024;

for (const { name, path, as } of PAGES) {
  test(`${name} loads at most 220 KB of script and does not shift`, async ({
    page,
    product,
    freshProduct,
  }) => {
    const url = as === "fresh" ? freshProduct.url : product.url;
    if (as === "owner") await signInByCookie(page, url, product.cookie);
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
    await page.goto(url + path, { waitUntil: "networkidle" });
    const sizes = await Promise.all(scripts);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    console.log(`${name}: ${(total / 1024).toFixed(0)} KB in ${sizes.length} scripts`);
    expect(sizes.length).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(FIRST_LOAD_LIMIT);
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
    expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.01);
  });
}
