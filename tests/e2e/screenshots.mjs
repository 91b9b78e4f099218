/**
 * `npm run screenshots [folder]`: every page and state as a PNG, light and dark, 1440 and 390 pixels wide, some in
 * Chinese. `--readme` takes only the three pictures of the README, `--only <walk>` runs only one walk.
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
/** In bytes: every visit of the README loads its pictures. */
const MAX_README_PICTURE = 300 * 1024;
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

/** A POST to the console API; returns the `data` of the reply and its cookies. */
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

/** An instance right after setup. */
async function startBare() {
  const { url } = await start();
  const { cookie } = await call(url, "/api/setup", {
    ...scenes.OWNER,
    confirmPassword: scenes.OWNER.password,
  });
  return { url, cookie };
}

/** An instance with 2FA, four API keys and a few requests. */
async function startSmall() {
  const { url, cookie } = await startBare();
  const { data } = await call(url, "/api/user/2fa/setup", {}, cookie);
  // The previous code, because a code works only once and the newest one is needed to sign in.
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
/** An instance with a month of requests in its usage ledger. */
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
/** An instance with several channels, one of them failing. */
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
/** An instance with open and resolved alerts, shared by all walks. */
function startAlerted() {
  alerted ??= startSmall().then(async (instance) => {
    await raiseAlerts(instance);
    return instance;
  });
  return alerted;
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_FLAGS });
const failures = [];

/** Runs a walk in a new browser context and saves its screenshots; a failed walk is reported at the end. */
async function runWalk(walk, view, { url, cookie = "", ...more }, folder) {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.width < 768 ? 844 : 900 },
    hasTouch: view.width < 768,
    colorScheme: view.scheme,
    locale: view.locale ?? "en-GB",
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
    // Wait for two frames, so that the last change is painted, but at most a second.
    await page.evaluate(
      () =>
        new Promise((done) => {
          setTimeout(done, 1_000);
          requestAnimationFrame(() => requestAnimationFrame(done));
        }),
    );
    // Sticky elements are drawn at the scroll position.
    if (options.fullPage !== false) await page.evaluate(() => window.scrollTo(0, 0));
    const file = path.join(folder, `${scene}.png`);
    await page.screenshot({ path: file, fullPage: true, animations: "disabled", ...options });
    return file;
  };
  try {
    await walk({ page, url, shot, ...more });
  } catch (error) {
    failures.push(`${walk.name} ${view.scheme} ${view.width}: ${error.message.split("\n")[0]}`);
    await shot(`${walk.name}-broken`).catch(() => undefined);
  }
  await context.close();
}

async function takeReadme() {
  const fresh = await start();
  const instance = { ...(await startBare()), freshUrl: fresh.url };
  const files = [];
  const walk = ({ shot, ...rest }) =>
    scenes.walkReadme({
      ...rest,
      shot: async (scene) => files.push(await shot(scene, { fullPage: false })),
    });
  await runWalk(walk, { scheme: "light", width: 1440 }, instance, README_FOLDER);
  for (const file of files) {
    const { size } = statSync(file);
    console.log(`${file}  ${Math.round(size / 1024)} KB`);
    if (size > MAX_README_PICTURE) failures.push(`${file} is larger than ${MAX_README_PICTURE / 1024} KB`);
  }
}

async function takeAll(target) {
  const [bare, small] = [await startBare(), await startSmall()];
  const walks = [
    ["wizard", scenes.walkWizard, async () => start({ PATCHBAY_SETUP_TOKEN: scenes.SETUP_TOKEN })],
    ["sign-in", scenes.walkSignIn, async () => ({ url: small.url })],
    ["empty", scenes.walkEmpty, async () => bare],
    ["console", scenes.walkConsole, async () => small],
    ["speech", scenes.walkSpeech, async () => small],
    ["embeddings", scenes.walkEmbeddings, async () => small],
    ["settings", walkSettings, async () => small],
    ["usage", walkUsage, startBusy],
    ["logs", walkLogs, startBusy],
    ["alerts", walkAlerts, startAlerted],
    ["audit", walkAudit, startAlerted],
    ["docs", walkDocs, async () => small],
    // Creates channels and requests: a new instance each time keeps the bare one empty.
    ["channels", walkChannels, startBare],
    ["overview", walkOverview, startRouted],
    ["users", walkUsers, async () => small],
  ].filter(([name]) => !flags.only || flags.only === name);
  for (const scheme of ["light", "dark"]) {
    for (const width of [1440, 390]) {
      for (const [name, walk, startInstance] of walks) {
        console.log(`${scheme} ${width}: ${name}`);
        await runWalk(
          walk,
          { scheme, width },
          await startInstance(),
          path.join(target, `${scheme}-${width}`),
        );
      }
    }
  }
  if (flags.only && flags.only !== "chinese") return;
  for (const width of [1440, 390]) {
    const chinese = { scheme: "light", width, locale: "zh-CN" };
    const folder = path.join(target, `light-${width}`);
    await runWalk(scenes.walkChinese, chinese, small, folder);
    if (width < 1440) continue;
    await runWalk(walkChineseOperator, chinese, await startRouted(), folder);
    await runWalk(
      walkChineseWizard,
      chinese,
      await start({ PATCHBAY_SETUP_TOKEN: scenes.SETUP_TOKEN }),
      folder,
    );
  }
  const chinese = { scheme: "light", width: 1440, locale: "zh-CN" };
  await runWalk(walkChinesePages, chinese, await startBusy(), path.join(target, "light-1440"));
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
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
