/**
 * `npm test`: runs every check and every test. `npm run verify` (`--fast`) omits the tests that need a database server,
 * a browser or minutes, and the slowest files of the rest; `--unit` also omits lint and types. `--voices` adds the
 * tests of a real neural voice in the folder named by PATCHBAY_TEST_VOICES; `npm run test:voices` (`--only-voices`)
 * runs only these. `--node24` adds the tests of `--unit` on Node 24. Ends with `N passed, N failed` over all runners.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, setPriority, tmpdir } from "node:os";
import path from "node:path";
import { findChromium } from "./support/browser.mjs";

const isUnitOnly = process.argv.includes("--unit");
const isVoicesOnly = process.argv.includes("--only-voices");
const hasVoices = isVoicesOnly || process.argv.includes("--voices");
const hasNode24 = process.argv.includes("--node24");
const isFast = isUnitOnly || process.argv.includes("--fast");
/** Priority of a check that runs beside tests: it takes the CPU that they leave, and does not delay them. */
const LOW_PRIORITY = 10;
/** Browser tests run beside tests that measure time. Those have precedence, but must not starve a page. */
const BROWSER_PRIORITY = 4;
/** Free bytes in memory that the tests' temporary files may need. */
const MEMORY_NEEDED = 6 * 1024 ** 3;

/**
 * The folder of temporary files: in memory where there is enough, since each commit of a store waits for its disk (7 ms
 * on a cloud volume, 0.1 ms in memory). A killed process loses nothing either way.
 */
function temporaryFolder() {
  const isRoomy = (folder) => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize > MEMORY_NEEDED && freemem() > MEMORY_NEEDED;
    } catch {
      return false;
    }
  };
  const parent = process.env.TMPDIR === undefined && isRoomy("/dev/shm") ? "/dev/shm" : tmpdir();
  const folder = mkdtempSync(path.join(parent, "patchbay-tests-"));
  // PostgreSQL and nginx run as other users.
  chmodSync(folder, 0o711);
  return folder;
}

const folder = temporaryFolder();
// Otherwise gigabytes stay in memory.
const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.once(signal, () => {
    removeFolder();
    process.exit(1);
  });
const total = { passed: 0, failed: 0 };
const broken = [];
/** Titles of failed tests, and of those that passed only in a retry; printed at the end. */
const titles = { failed: [], flaky: [] };

function start(command, args, env, output) {
  return spawn(command, args, {
    stdio: ["ignore", output, output],
    env: { ...process.env, TMPDIR: folder, NEXT_TELEMETRY_DISABLED: "1", FORCE_COLOR: "0", ...env },
    shell: process.platform === "win32",
  });
}

/** The exit code of a process; 127 when it cannot be started. */
function codeOf(child) {
  return new Promise((resolve) => {
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 1));
  });
}

const run = (command, args, env = {}) => codeOf(start(command, args, env, "inherit"));

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function add(name, passed, failed) {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) broken.push(name);
}

/** The first line of a failure's message. */
const firstLine = (message) => (message ?? "").split("\n").find((line) => line.trim() !== "") ?? "";

function collectVitestTitles(files) {
  for (const file of files) {
    const name = path.relative(process.cwd(), file.name);
    if (file.status === "failed" && file.assertionResults.length === 0)
      titles.failed.push(`${name}: ${firstLine(file.message)}`);
    for (const test of file.assertionResults) {
      const line = `${name} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`;
      if (test.status === "failed") titles.failed.push(line);
      else if ((test.failureMessages?.length ?? 0) > 0) titles.flaky.push(line);
    }
  }
}

function collectBrowserTitles(suite) {
  for (const child of suite.suites ?? []) collectBrowserTitles(child);
  for (const spec of suite.specs ?? []) {
    for (const test of spec.tests) {
      const message = test.results.flatMap((result) => result.errors ?? []).at(0)?.message;
      const line = `${spec.file}:${spec.line} > ${spec.title}: ${firstLine(message)}`;
      if (test.status === "unexpected") titles.failed.push(line);
      if (test.status === "flaky") titles.flaky.push(line);
    }
  }
}

/** Prints the slowest test files of a runner, so that growth is noticed. */
function printSlowest(files) {
  const seconds = ({ startTime, endTime }) => Math.round((endTime - startTime) / 1_000);
  const slowest = files.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, 12);
  const lines = slowest.map((one) => `  ${seconds(one)} s  ${path.relative(process.cwd(), one.name)}`);
  console.log(`\nSlowest files:\n${lines.join("\n")}`);
}

/** Runs a program beside others: its output is printed when it ends. Returns its exit code and output. */
async function runBeside(name, priority, command, args, env = {}) {
  const child = start(command, args, env, "pipe");
  try {
    if (child.pid !== undefined) setPriority(child.pid, priority);
  } catch {
    // It has ended already.
  }
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => printed.push(chunk));
  const startedAt = performance.now();
  const code = await codeOf(child);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const output = Buffer.concat(printed).toString().trimEnd();
  console.log(`\n── ${name} (${seconds} s)\n${output}`);
  return { code, output };
}

/** A check that passes or fails as a whole. */
async function check(name, command, args) {
  const { code } = await runBeside(name, LOW_PRIORITY, command, args);
  add(name, code === 0 ? 1 : 0, code === 0 ? 0 : 1);
  return code === 0;
}

async function lintAndTypes() {
  await check("format and lint", "npx", ["biome", "ci", "--diagnostic-level=error", "."]);
  // Incremental: a second run takes a fifth of the time.
  const cache = "node_modules/.cache/patchbay/types.tsbuildinfo";
  await check("types", "npx", ["tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", cache]);
}

async function vitest(name, args, env) {
  console.log(`\n── ${name}`);
  const file = path.join(folder, `${name.replaceAll(/\W+/g, "-")}.json`);
  const code = await run(
    "npx",
    [
      "vitest",
      "run",
      "--config",
      "tests/vitest.config.ts",
      "--reporter=dot",
      "--reporter=json",
      `--outputFile.json=${file}`,
      ...args,
    ],
    env,
  );
  const report = readReport(file);
  printSlowest(report?.testResults ?? []);
  collectVitestTitles(report?.testResults ?? []);
  const failed = report?.numFailedTests ?? 0;
  const brokenFiles =
    report?.testResults.filter((one) => one.status === "failed" && one.assertionResults.length === 0)
      .length ?? 0;
  // A runner that fails without a failed test (a crash, an unhandled error) counts as one failure.
  add(name, report?.numPassedTests ?? 0, Math.max(failed + brokenFiles, code === 0 ? 0 : 1));
}

async function browser(chromium) {
  const file = path.join(folder, "browser.json");
  const args = ["playwright", "test", "--config", "tests/e2e/playwright.config.ts"];
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: file, PATCHBAY_TEST_CHROMIUM: chromium };
  const { code } = await runBeside("browser", BROWSER_PRIORITY, "npx", args, env);
  const report = readReport(file);
  const stats = report?.stats;
  collectBrowserTitles(report ?? {});
  add(
    "browser",
    (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    Math.max(stats?.unexpected ?? 0, code === 0 ? 0 : 1),
  );
}

/** The engine with a real model; slow, so nothing runs beside it. */
async function voices() {
  if (process.env.PATCHBAY_TEST_VOICES) return vitest("voices", ["--project", "voices"]);
  console.log("\n── voices\nnot at hand: set PATCHBAY_TEST_VOICES to the folder of a Kokoro model");
}

/** The tests of `--unit`, on the Node that npm downloads. */
async function node24() {
  const { code, output } = await runBeside("Node 24", 0, "npm", ["run", "--silent", "verify:node24"]);
  const [, passed = "0", failed = "0"] = /(\d+) passed, (\d+) failed$/.exec(output) ?? [];
  add("Node 24", Number(passed), Math.max(Number(failed), code === 0 ? 0 : 1));
}

const FAST = ["tests/unit", "tests/routes", "tests/contracts/store-sqlite"];
if (isVoicesOnly) await voices();
else if (isFast) {
  const env = { PATCHBAY_TEST_FAST: "1", PATCHBAY_TEST_RUNS: "3" };
  const tests = vitest("unit, routes and contracts", FAST, env);
  await Promise.all([isUnitOnly ? null : lintAndTypes(), tests]);
} else {
  // Before the tests: they install servers with apt-get, too, which refuses to run twice at a time.
  const chromium = await findChromium();
  // The build does not run beside tests, because it removes the server's bundles for a while.
  const [isBuilt] = await Promise.all([check("build", "npm", ["run", "--silent", "build"]), lintAndTypes()]);
  const inNode = async () => {
    await vitest("unit, routes and contracts", ["tests/unit", "tests/routes", "tests/contracts"]);
    // Three at a time, since these mostly wait for servers, disks and timers.
    const faults = ["tests/faults", "tests/sdk", "--project", "own", "--maxWorkers", "3"];
    if (isBuilt) await vitest("faults and SDKs", faults);
  };
  // Tests with started servers mostly wait, so the browser tests use the other half of the machine.
  await Promise.all([inNode(), isBuilt ? browser(chromium) : null]);
  // Live memory is a quarter more while other tests keep the machine busy, and latencies vary.
  if (isBuilt) await vitest("memory and latencies", ["--project", "alone", "--maxWorkers", "1"]);
  if (hasVoices && isBuilt) await voices();
  if (hasNode24) await node24();
}

removeFolder();
for (const [name, lines] of Object.entries(titles)) {
  if (lines.length > 0)
    console.log(
      `\n${name === "flaky" ? "Passed in a retry" : "Failed tests"}:\n${lines.map((line) => `  ${line}`).join("\n")}`,
    );
}
if (broken.length > 0) console.log(`\nFailed: ${broken.join(", ")}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
