/** `npm run lighthouse`: fails when the median of five runs of a page is below 98 in a category. */
import { writeFileSync } from "node:fs";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { setUpWithCookie, startFor } from "../bench/product.mjs";
import { CHROMIUM_FLAGS, findChromium } from "../support/browser.mjs";

const RUNS = Number(process.env.RUNS ?? 5);
const MIN_SCORE = 98;
const CATEGORIES = ["performance", "accessibility", "best-practices"];

const MAIN = ["node", ".next/patchbay/main.mjs"];
const fresh = await startFor(MAIN);
const product = await startFor(MAIN);
const { cookie } = await setUpWithCookie(product.url);
const chrome = await launch({
  chromePath: await findChromium(),
  chromeFlags: ["--headless=new", ...CHROMIUM_FLAGS],
});

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const pages = [
  ["/login", product.url, {}],
  ["/setup", fresh.url, {}],
  ["/playground/speech", product.url, { Cookie: cookie }],
  ["/playground/embeddings", product.url, { Cookie: cookie }],
];
let passes = true;
console.log(`${"".padEnd(26)}${CATEGORIES.map((name) => name.padStart(16)).join("")}`);
for (const [path, url, extraHeaders] of pages) {
  const scores = Object.fromEntries(CATEGORIES.map((name) => [name, []]));
  for (let run = 0; run < RUNS; run++) {
    const result = await lighthouse(url + path, {
      port: chrome.port,
      onlyCategories: CATEGORIES,
      formFactor: "desktop",
      screenEmulation: { mobile: false, width: 1440, height: 900, deviceScaleFactor: 1, disabled: false },
      throttlingMethod: "simulate",
      throttling: { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 },
      extraHeaders,
      disableStorageReset: false,
    });
    for (const name of CATEGORIES)
      scores[name].push(Math.round((result.lhr.categories[name].score ?? 0) * 100));
    if (process.env.LIGHTHOUSE_REPORT) {
      writeFileSync(`${process.env.LIGHTHOUSE_REPORT}${path.replaceAll("/", "-")}.json`, result.report);
    }
  }
  const row = CATEGORIES.map((name) => median(scores[name]));
  passes &&= row.every((score) => score >= MIN_SCORE);
  console.log(`${path.padEnd(26)}${row.map((score) => String(score).padStart(16)).join("")}`);
}
chrome.kill();
await fresh.stop();
await product.stop();
process.exitCode = passes ? 0 : 1;
