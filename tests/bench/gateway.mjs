/**
 * What a request costs on its way through a routed channel: CPU per request, added latency and memory of the Node
 * adapter, the Next adapter and a bare Node proxy, in one run against one upstream. Where `taskset` exists, the
 * gateways run on core 1, the load and the upstream on core 0.
 * `npm run bench gateway [-- --row <part of a title>] [--against <built checkout>] [--only-node] [--cpu-prof] [--idle]
 * [--grown <keys>,<channels>,<models>,<ledger entries>] [--traced] [--streams <count>]`
 */
import { execFileSync, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { printProfiles } from "./cpu-profile.mjs";
import { load, printRows, residentMb } from "./load.mjs";
import { setUpWithCookie, startFor } from "./product.mjs";
import { seedSqlite } from "./seed-usage.mjs";
import { GEMINI_PCM_BASE64, PACED_VOICE, PCM, VECTOR, VECTOR_BASE64 } from "./upstream.mjs";

/** The JIT settles after some 8 s of load; a bare proxy has little to compile. */
const WARM_SECONDS = { gateway: 8, proxy: 3 };
/** The targets of a row are measured in turns, so that a change of the machine's speed affects all. */
const ROUNDS = 2;
const ROUND_SECONDS = 2.5;
/**
 * Load before each turn, in seconds. During the turns of the other targets V8 shrinks the heap of this target. With one
 * caller it takes longer until the target is warm again: in the first two seconds p99 is twice as high.
 */
const TURN_WARM_SECONDS = { one: 2.5, many: 0.2 };
const GATEWAY_CORE = "1";
const LOAD_CORE = "0";

const canPin = (() => {
  try {
    execFileSync("taskset", ["-acp", LOAD_CORE, String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();
const ALL_CORES = `0-${cpus().length - 1}`;
const pinned = (command, cores = GATEWAY_CORE) => (canPin ? ["taskset", "-c", cores, ...command] : command);

function embeddingRow(format, isCorrect) {
  return {
    path: "/v1/embeddings",
    body: (i) =>
      JSON.stringify({ model: "bench-embed", input: `a short text, number ${i}`, encoding_format: format }),
    check: (reply) => isCorrect(JSON.parse(reply).data[0].embedding),
  };
}

export const BASE64_ROW = embeddingRow("base64", (vector) => vector === VECTOR_BASE64);
export const ROWS = [
  { title: "embeddings, base64", connections: 64, minBytes: VECTOR_BASE64.length, ...BASE64_ROW },
  {
    title: "embeddings, float",
    connections: 64,
    minBytes: 15_000,
    ...embeddingRow("float", (vector) =>
      Buffer.from(Float32Array.from(vector).buffer).equals(Buffer.from(VECTOR.buffer)),
    ),
  },
  {
    title: "OpenAI speech, 200 KB of PCM, streamed",
    connections: 16,
    minBytes: PCM.length,
    path: "/v1/audio/speech",
    body: speechBody("alloy"),
    check: (reply) => reply.equals(PCM),
  },
  {
    title: "Gemini speech, 300 KB of base64 in JSON",
    connections: 16,
    minBytes: GEMINI_PCM_BASE64.length,
    path: "/v1beta/models/bench-gemini:generateContent",
    body: (i) =>
      JSON.stringify({
        contents: [{ parts: [{ text: `A short text, number ${i}.` }] }],
        generationConfig: {
          responseModalities: ["AUDIO"],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
        },
      }),
    check: (reply) => JSON.parse(reply).candidates[0].content.parts[0].inlineData.data === GEMINI_PCM_BASE64,
  },
  {
    title: "latency of one embeddings caller",
    connections: 1,
    minBytes: VECTOR_BASE64.length,
    ...BASE64_ROW,
  },
];

/** Starts a script of this folder that reports its port. */
export function startScript(name, args, isGateway) {
  return new Promise((resolve) => {
    const [execPath, ...execArgv] = isGateway ? pinned([process.execPath]) : [process.execPath];
    const file = new URL(name, import.meta.url);
    const child = canPin && isGateway ? fork(file, args, { execPath, execArgv }) : fork(file, args);
    child.once("message", (port) =>
      resolve({ url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() }),
    );
  });
}

const CONCURRENCY = 16;

/** Adds keys, channels, and models spread over these channels. The load uses none of them. */
async function grow(create, upstream, [keys = 0, channels = 0, models = 0]) {
  const range = (count) => Array.from({ length: count }, (_, index) => index);
  const model = (index) => ({
    name: `other-${index}`,
    upstream_name: "upstream-embed",
    operation: "embeddings",
  });
  const tasks = [
    ...range(keys).map((index) => ["/api/keys", { name: `key ${index}`, rpm: 600 }]),
    ...range(channels).map((channel) => [
      "/api/channels",
      {
        name: `channel ${channel}`,
        provider: "openai",
        base_url: `${upstream.url}/v1`,
        keys: ["sk-bench-0123456789"],
        models: range(models)
          .filter((index) => index % channels === channel)
          .map(model),
      },
    ]),
  ];
  const work = async () => {
    for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) await create(...task);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

const MONTH_MS = 30 * 24 * 3_600_000;

/** The data folder of a product with this many calls in its ledger, spread over the last month. */
async function seededFolder(count) {
  const product = await startFor(["node", ".next/patchbay/main.mjs"]);
  await product.stop(true);
  const to = Date.now();
  seedSqlite(path.join(product.data, "patchbay.db"), { count, from: to - MONTH_MS, to });
  return product.data;
}

/** Starts the product with an OpenAI and a Gemini channel to the upstream. */
export async function startGateway(
  name,
  command,
  { upstream, cwd, env = {}, isPinned = true, grown = null },
) {
  const entries = grown?.[3] ?? 0;
  const product = await startFor(pinned(command, isPinned ? GATEWAY_CORE : ALL_CORES), {
    cwd,
    data: entries > 0 ? await seededFolder(entries) : undefined,
    env: { PATCHBAY_UPSTREAM_ALLOW: "127.0.0.1", ...env },
  });
  const { cookie, key } = await setUpWithCookie(product.url);
  const create = async (url, body) => {
    const reply = await fetch(`${product.url}${url}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  };
  // Without batching, so that each request is one upstream call, as through the proxy.
  await create("/api/models", { name: "bench-embed", operation: "embeddings", batching: false });
  const keys = ["sk-bench-0123456789"];
  await create("/api/channels", {
    name: "openai",
    provider: "openai",
    base_url: `${upstream.url}/v1`,
    keys,
    models: [
      { name: "bench-embed", upstream_name: "upstream-embed", operation: "embeddings" },
      { name: "bench-tts", upstream_name: "upstream-tts", operation: "speech" },
    ],
  });
  await create("/api/channels", {
    name: "gemini",
    provider: "gemini",
    base_url: `${upstream.url}/v1beta`,
    keys,
    models: [{ name: "bench-gemini", upstream_name: "upstream-gemini", operation: "speech" }],
    options: { streaming: false },
  });
  if (grown !== null) await grow(create, upstream, grown);
  return { ...product, name, headers: { authorization: `Bearer ${key}` }, warmSeconds: WARM_SECONDS.gateway };
}

/** An OpenTelemetry collector that discards what it receives. */
function startCollector() {
  const server = createServer((request, reply) => {
    request.resume();
    request.on("end", () => reply.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      server.unref();
      resolve(`http://127.0.0.1:${server.address().port}`);
    });
  });
}

async function startTargets(settings, upstream, profiles) {
  const profiling =
    profiles === null ? [] : ["--cpu-prof", "--cpu-prof-interval=500", `--cpu-prof-dir=${profiles}`];
  const main = ["node", ...profiling, ".next/patchbay/main.mjs"];
  const targets = [await startGateway("Node adapter (keys, limits, ledger)", main, { upstream })];
  if (settings.against !== undefined) {
    const cwd = path.resolve(settings.against);
    const name = `  the same in ${path.basename(cwd)}`;
    targets.push(await startGateway(name, ["node", ".next/patchbay/main.mjs"], { upstream, cwd }));
  }
  if (settings.grown !== undefined) {
    const grown = settings.grown.split(",").map(Number);
    const name = `  grown by ${settings.grown}`;
    targets.push(await startGateway(name, main, { upstream, grown }));
  }
  if (settings.traced === true) {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(),
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.01",
    };
    targets.push(await startGateway("  with OpenTelemetry at 1 %", main, { upstream, env }));
  }
  if (settings["only-node"] !== true && profiles === null) {
    const next = ["node", "node_modules/next/dist/bin/next", "start"];
    const env = { PATCHBAY_SETUP_OPEN: "1" };
    targets.push(await startGateway("Next adapter (the same handlers)", next, { upstream, env }));
  }
  const proxy = await startScript("./bare-proxy.mjs", [new URL(upstream.url).port], true);
  targets.push({ ...proxy, name: "bare Node proxy", warmSeconds: WARM_SECONDS.proxy });
  return targets;
}

/** The mean of the rounds' figures; the sums of requests and failures. */
function combine(rounds) {
  const [first] = rounds;
  const sum = (field) => rounds.reduce((total, round) => total + round[field], 0);
  const mean = Object.fromEntries(Object.keys(first).map((field) => [field, sum(field) / rounds.length]));
  return { ...mean, requests: sum("requests"), failed: sum("failed") };
}

/** The figures of each target, measured in turns after each was warm. */
async function measure(row, targets) {
  const loadOn = ({ url, pid, headers }, times) =>
    load({ ...row, url: `${url}${row.path}`, pid, headers }, { connections: row.connections, ...times });
  for (const target of targets) await loadOn(target, { warmupSeconds: 0, seconds: target.warmSeconds });
  const rounds = targets.map(() => []);
  const warmupSeconds = row.connections === 1 ? TURN_WARM_SECONDS.one : TURN_WARM_SECONDS.many;
  const from = process.hrtime.bigint();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, target] of targets.entries())
      rounds[index].push(await loadOn(target, { warmupSeconds, seconds: ROUND_SECONDS }));
  }
  const figures = rounds.map(combine);
  return { figures, from: Number(from / 1_000n), to: Number(process.hrtime.bigint() / 1_000n) };
}

function printRow(row, targets, figures, direct) {
  const connections = `${row.connections} connection${row.connections === 1 ? "" : "s"}`;
  printRows(
    `${row.title}; ${connections}`,
    targets.map(({ name }, index) => [name, figures[index]]),
  );
  if (direct === null) return;
  console.log("added to the upstream's own latency, ms:");
  for (const [index, { name }] of targets.entries()) {
    const { p50, p99 } = figures[index];
    console.log(
      `${name.padEnd(34)} p50 ${(p50 - direct.p50).toFixed(2)}  p99 ${(p99 - direct.p99).toFixed(2)}`,
    );
  }
}

async function measureRow(row, upstream, targets) {
  const isLatency = row.connections === 1;
  const all = isLatency ? [...targets, { ...upstream, warmSeconds: WARM_SECONDS.proxy }] : targets;
  const { figures, ...period } = await measure(row, all);
  const direct = isLatency ? figures.pop() : null;
  printRow(row, targets, figures, direct);
  return { ...period, requests: figures[0].requests };
}

const SAMPLE_MS = 200;

/** A reply at speaking rate takes 4.2 s. */
const PACED_SECONDS = 10;

function speechBody(voice) {
  return (i) =>
    JSON.stringify({
      model: "bench-tts",
      input: `A short text, number ${i}.`,
      voice,
      response_format: "pcm",
    });
}

/**
 * Measures CPU per request with `count` concurrent streams of speech and with the usual number, and the memory of each
 * further stream: with audio that arrives at speaking rate, as from a model that speaks, and as fast as possible.
 */
async function measureStreams(count, target) {
  const row = ROWS.find(({ title }) => title.includes("streamed"));
  const title = "OpenAI speech, 200 KB of PCM, at speaking rate";
  await measureStreamsOf(
    { ...row, title, body: speechBody(PACED_VOICE), seconds: PACED_SECONDS },
    count,
    target,
  );
  await measureStreamsOf({ ...row, seconds: ROUNDS * ROUND_SECONDS }, count, target);
}

async function measureStreamsOf(row, count, { name, url, pid, headers, warmSeconds }) {
  const loadBy = (connections) =>
    load(
      { ...row, url: `${url}${row.path}`, pid, headers },
      { connections, warmupSeconds: warmSeconds, seconds: row.seconds },
    );
  const few = await loadBy(row.connections);
  let peakMb = 0;
  const sampling = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(pid));
  }, SAMPLE_MS);
  const many = await loadBy(count);
  clearInterval(sampling);
  printRows(`${row.title}: ${name}`, [
    [`${row.connections} at once`, few],
    [`${count} at once`, many],
  ]);
  const kb = ((peakMb - few.residentMb) * 1024) / (count - row.connections);
  console.log(`resident memory of each further stream, at most: ${kb.toFixed(0)} KB`);
}

/**
 * `settings`: `row`, only the rows whose title contains it; `against`, another built checkout to measure, too;
 * `grown`, how many additional keys, channels, models and ledger entries a second server has; `traced`, a second server
 * that exports metrics and traces of 1 % of the requests; `only-node`, without Next's adapter; `cpu-prof`, print where
 * the CPU time of the last row goes; `streams`, also measure this many streams at once; `idle`, also print the memory
 * 60 s after the last call.
 */
export async function benchGateway(settings = {}) {
  const rows = ROWS.filter(({ title }) => title.includes(settings.row ?? ""));
  const profiles =
    settings["cpu-prof"] === true ? mkdtempSync(path.join(tmpdir(), "patchbay-profile-")) : null;
  const upstream = await startScript("./upstream.mjs", [], false);
  const targets = await startTargets(settings, upstream, profiles);
  if (!canPin) console.log("taskset is not available: the processes are not pinned to cores.");
  let last = null;
  for (const row of rows) last = await measureRow(row, upstream, targets);
  if (settings.streams !== undefined)
    for (const target of targets) await measureStreams(Number(settings.streams), target);
  console.log("\nresident memory after the run");
  for (const { name, pid } of targets) console.log(`${name.padEnd(34)}${residentMb(pid).toFixed(0)} MB`);
  const [product] = targets;
  console.log(`ready after ${product.readyMs.toFixed(0)} ms (process start to 200 from /api/health/ready)`);
  if (settings.idle === true) {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    console.log(`resident 60 s after the last call: ${residentMb(product.pid).toFixed(0)} MB`);
  }
  for (const target of [...targets, upstream]) await target.stop();
  if (profiles === null) return;
  // Only of the last row, if several were measured.
  printProfiles(profiles, last);
  rmSync(profiles, { recursive: true });
}
