import { type Browser, test as base, expect, type Page } from "playwright/test";
import { createKey, OWNER, type Product, setUp, startProduct } from "../support/product";

interface Fixtures {
  /** A product nobody has set up, for this test alone. */
  freshProduct: Product;
  /** The page, signed in as the owner of `product`. */
  ownerPage: Page;
  /** Messages the test expects on the console (a refused password is an error there too). */
  allowedConsole: RegExp[];
}

interface WorkerFixtures {
  /** A product set up once and shared by the tests of a worker. */
  product: Product & { cookie: string; key: string };
}

/** A page's stream of changes comes back by itself after a break, and says nothing of it. */
const isStream = (url: string) => url.endsWith("/api/events");

/**
 * The test function of every browser test. A console error, a failed request or a request to another origin fails
 * the test it happens in.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  product: [
    async ({}, use) => {
      // One address signs in very often here; the limit has tests of its own.
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
    // A page that is still there would see its live stream refused while the server stops.
    await page.goto("about:blank");
    await product.close();
  },
  allowedConsole: [[], { option: true }],
  page: async ({ page, allowedConsole }, use) => {
    const faults: string[] = [];
    page.on("console", (message) => {
      if (message.type() !== "error" || isStream(message.location().url)) return;
      if (!allowedConsole.some((pattern) => pattern.test(message.text())))
        faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText ?? "";
      // A page that is left, or a call that the visitor stops, aborts what is under way.
      if (reason !== "net::ERR_ABORTED" && !isStream(request.url()))
        faults.push(`failed: ${request.url()} ${reason}`);
    });
    page.on("request", (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (/^https?:$/.test(protocol) && !["127.0.0.1", "localhost"].includes(hostname)) {
        faults.push(`another origin: ${request.url()}`);
      }
    });
    await use(awaken(page));
    expect(faults).toEqual([]);
  },
  ownerPage: async ({ page, product }, use) => {
    await signInByCookie(page, product.url, product.cookie);
    await use(page);
  },
});

/** Rows and fields come with the page and are there to be pressed before its script is: people take longer than that. */
export async function untilAwake(page: Page): Promise<void> {
  await page
    .waitForFunction(
      () =>
        [...document.querySelectorAll("main input, main button, main a")].every((one) =>
          Object.keys(one).some((name) => name.startsWith("__reactProps$")),
        ),
      undefined,
      { timeout: 3_000 },
    )
    // Text that is no page of the console has no script to wait for.
    .catch(() => undefined);
}

/** A page whose visits end when it listens. */
function awaken(page: Page): Page {
  for (const way of ["goto", "reload"] as const) {
    const visit = page[way].bind(page) as (...all: unknown[]) => ReturnType<Page["goto"]>;
    const visitAndWait = async (...all: unknown[]) => {
      const reply = await visit(...all);
      await untilAwake(page);
      return reply;
    };
    Object.assign(page, { [way]: visitAndWait });
  }
  return page;
}

/** A page of another browser, which is nobody's yet. */
export async function elsewhere(browser: Browser): Promise<Page> {
  return awaken(await (await browser.newContext({ locale: "en-GB" })).newPage());
}

/** Gives the browser a session made over the API. */
export async function signInByCookie(page: Page, url: string, cookie: string): Promise<void> {
  await page.context().addCookies(
    cookie.split("; ").map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
    }),
  );
}

export { expect, OWNER };
