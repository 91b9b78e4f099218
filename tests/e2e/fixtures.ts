import { type Browser, test as base, expect, type Page } from "playwright/test";
import { createKey, OWNER, type Product, setUp, startProduct } from "../support/product";

interface Fixtures {
  /** A new instance for this test alone, before initial setup. */
  freshProduct: Product;
  /** The page, signed in as the owner of `product`. */
  ownerPage: Page;
  /** Expected console errors: browsers log every 4xx and 5xx response as one. */
  allowedConsole: RegExp[];
}

interface WorkerFixtures {
  /** An instance that is set up once and shared by the tests of a worker. */
  product: Product & { cookie: string; key: string };
}

/** The page's event stream, which reconnects automatically; its errors are expected. */
const isStream = (url: string) => url.endsWith("/api/events");

/**
 * The test function of every browser test. A console error, a violation of the Content-Security-Policy, a failed request
 * or a request to another origin fails the test it happens in.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  product: [
    async ({}, use) => {
      // All tests sign in from one address; the rate limit has its own tests.
      const product = await startProduct({
        env: { PATCHBAY_LIMITS: JSON.stringify({ loginAttemptsPerMinute: 10_000 }) },
      });
      const cookie = await setUp(product.url);
      const key = await createKey(product.url, cookie);
      await use({ ...product, cookie, key });
      await product.close();
    },
    { scope: "worker" },
  ],
  freshProduct: async ({ page }, use) => {
    const product = await startProduct();
    await use(product);
    // Leave the page first: its event stream would fail when the server stops.
    await page.goto("about:blank");
    await product.close();
  },
  allowedConsole: [[], { option: true }],
  page: async ({ page, allowedConsole }, use) => {
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() !== "error" || isStream(message.location().url)) return;
      if (!allowedConsole.some((pattern) => pattern.test(message.text())))
        errors.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => errors.push(`page: ${error.message}`));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText ?? "";
      // Leaving a page or stopping a request aborts what is in progress.
      if (reason !== "net::ERR_ABORTED" && !isStream(request.url()))
        errors.push(`failed: ${request.url()} ${reason}`);
    });
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (/^https?:$/.test(protocol) && !["127.0.0.1", "localhost"].includes(hostname)) {
        errors.push(`another origin: ${request.url()}`);
      }
    });
    // Chromium does not log blocked code whose error is caught.
    await page.addInitScript(() =>
      addEventListener("securitypolicyviolation", (event) =>
        console.error(`Content-Security-Policy: ${event.violatedDirective} ${event.sourceFile}`),
      ),
    );
    await use(waitAfterVisits(page));
    expect(errors).toEqual([]);
  },
  ownerPage: async ({ page, product }, use) => {
    await signInByCookie(page, product.url, product.cookie);
    await use(page);
  },
});

/** Waits until React has hydrated the page: before that, rendered buttons and fields do nothing. */
export async function waitForHydration(page: Page): Promise<void> {
  await page
    .waitForFunction(
      () =>
        [...document.querySelectorAll("main input, main button, main a")].every((one) =>
          Object.keys(one).some((name) => name.startsWith("__reactProps$")),
        ),
      undefined,
      { timeout: 3_000 },
    )
    // A response that is not a console page never hydrates.
    .catch(() => undefined);
}

/** Makes `goto` and `reload` of a page wait for hydration. */
function waitAfterVisits(page: Page): Page {
  for (const way of ["goto", "reload"] as const) {
    const visit = page[way].bind(page) as (...all: unknown[]) => ReturnType<Page["goto"]>;
    const visitAndWait = async (...all: unknown[]) => {
      const reply = await visit(...all);
      await waitForHydration(page);
      return reply;
    };
    Object.assign(page, { [way]: visitAndWait });
  }
  return page;
}

/** A page in another browser context, without a session. */
export async function openOtherBrowser(browser: Browser): Promise<Page> {
  return waitAfterVisits(await (await browser.newContext({ locale: "en-GB" })).newPage());
}

/** Sets the cookies of a session that was created through the API. */
export async function signInByCookie(page: Page, url: string, cookie: string): Promise<void> {
  await page.context().addCookies(
    cookie.split("; ").map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
    }),
  );
}

export { expect, OWNER };

/** Whether the page asks before it is left. */
export const asksToLeave = (page: Page): Promise<boolean> =>
  page.evaluate(() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true })));

/** Opens a page and holds its scripts back until the returned function is called. */
export async function openBeforeHydration(page: Page, url: string): Promise<() => void> {
  let releaseScripts = (): void => undefined;
  const areReleased = new Promise<void>((resolve) => {
    releaseScripts = resolve;
  });
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await areReleased;
    await route.continue();
  });
  // Not `goto`: the page never finishes loading while its scripts are held back.
  await page.evaluate((target) => window.location.assign(target), url).catch(() => undefined);
  await page.locator("main").waitFor();
  return releaseScripts;
}

/** Holds the requests to a path back until the returned function is called. */
export async function holdRequests(page: Page, path: string): Promise<() => void> {
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(path, async (route) => {
    await isReleased;
    await route.continue();
  });
  return () => release();
}
