/**
 * `npm run bench usage`: the console's usage queries with a million calls in one month, and the server's memory during a
 * CSV export of all of them. Runs on SQLite in the temp folder (or PATCHBAY_BENCH_DIR), and the queries also on
 * PostgreSQL if PATCHBAY_BENCH_DATABASE names an empty database. PATCHBAY_BENCH_ROWS sets the number of calls. Asserts
 * nothing.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { OUT } from "../../lib/server/build.mjs";
import { loadStore } from "./ledger.mjs";
import { residentMb } from "./load.mjs";
import { claimWithCookie, startFor } from "./product.mjs";
import { CROWD, seedPostgres, seedSqlite } from "./seed-usage.mjs";

const ROWS = Number(process.env.PATCHBAY_BENCH_ROWS ?? 1_000_000);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONTH = 30 * DAY;
const TIMES = 5;

const RANGES = { hour: HOUR, day: DAY, week: 7 * DAY, month: MONTH };

async function openTestStore(openStore, databaseUrl) {
  return openStore({
    databaseUrl,
    writerWorker: pathToFileURL(path.join(OUT, "workers", "writer.mjs")),
    instanceId: randomUUID(),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timeZone: "UTC",
  });
}

/** The first duration, and the median of some more. */
async function time(work) {
  const took = [];
  for (let turn = 0; turn <= TIMES; turn++) {
    const since = performance.now();
    await work();
    took.push(performance.now() - since);
  }
  const [first, ...rest] = took;
  return { first, median: rest.sort((a, b) => a - b)[Math.floor(TIMES / 2)] };
}

function show(name, { first, median }) {
  console.log(`${name.padEnd(44)}${first.toFixed(0).padStart(10)}${median.toFixed(0).padStart(10)}`);
}

/** The cursor of a page of the list. */
async function deepCursor(store, now) {
  const page = await store.ledger.list({ limit: 1, cursor: null, q: null, to: now - 0.9 * MONTH });
  return page.nextCursor;
}

async function askStore(store, now) {
  console.log(`${"".padEnd(44)}${"first ms".padStart(10)}${"ms".padStart(10)}`);
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
  show("search that finds nothing", await time(list({ q: "nowhere" })));
}

/** The first requests of the console's pages, for each of their ranges. */
function firstAnswers(now) {
  const ends = (span) => `from=${new Date(now - span).toISOString()}&to=${new Date(now).toISOString()}`;
  const pieces = { hour: "minute", day: "hour", week: "hour", month: "day" };
  const over = (name, path) =>
    Object.entries(RANGES).map(([range, span]) => [`${name}, ${range}`, path(ends(span), pieces[range])]);
  return [
    ...over("overview", (range, interval) => `/api/overview?${range}&interval=${interval}`),
    ...over("usage: chart", (range, interval) => `/api/usage/summary?by=model&${range}&interval=${interval}`),
    ...over("usage: list of a model", (range) => `/api/usage?limit=50&model=model-7&${range}`),
    ["channels", "/api/channels?limit=100"],
    ["keys", "/api/keys?limit=50"],
  ];
}

/** Downloads the whole export; returns the server's peak memory during it and its memory before. */
async function askExport({ url, pid }, cookie) {
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
async function askServer(folder, now, env = {}) {
  const product = await startFor([process.execPath, ".next/patchbay/main.mjs"], { data: folder, env });
  try {
    console.log(`\nready in ${product.readyMs.toFixed(0)} ms; over HTTP:`);
    const { cookie } = await claimWithCookie(product.url);
    const ask = (path) => async () => {
      const reply = await fetch(product.url + path, { headers: { cookie } });
      const text = await reply.text();
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    };
    for (const [name, path] of firstAnswers(now)) show(name, await time(ask(path)));
    await askExport(product, cookie);
  } finally {
    await product.stop(true);
  }
}

async function benchSqlite(openStore, now) {
  const folder = mkdtempSync(path.join(process.env.PATCHBAY_BENCH_DIR ?? tmpdir(), "patchbay-usage-"));
  const file = path.join(folder, "patchbay.db");
  try {
    await (await openTestStore(openStore, `file:${file}`)).close();
    const since = performance.now();
    seedSqlite(file, { count: ROWS, from: now - MONTH, to: now, crowd: CROWD });
    const seconds = (performance.now() - since) / 1_000;
    console.log(
      `\nUsage on SQLite: ${ROWS} rows in ${seconds.toFixed(0)} s, ${(statSync(file).size / 2 ** 20).toFixed(0)} MB`,
    );
    const store = await openTestStore(openStore, `file:${file}`);
    await askStore(store, now);
    await store.close();
    await askServer(folder, now);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchPostgres(openStore, now, databaseUrl) {
  const store = await openTestStore(openStore, databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-usage-"));
  await client.connect();
  try {
    const since = performance.now();
    await seedPostgres(client, { count: ROWS, from: now - MONTH, to: now, crowd: CROWD });
    console.log(
      `\nUsage on PostgreSQL: ${ROWS} rows in ${((performance.now() - since) / 1_000).toFixed(0)} s`,
    );
    await askStore(store, now);
    await askServer(folder, now, { DATABASE_URL: databaseUrl });
  } finally {
    await client.end();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchUsage() {
  const { openStore } = await loadStore();
  const now = Date.now();
  const database = process.env.PATCHBAY_BENCH_DATABASE;
  await benchSqlite(openStore, now);
  if (database) await benchPostgres(openStore, now, database);
}
