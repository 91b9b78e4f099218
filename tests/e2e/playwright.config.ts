import { defineConfig } from "playwright/test";
import { CHROMIUM_FLAGS, findChromium } from "../support/browser.mjs";

/** The browser tests. Their fixtures start the built product (fixtures.ts). */
export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  fullyParallel: false,
  // Each worker starts its own servers; tests mostly wait.
  workers: 2,
  // A busy machine delays timers; `npm test` lists tests that pass only on the retry.
  retries: 1,
  forbidOnly: true,
  // Includes the start of a new instance. The slowest test takes 20 s, and 55 s on a busy machine.
  timeout: 150_000,
  expect: { timeout: 15_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    browserName: "chromium",
    headless: true,
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: { width: 1440, height: 900 },
    // Playwright waits for an animated control to hold still; tests of layout shifts turn the animations on.
    contextOptions: { reducedMotion: "reduce" },
    // Tracing makes tests about 25 % slower; PATCHBAY_TEST_TRACE=1 keeps the traces of failed tests.
    trace: process.env.PATCHBAY_TEST_TRACE ? "retain-on-failure" : "off",
    launchOptions: {
      executablePath: process.env.PATCHBAY_TEST_CHROMIUM ?? (await findChromium()),
      args: CHROMIUM_FLAGS,
    },
  },
});
