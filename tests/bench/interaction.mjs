/**
 * How quickly the console paints after a click or key while the live tail shows 200 requests a second: the browser's
 * own event timing, on the overview and the logs. `npm run bench interaction`.
 */
import { chromium } from "playwright";
import { CHROMIUM_FLAGS, findChromium } from "../support/browser.mjs";
import { setUpWithCookie, startFor } from "./product.mjs";

const REQUESTS_PER_SECOND = 200;
const FILL_MS = 3_000;
const TICK_MS = 10;
const ROUNDS = 15;
const SETTLE_MS = 250;
const OPEN_MS = 3_000;
const MAX_PRESSES = 5;
/** Connections of the load; a request that finds none free is sent later. */
const MAX_RUNNING = 32;

/** Calls the built-in model at a constant rate until stopped; returns how many were answered. */
function loadUntilStopped(url, key) {
  let [due, sent, running, answered] = [0, 0, 0, 0];
  const send = async () => {
    running += 1;
    const reply = await fetch(`${url}/v1/embeddings`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "patchbay-embed", input: `text ${sent++}`, encoding_format: "base64" }),
    });
    await reply.arrayBuffer();
    if (reply.ok) answered += 1;
    running -= 1;
  };
  const timer = setInterval(() => {
    due += (REQUESTS_PER_SECOND * TICK_MS) / 1_000;
    for (; due >= 1 && running < MAX_RUNNING; due--) void send();
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    return answered;
  };
}

/** Runs in the page before its scripts and collects the duration of every interaction. */
function observeInteractions() {
  window.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries())
      if (interactionId > 0) window.interactions.push({ duration, name });
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** Repeats the steps of a page, and prints its interactions; shorter ones than 16 ms count as 16. */
async function measurePage(page, title, steps) {
  await page.evaluate(() => window.interactions.splice(0));
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const step of steps) {
      await step(page, round);
      count += 1;
      await page.waitForTimeout(SETTLE_MS);
    }
  }
  const observed = await page.evaluate(() => window.interactions.map(({ duration }) => duration));
  const durations = [...Array(Math.max(0, count - observed.length)).fill(16), ...observed].sort(
    (a, b) => a - b,
  );
  const [p50, p98, worst] = [0.5, 0.98, 1].map((share) => percentile(durations, share));
  console.log(`${title.padEnd(34)} ${count} interactions: p50 ${p50} ms, p98 ${p98} ms, longest ${worst} ms`);
}

const dialog = (page) => page.getByRole("dialog");

/**
 * Opens a dialog by a key and waits for it. Presses the key again if no dialog opens, because the page may not listen
 * to keys yet, and a dialog's script is loaded late.
 */
const open = (keys) => async (page) => {
  for (let left = MAX_PRESSES; left > 0; left--) {
    await page.keyboard.press(keys);
    const isOpen = dialog(page).waitFor({ timeout: OPEN_MS });
    if (
      await isOpen.then(
        () => true,
        () => false,
      )
    )
      return;
  }
  throw new Error(`${keys} opened no dialog`);
};

async function close(page) {
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "hidden" });
}

const OVERVIEW = [
  (page, round) =>
    page
      .getByRole("radio")
      .nth(round % 4)
      .click(),
  open("?"),
  close,
  open("Control+k"),
  close,
];
const LOGS = [
  open("j"),
  close,
  (page, round) => page.getByLabel("Outcome").selectOption(round % 2 === 0 ? "failed" : "ok"),
  (page) => page.getByLabel("Outcome").selectOption(""),
  open("Control+k"),
  close,
];

export async function benchInteraction() {
  const product = await startFor(["node", ".next/patchbay/main.mjs"]);
  const { cookie, key } = await setUpWithCookie(product.url);
  const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  await context.addCookies(
    cookie.split("; ").map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: product.url };
    }),
  );
  await context.addInitScript(observeInteractions);
  const page = await context.newPage();
  // Stops the server also when a page does not behave as expected, because it would keep running.
  const killProduct = () => process.kill(product.pid);
  process.once("exit", killProduct);
  const measurePages = async (title) => {
    for (const [name, path, steps] of [
      ["overview", "/", OVERVIEW],
      ["logs", "/logs", LOGS],
    ]) {
      await page.goto(`${product.url}${path}`);
      await page.waitForTimeout(FILL_MS);
      await measurePage(page, `${name}, ${title}`, steps);
    }
  };
  console.log("\nFrom an interaction to the next paint");
  // The lists need calls to show.
  const fill = loadUntilStopped(product.url, key);
  await page.waitForTimeout(FILL_MS);
  fill();
  await measurePages("no requests");
  const stop = loadUntilStopped(product.url, key);
  const since = performance.now();
  await measurePages(`${REQUESTS_PER_SECOND} requests a second`);
  const rate = stop() / ((performance.now() - since) / 1_000);
  console.log(`${rate.toFixed(0)} requests were answered a second`);
  await browser.close();
  process.off("exit", killProduct);
  await product.stop();
}
