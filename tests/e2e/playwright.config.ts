import { defineConfig } from "playwright/test";
import { CHROMIUM_FLAGS, findChromium } from "../support/browser.mjs";

/** The browser's tests. Each starts the built product itself (fixtures.ts); nothing else needs to run. */
export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results",
  fullyParallel: false,
  // Each starts servers of its own; much of a test is waiting.
  workers: 2,
  // A busy machine delays timers; what passes only at the second run is listed at the end of `npm test`.
  retries: 1,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    browserName: "chromium",
    headless: true,
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: { width: 1440, height: 900 },
    // A trace costs every test a quarter of its time; PATCHBAY_TEST_TRACE=1 keeps those of tests that fail.
    trace: process.env.PATCHBAY_TEST_TRACE ? "retain-on-failure" : "off",
    launchOptions: {
      executablePath: process.env.PATCHBAY_TEST_CHROMIUM ?? (await findChromium()),
      args: CHROMIUM_FLAGS,
    },
  },
});
