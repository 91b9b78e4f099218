import type { Page } from "playwright/test";
import { expect } from "./fixtures";
import { type Routed, test } from "./routed";

/** Seeds several channels, keys, users and invites, and one failing channel. */
async function seed({ allow, call, channel, embed, accepted }: Routed): Promise<void> {
  await allow();
  const model = (name: string, operation: string) => ({ name, upstream_name: name, operation });
  const vectors = [model("nomic-embed-text", "embeddings"), model("bge-m3", "embeddings")];
  for (const name of ["Cellar", "Upstairs", "Cloud east", "Spare"])
    await channel(name, { models: [...vectors, model("kokoro", "speech")] });
  await channel("Rented machine", { models: [model("rented", "embeddings")] });
  for (let at = 0; at < 8; at++) {
    const budget = { total_usd: null, daily_usd: null, monthly_usd: at % 2 ? "25" : null };
    await call("/api/keys", { name: `Program ${at}`, budget });
    const account = { username: `person${at}`, email: `person${at}@example.com` };
    await call("/api/users", { password: "nine blue lanterns drift", ...account });
  }
  for (const role of ["member", "admin"]) await call("/api/invites", { role, expires_hours: 24 });
  for (let at = 0; at < 6; at++) await embed("nomic-embed-text");
  accepted.key = "sk-another-0123456789abcdef";
  await embed("rented");
}

/** Slows the page's processor down, so that the browser parses a page in several parts. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 8 });
}

/** Layout shifts (`layout-shift` entries above 0.001) while the page loads. */
async function layoutShifts(page: Page, address: string): Promise<string[]> {
  await page.goto(address, { waitUntil: "networkidle" });
  return page.evaluate(() =>
    (window as unknown as { shifts: { value: number; what: string }[] }).shifts
      .filter(({ value }) => value > 0.001)
      .map(({ value, what }) => `${value.toFixed(4)} ${what}`),
  );
}

test.use({ contextOptions: { reducedMotion: "no-preference" } });
test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    const shifts: { value: number; what: string }[] = [];
    Object.assign(window, { shifts });
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
    const nameOf = (node: Node | null) => (node instanceof Element ? node.outerHTML : `${node?.textContent}`);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as Shift;
        shifts.push({ value, what: sources.map(({ node }) => nameOf(node).slice(0, 120)).join(" | ") });
      }
    }).observe({ type: "layout-shift", buffered: true });
  }),
);

for (const width of [1440, 390])
  test(`shows filled pages without layout shifts at ${width} px`, async ({ routed, routedPage: page }) => {
    await seed(routed);
    await page.setViewportSize({ width, height: 900 });
    await slowDown(page);
    const { items } = await routed.call("/api/channels");
    const paths = [
      "/",
      "/channels",
      "/models",
      "/keys",
      "/keys?q=program",
      "/users",
      `/channels/${items[2].id}`,
    ];
    const moved: Record<string, string[]> = {};
    for (const path of paths) {
      const shifts = await layoutShifts(page, routed.product.url + path);
      if (shifts.length > 0) moved[path] = shifts;
    }
    expect(moved).toEqual({});
  });

test("does not shift the layout when a font loads late", async ({ routed, routedPage: page }) => {
  await seed(routed);
  await page.setViewportSize({ width: 390, height: 900 });
  await page.route("**/*.woff2", async (route) => {
    await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    await route.continue();
  });
  expect(await layoutShifts(page, `${routed.product.url}/`)).toEqual([]);
});
