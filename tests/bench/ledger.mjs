/**
 * `npm run bench ledger`: microseconds per settlement in the usage ledger, alone and in groups, on SQLite in the
 * temp folder (or PATCHBAY_BENCH_DIR), and on PostgreSQL if PATCHBAY_BENCH_DATABASE is set. Asserts nothing.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildWorkers, OUT, ROOT } from "../../lib/server/build.mjs";

/** Enough for a 99th percentile that includes checkpoints of the write-ahead log. */
const ALONE = 4_000;
const IN_GROUPS = 20_000;
const CALLERS = [10, 100, 500];
const PERIOD = { day: "2026-09-21", month: "2026-09" };
const NO_BUDGET = { totalNano: null, dailyNano: null, monthlyNano: null };
const BUDGET = { totalNano: Number.MAX_SAFE_INTEGER, dailyNano: null, monthlyNano: null };

export async function loadStore() {
  await buildWorkers();
  const outfile = path.join(OUT, "bench", "store.mjs");
  await build({
    entryPoints: [path.join(ROOT, "lib/store/open.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    packages: "external",
  });
  return import(pathToFileURL(outfile).href);
}

function call(caller) {
  const id = randomUUID();
  const at = Date.now();
  return {
    id: `usg_${at}${id}`,
    requestId: `req_${id}`,
    at,
    keyId: `key_${caller % 10}`,
    userId: "usr_1",
    model: "patchbay-embed",
    channelId: "chn_embedded",
    operation: "embeddings",
    attempts: 1,
    inputTokens: 7,
    outputTokens: 0,
    characters: 21,
    audioMs: 0,
    costNano: 140,
    reservedNano: 150,
    status: 200,
    error: null,
    state: "settled",
    cached: false,
    estimated: false,
    overrun: false,
    user: null,
    tags: null,
    latencyMs: 3,
    firstByteMs: null,
  };
}

export async function settle(store, caller) {
  await store.ledger.settle(call(caller), PERIOD);
}

export async function reserveAndSettle(store, caller) {
  const row = call(caller);
  await store.ledger.reserve({ row, keyBudget: BUDGET, userBudget: NO_BUDGET, ...PERIOD });
  await store.ledger.settle(row, PERIOD);
}

/** Wall and CPU microseconds per call with `callers` concurrent calls, and the 99th percentile of one call's time. */
export async function measure(store, work, callers, calls) {
  const each = Math.ceil(calls / callers);
  const times = [];
  const cpu = process.cpuUsage();
  const since = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let count = 0; count < each; count++) {
        const from = performance.now();
        await work(store, caller);
        times.push((performance.now() - from) * 1_000);
      }
    }),
  );
  const wallUs = ((performance.now() - since) * 1_000) / (each * callers);
  const used = process.cpuUsage(cpu);
  const p99Us = times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)];
  return { wallUs, p99Us, cpuUs: (used.user + used.system) / (each * callers) };
}

async function benchOn(openStore, name, databaseUrl) {
  const store = await openStore({
    databaseUrl,
    storeWorker: pathToFileURL(path.join(OUT, "workers", "store.mjs")),
    instanceId: randomUUID(),
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timeZone: "UTC",
  });
  console.log(`\n${name}`);
  console.log("concurrent      settle: µs (CPU, p99)         reserve + settle: µs (CPU, p99)");
  const show = ({ wallUs, cpuUs, p99Us }) =>
    `${wallUs.toFixed(1)} (${cpuUs.toFixed(1)}, ${p99Us.toFixed(0)})`.padEnd(30);
  for (const callers of [1, ...CALLERS]) {
    const calls = callers === 1 ? ALONE : IN_GROUPS;
    await measure(store, reserveAndSettle, callers, Math.min(calls, 2_000));
    const alone = await measure(store, settle, callers, calls);
    const both = await measure(store, reserveAndSettle, callers, calls);
    console.log(`${String(callers).padEnd(16)}${show(alone)}${show(both)}`);
  }
  await store.close();
}

export async function benchLedger() {
  const { openStore } = await loadStore();
  const folder = mkdtempSync(path.join(process.env.PATCHBAY_BENCH_DIR ?? tmpdir(), "patchbay-ledger-"));
  try {
    await benchOn(openStore, "Usage ledger on SQLite", `file:${path.join(folder, "patchbay.db")}`);
    const server = process.env.PATCHBAY_BENCH_DATABASE;
    if (server) await benchOn(openStore, "Usage ledger on PostgreSQL", server);
    else console.log("\nPostgreSQL is skipped: PATCHBAY_BENCH_DATABASE is not set.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await benchLedger();
