/**
 * `npm run screenshots [folder]`: every page and state as a PNG, light and dark, 1440 and 390 pixels wide, some in
 * Chinese. `--readme` makes the README's three pictures alone, `--only <walk>` one walk alone.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright/test";
import { startFor } from "../bench/product.mjs";
import { CHROMIUM_FLAGS, findChromium } from "../support/browser.mjs";
import { ensureChineseFont } from "../support/fonts.mjs";
import * as scenes from "./scenes.mjs";
import { raiseAlerts, walkAlerts, walkAudit, walkDocs } from "./scenes-alerts.mjs";
import { walkChannels } from "./scenes-channels.mjs";
import { walkChinesePages } from "./scenes-chinese.mjs";
import { walkChineseOperator, walkChineseWizard } from "./scenes-chinese-routes.mjs";
import { seedOverview, walkOverview } from "./scenes-overview.mjs";
import { walkSettings } from "./scenes-settings.mjs";
import { seedMonth, walkLogs, walkUsage } from "./scenes-usage.mjs";
import { walkUsers } from "./scenes-users.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const README_FOLDER = "public/readme";
/** Pictures of the README are loaded by everybody who opens it. */
const LARGEST_PICTURE = 300 * 1024;
const MAIN = path.join(ROOT, ".next/patchbay/main.mjs");
const LIMITS = JSON.stringify({ loginAttemptsPerMinute: 10_000 });

const { values: flags, positionals } = parseArgs({
  options: { readme: { type: "boolean" }, only: { type: "string" } },
  allowPositionals: true,
});
process.chdir(ROOT);
if (!existsSync(MAIN))
  spawnSync("npm", ["run", "build"], { stdio: "inherit", shell: process.platform === "win32" });
ensureChineseFont();

const products = [];
async function start(env = {}) {
  const product = await startFor([process.execPath, MAIN], { env: { PATCHBAY_LIMITS: LIMITS, ...env } });
  products.push(product);
  return product;
}

/** A call of the console's interface; its `data`, and the cookies it set. */
async function call(url, route, body, cookie = "") {
  const reply = await fetch(url + route, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify(body),
  });
  const { success, data, message } = await reply.json();
  if (!success) throw new Error(`${route}: ${message}`);
  const cookies = reply.headers.getSetCookie().map((one) => one.split(";")[0]);
  return { data, cookie: cookies.join("; ") };
}

/** An instance its owner has just set up. */
async function startBare() {
  const { url } = await start();
  const { cookie } = await call(url, "/api/setup", {
    ...scenes.OWNER,
    confirmPassword: scenes.OWNER.password,
  });
  return { url, cookie };
}

/** An instance in use: a second factor, four keys, a few calls. */
async function startLived() {
  const { url, cookie } = await startBare();
  const { data } = await call(url, "/api/user/2fa/setup", {}, cookie);
  // The code before the newest, so that the newest is still good for somebody who signs in.
  await call(url, "/api/user/2fa/enable", { code: scenes.codeOf(data.secret, -1) }, cookie);
  const budget = { total_usd: null, daily_usd: null, monthly_usd: "25" };
  for (const fields of [
    { name: "Kitchen radio", operations: ["speech"] },
    { name: "Search index", operations: ["embeddings"], rpm: 600, budget },
    { name: "Night reader", operations: ["speech", "embeddings"], budget },
    { name: "Old importer", operations: ["embeddings"] },
  ]) {
    const made = await call(url, "/api/keys", fields, cookie);
    if (fields.name !== "Search index") continue;
    const headers = { "content-type": "application/json", authorization: `Bearer ${made.data.key}` };
    const body = JSON.stringify({ model: "patchbay-embed", input: "lamp" });
    for (const _ of [1, 2, 3]) await fetch(`${url}/v1/embeddings`, { method: "POST", headers, body });
  }
  return { url, cookie };
}

let busy = null;
/** An instance with a month of calls in its books. */
function startBusy() {
  busy ??= (async () => {
    const product = await start();
    const { cookie } = await call(product.url, "/api/setup", {
      ...scenes.OWNER,
      confirmPassword: scenes.OWNER.password,
    });
    await seedMonth({ url: product.url, cookie, data: product.data });
    return { url: product.url, cookie };
  })();
  return busy;
}

let routed;
/** An instance with several channels in use, one of them broken. */
function startRouted() {
  routed ??= (async () => {
    const product = await start({ PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1" });
    const { cookie } = await call(product.url, "/api/setup", {
      ...scenes.OWNER,
      confirmPassword: scenes.OWNER.password,
    });
    await seedOverview({ url: product.url, cookie, data: product.data });
    return { url: product.url, cookie };
  })();
  return routed;
}

let alerted;
/** An instance with open alerts and a past; one for all walks. */
function startAlerted() {
  alerted ??= startLived().then(async (place) => {
    await raiseAlerts(place);
    return place;
  });
  return alerted;
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
const faults = [];

/** Runs a walk in a browser of its own and keeps what it shows; a broken walk is told and does not stop the rest. */
async function look(walk, eye, { url, cookie = "", ...more }, folder) {
  const context = await browser.newContext({
    viewport: { width: eye.width, height: eye.width < 768 ? 844 : 900 },
    hasTouch: eye.width < 768,
    colorScheme: eye.scheme,
    locale: eye.locale ?? "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  const cookies = cookie.split("; ").filter((pair) => pair.includes("="));
  await context.addCookies(
    cookies.map((pair) => {
      const at = pair.indexOf("=");
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
    }),
  );
  const page = await context.newPage();
  mkdirSync(folder, { recursive: true });
  const shot = async (scene, options = {}) => {
    await page.waitForLoadState("networkidle");
    // Two frames: what the last press changed has been painted. A page that paints nothing is not waited for.
    await page.evaluate(
      () =>
        new Promise((done) => {
          setTimeout(done, 1_000);
          requestAnimationFrame(() => requestAnimationFrame(done));
        }),
    );
    // What sticks to the screen's edge stands at the page's, whatever was scrolled to.
    if (options.fullPage !== false) await page.evaluate(() => window.scrollTo(0, 0));
    const file = path.join(folder, `${scene}.png`);
    await page.screenshot({ path: file, fullPage: true, animations: "disabled", ...options });
    return file;
  };
  try {
    await walk({ page, url, shot, ...more });
  } catch (error) {
    faults.push(`${walk.name} ${eye.scheme} ${eye.width}: ${error.message.split("\n")[0]}`);
    await shot(`${walk.name}-broken`).catch(() => undefined);
  }
  await context.close();
}

async function takeReadme() {
  const fresh = await start();
  const house = { ...(await startBare()), freshUrl: fresh.url };
  const files = [];
  const walk = ({ shot, ...rest }) =>
    scenes.walkReadme({
      ...rest,
      shot: async (scene) => files.push(await shot(scene, { fullPage: false })),
    });
  await look(walk, { scheme: "light", width: 1440 }, house, README_FOLDER);
  for (const file of files) {
    const { size } = statSync(file);
    console.log(`${file}  ${Math.round(size / 1024)} KB`);
    if (size > LARGEST_PICTURE) faults.push(`${file} is larger than ${LARGEST_PICTURE / 1024} KB`);
  }
}

async function takeAll(target) {
  const [bare, lived] = [await startBare(), await startLived()];
  const walks = [
    ["wizard", scenes.walkWizard, async () => start({ PATCHBAY_SETUP_TOKEN: scenes.SETUP_TOKEN })],
    ["sign-in", scenes.walkSignIn, async () => ({ url: lived.url })],
    ["empty", scenes.walkEmpty, async () => bare],
    ["console", scenes.walkConsole, async () => lived],
    ["speech", scenes.walkSpeech, async () => lived],
    ["embeddings", scenes.walkEmbeddings, async () => lived],
    ["settings", walkSettings, async () => lived],
    ["usage", walkUsage, startBusy],
    ["logs", walkLogs, startBusy],
    ["alerts", walkAlerts, startAlerted],
    ["audit", walkAudit, startAlerted],
    ["docs", walkDocs, async () => lived],
    // It leaves channels and calls behind: one of its own each time, so that the bare one stays bare.
    ["channels", walkChannels, startBare],
    ["overview", walkOverview, startRouted],
    ["users", walkUsers, async () => lived],
  ].filter(([name]) => !flags.only || flags.only === name);
  for (const scheme of ["light", "dark"]) {
    for (const width of [1440, 390]) {
      for (const [name, walk, place] of walks) {
        console.log(`${scheme} ${width}: ${name}`);
        await look(walk, { scheme, width }, await place(), path.join(target, `${scheme}-${width}`));
      }
    }
  }
  if (flags.only && flags.only !== "chinese") return;
  for (const width of [1440, 390]) {
    const chinese = { scheme: "light", width, locale: "zh-CN" };
    const folder = path.join(target, `light-${width}`);
    await look(scenes.walkChinese, chinese, lived, folder);
    if (width < 1440) continue;
    await look(walkChineseOperator, chinese, await startRouted(), folder);
    await look(walkChineseWizard, chinese, await start({ PATCHBAY_SETUP_TOKEN: scenes.SETUP_TOKEN }), folder);
  }
  const chinese = { scheme: "light", width: 1440, locale: "zh-CN" };
  await look(walkChinesePages, chinese, await startBusy(), path.join(target, "light-1440"));
}

try {
  const target = path.resolve(positionals[0] ?? "test-results/screenshots");
  if (flags.readme) await takeReadme();
  else {
    await takeAll(target);
    console.log(`Screenshots are in ${target}`);
  }
} finally {
  await browser.close();
  for (const product of products) await product.stop();
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
