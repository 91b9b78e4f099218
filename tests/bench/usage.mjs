/**
 * `npm run bench usage`: the console's usage queries with a million calls in one month, and the server's memory during
 * a CSV export of all of them. Runs on SQLite in the temp folder (or PATCHBAY_BENCH_DIR), and the queries also on
 * PostgreSQL if PATCHBAY_BENCH_DATABASE names an empty database. PATCHBAY_BENCH_ROWS sets the number of calls. With
 * PATCHBAY_BENCH_KEEP=<folder> the seeded data is kept and the next run measures it; with PATCHBAY_BENCH_SEED_ONLY=1
 * nothing is measured. PATCHBAY_BENCH_ONLY=sqlite or postgres measures one database; PATCHBAY_BENCH_PARTS=sums,pages
 * measures only those of the parts sums, lists, ledger and pages. Asserts nothing.
 */
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { OUT } from "../../lib/server/build.mjs";
import { loadStore, measure, reserveAndSettle, settle } from "./ledger.mjs";
import { residentMb } from "./load.mjs";
import { setUpWithCookie, startFor } from "./product.mjs";
import { POPULATION, seedPostgres, seedSqlite } from "./seed-usage.mjs";

const ROWS = Number(process.env.PATCHBAY_BENCH_ROWS ?? 1_000_000);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const TIMES = 20;
const KEEP = process.env.PATCHBAY_BENCH_KEEP;
const PARTS = (process.env.PATCHBAY_BENCH_PARTS ?? "sums,lists,ledger,pages").split(",");
const IS_SEED_ONLY = process.env.PATCHBAY_BENCH_SEED_ONLY === "1";

const RANGES = { hour: HOUR, day: DAY, week: 7 * DAY, month: MONTH };

async function openTestStore(openStore, databaseUrl, now = Date.now) {
  return openStore({
    databaseUrl,
    storeWorker: pathToFileURL(path.join(OUT, "workers", "store.mjs")),
    instanceId: randomUUID(),
    clock: { now, monotonic: () => performance.now() },
    timeZone: "UTC",
  });
}

/** The first duration, and the median and 95th percentile of `TIMES` more. */
async function time(work) {
  const took = [];
  for (let turn = 0; turn <= TIMES; turn++) {
    const since = performance.now();
    await work();
    took.push(performance.now() - since);
  }
  const [first, ...rest] = took;
  rest.sort((a, b) => a - b);
  return { first, median: rest[Math.floor(TIMES / 2)], p95: rest[Math.floor(TIMES * 0.95) - 1] };
}

const worst = { p95: 0, name: "" };

function show(name, { first, median, p95 }) {
  if (p95 > worst.p95) Object.assign(worst, { p95, name });
  const cells = [first, median, p95].map((ms) => ms.toFixed(1).padStart(10));
  console.log(`${name.padEnd(44)}${cells.join("")}`);
}

function showWorst() {
  console.log(`slowest: ${worst.name}, p95 ${worst.p95.toFixed(0)} ms`);
  Object.assign(worst, { p95: 0, name: "" });
}

/** A cursor deep in the list, at nine tenths of the month. */
async function deepCursor(store, now) {
  const page = await store.ledger.list({ limit: 1, cursor: null, q: null, to: now - 0.9 * MONTH });
  return page.nextCursor;
}

const showHead = () =>
  console.log(`${"".padEnd(44)}${"first ms".padStart(10)}${"p50".padStart(10)}${"p95".padStart(10)}`);

async function benchSums(store, now) {
  showHead();
  const sum = (span, more) => () =>
    store.ledger.summarize({ from: now - span, to: now, by: null, isByHour: false, ...more });
  for (const by of ["model", "channel", "key", "route", "tag", "end_user"])
    for (const [name, span] of Object.entries(RANGES))
      show(`sums by ${by}, ${name}`, await time(sum(span, { by })));
  show("sums by hour, week", await time(sum(7 * DAY, { isByHour: true })));
  show("sums by hour, month", await time(sum(MONTH, { isByHour: true })));
  show("sums by minute, two hours", await time(sum(2 * HOUR, { isByMinute: true })));
  show("sums by hour of one key, month", await time(sum(MONTH, { isByHour: true, keyId: "key_3" })));
  show(
    "sums by hour of failures, month",
    await time(sum(MONTH, { isByHour: true, outcome: { kind: "failed" } })),
  );
  show("sums by hour of one tag, month", await time(sum(MONTH, { isByHour: true, tag: "team-39" })));
  show("sums by model of one caller, month", await time(sum(MONTH, { by: "model", endUser: "caller-900" })));
  show("sums by hour of a search, month", await time(sum(MONTH, { isByHour: true, q: "nowhere" })));
  showWorst();
}

async function benchLists(store, now) {
  showHead();
  const list = (more) => () =>
    store.ledger.list({ limit: 50, cursor: null, q: null, from: now - MONTH, ...more });
  show("list, first page", await time(list({})));
  show("list, deep", await time(list({ cursor: await deepCursor(store, now) })));
  show("list of one key", await time(list({ keyId: "key_19" })));
  show("list of one user", await time(list({ userId: "usr_4" })));
  show("list of one model", await time(list({ model: "model-7" })));
  show("list of an unused model", await time(list({ model: "model-none" })));
  show("list of an unused channel", await time(list({ channelId: "chn_none" })));
  show("list of failures", await time(list({ outcome: { kind: "failed" } })));
  show("list of one error", await time(list({ outcome: { kind: "error", code: "upstream_timeout" } })));
  show("list of an error without calls", await time(list({ outcome: { kind: "error", code: "internal" } })));
  show("list of one tag", await time(list({ tag: "team-39" })));
  show("list of an unused tag", await time(list({ tag: "none" })));
  show("list of one caller", await time(list({ endUser: "caller-900" })));
  show("list of an unknown caller", await time(list({ endUser: "none" })));
  show("list of one request id", await time(list({ requestId: "req_none" })));
  show("list of a model and a key", await time(list({ model: "model-7", keyId: "key_0" })));
  show("search that finds nothing", await time(list({ q: "nowhere" })));
  show("search that finds nothing, of one key", await time(list({ q: "nowhere", keyId: "key_0" })));
  show("search that finds a model", await time(list({ q: "model-3" })));
  showWorst();
}

/** What a call costs in the ledger, at this many entries. */
async function benchLedger(store, rows) {
  const line = ({ wallUs, cpuUs }) => `${wallUs.toFixed(0)} µs (CPU ${cpuUs.toFixed(0)})`;
  await measure(store, reserveAndSettle, 100, 3_000);
  const [one, many, both] = [
    await measure(store, settle, 1, 500),
    await measure(store, settle, 100, 20_000),
    await measure(store, reserveAndSettle, 100, 20_000),
  ];
  console.log(
    `ledger at ${rows} entries, per call: one at a time ${line(one)}; 100 at once ${line(many)}, with a budget ${line(both)}`,
  );
}

/** Prints the durations of the ledger's statements, as this process sees them, for calls made one at a time. */
async function benchStatements(store) {
  const took = new Map();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function timed(config, ...rest) {
    const since = performance.now();
    const running = query.call(this, config, ...rest);
    const text = config?.text ?? config;
    if (typeof text === "string" && typeof running?.then === "function")
      running.then(
        () => took.set(text, [...(took.get(text) ?? []), performance.now() - since]),
        () => {},
      );
    return running;
  };
  await measure(store, reserveAndSettle, 1, 1_000);
  pg.Client.prototype.query = query;
  console.log("\nstatements of a call with a budget, one at a time: times, p50 ms, p99 ms");
  for (const [text, times] of [...took].filter(([, all]) => all.length >= 100)) {
    times.sort((a, b) => a - b);
    const [p50, p99] = [0.5, 0.99].map((share) => times[Math.floor(times.length * share)].toFixed(2));
    console.log(`  ${text.replace(/\s+/g, " ").slice(0, 60).padEnd(62)}${times.length}  ${p50}  ${p99}`);
  }
}

/** The first requests of the console's pages, for each of their ranges. */
function pageRequests(now) {
  const ends = (span) => `from=${new Date(now - span).toISOString()}&to=${new Date(now).toISOString()}`;
  const pieces = { hour: "minute", day: "hour", week: "hour", month: "day" };
  const over = (name, path) =>
    Object.entries(RANGES).map(([range, span]) => [`${name}, ${range}`, path(ends(span), pieces[range])]);
  return [
    ...over("overview", (range, interval) => `/api/overview?${range}&interval=${interval}`),
    ...over("usage: chart", (range, interval) => `/api/usage/summary?${range}&interval=${interval}`),
    ...over(
      "usage: chart of a key",
      (range, interval) => `/api/usage/summary?key_id=key_3&${range}&interval=${interval}`,
    ),
    ...over(
      "usage: chart of a tag",
      (range, interval) => `/api/usage/summary?tag=team-39&${range}&interval=${interval}`,
    ),
    ...over("usage: by model", (range) => `/api/usage/summary?by=model&${range}`),
    ...over("usage: by tag", (range) => `/api/usage/summary?by=tag&${range}`),
    ...over("usage: by caller", (range) => `/api/usage/summary?by=end_user&${range}`),
    ...over("usage: list of a model", (range) => `/api/usage?limit=50&model=model-7&${range}`),
    ...over("logs: search that finds nothing", (range) => `/api/usage?limit=50&q=nowhere&${range}`),
    ...over("logs: a status", (range) => `/api/usage?limit=50&status=418&${range}`),
    ["channels", "/api/channels?limit=100"],
    ["keys", "/api/keys?limit=50"],
  ];
}

/** Downloads the whole export; prints the server's memory before it and at every tenth of it. */
async function benchExport({ url, pid }, cookie) {
  const before = residentMb(pid);
  const held = [];
  const since = performance.now();
  const reply = await fetch(`${url}/api/usage/export`, { headers: { cookie } });
  let bytes = 0;
  let lines = 0;
  for await (const chunk of reply.body) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
    while (held.length < Math.floor((lines / ROWS) * 10)) held.push(residentMb(pid));
  }
  const seconds = (performance.now() - since) / 1_000;
  console.log(
    `\nexport: ${lines} lines, ${(bytes / 2 ** 20).toFixed(0)} MB in ${seconds.toFixed(1)} s; ` +
      `memory ${before.toFixed(0)} MB before, then at every tenth ${held.map((mb) => mb.toFixed(0)).join(" ")}`,
  );
}

/** The same store behind the whole product: response times of the pages, and the export. */
async function benchServer(folder, now, env = {}) {
  const product = await startFor([process.execPath, ".next/patchbay/main.mjs"], { data: folder, env });
  try {
    console.log(`\nready in ${product.readyMs.toFixed(0)} ms; over HTTP:`);
    showHead();
    // A kept store is set up already.
    const kept = path.join(folder, "cookie");
    const cookie = existsSync(kept)
      ? readFileSync(kept, "utf8")
      : (await setUpWithCookie(product.url)).cookie;
    writeFileSync(kept, cookie);
    const ask = (path) => async () => {
      const reply = await fetch(product.url + path, { headers: { cookie } });
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    };
    for (const [name, path] of pageRequests(now)) show(name, await time(ask(path)));
    showWorst();
    if (ROWS <= 1_000_000) await benchExport(product, cookie);
  } finally {
    await product.stop(true);
  }
}

/** A folder for a store: a new one in the temp folder, or the kept one of this size. */
function folderFor(kind) {
  if (KEEP === undefined)
    return mkdtempSync(path.join(process.env.PATCHBAY_BENCH_DIR ?? tmpdir(), "patchbay-usage-"));
  const folder = path.join(KEEP, `${kind}-${ROWS}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const drop = (folder) => KEEP === undefined && rmSync(folder, { recursive: true, force: true });

/** Seeds with `seed(now)`, unless an earlier run did; returns the end of the seeded month. */
async function seedOnce(folder, name, seed) {
  const mark = path.join(folder, "seeded");
  if (existsSync(mark)) return Number(readFileSync(mark, "utf8"));
  const now = Date.now();
  const since = performance.now();
  await seed(now);
  console.log(`\n${name}: ${ROWS} entries seeded in ${((performance.now() - since) / 1_000).toFixed(0)} s`);
  writeFileSync(mark, String(now));
  return now;
}

async function benchStore(openStore, { url, name, folder, now, env = {} }) {
  if (IS_SEED_ONLY) return;
  console.log(`\nUsage on ${name}: ${ROWS} entries`);
  const store = await openTestStore(openStore, url);
  if (PARTS.includes("sums")) await benchSums(store, now);
  if (PARTS.includes("lists")) await benchLists(store, now);
  if (PARTS.includes("ledger")) {
    await benchLedger(store, ROWS);
    if (url.startsWith("postgres")) await benchStatements(store);
  }
  await store.close();
  if (PARTS.includes("pages")) await benchServer(folder, now, env);
}

async function benchSqlite(openStore) {
  const folder = folderFor("sqlite");
  const file = path.join(folder, "patchbay.db");
  const url = `file:${file}`;
  try {
    const now = await seedOnce(folder, "SQLite", async (end) => {
      await (await openTestStore(openStore, url)).close();
      seedSqlite(file, { count: ROWS, from: end - MONTH, to: end, population: POPULATION });
    });
    console.log(`${(statSync(file).size / 2 ** 20).toFixed(0)} MB`);
    await benchStore(openStore, { url, name: "SQLite", folder, now });
  } finally {
    drop(folder);
  }
}

async function benchPostgres(openStore, url) {
  const folder = folderFor("postgres");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const now = await seedOnce(folder, "PostgreSQL", async (end) => {
      // A store that opens at the beginning of the seeded period makes the partitions of its months.
      await (await openTestStore(openStore, url, () => end - MONTH)).close();
      await seedPostgres(client, { count: ROWS, from: end - MONTH, to: end, population: POPULATION });
    });
    await benchStore(openStore, { url, name: "PostgreSQL", folder, now, env: { DATABASE_URL: url } });
  } finally {
    await client.end();
    drop(folder);
  }
}

export async function benchUsage() {
  const { openStore } = await loadStore();
  const { PATCHBAY_BENCH_DATABASE: database, PATCHBAY_BENCH_ONLY: only } = process.env;
  if (only !== "postgres") await benchSqlite(openStore);
  if (database && only !== "sqlite") await benchPostgres(openStore, database);
}
