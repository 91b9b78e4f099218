/** The lexical engine alone, and embeddings calls with and without concurrent long speech. */
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { load, printRows } from "./load.mjs";
import { claim, startFor } from "./product.mjs";

const WORDS = "the quick brown fox jumps over a lazy dog while seven green kettles hum in winter light".split(
  " ",
);

function shortText(i) {
  return Array.from({ length: 8 }, (_, at) => WORDS[(i * 7 + at * at + (i >> 3)) % WORDS.length]).join(" ");
}

async function loadEngine() {
  const folder = mkdtempSync(path.join(tmpdir(), "patchbay-bench-"));
  const outfile = path.join(folder, "lexical.mjs");
  await build({
    entryPoints: ["lib/providers/lexical/lexical-model.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile,
    logLevel: "error",
  });
  const { createLexicalModel } = await import(pathToFileURL(outfile).href);
  rmSync(folder, { recursive: true });
  return createLexicalModel();
}

async function benchEngine() {
  const engine = await loadEngine();
  const options = {
    signal: new AbortController().signal,
    requestId: "bench",
    firstByteBy: Number.POSITIVE_INFINITY,
  };
  const run = async (count) => {
    const texts = Array.from({ length: count }, (_, i) => shortText(i));
    const before = process.cpuUsage();
    for (let at = 0; at < count; at += 256)
      await engine.embed({ model: "patchbay-embed", texts: texts.slice(at, at + 256) }, options);
    const { user, system } = process.cpuUsage(before);
    return count / ((user + system) / 1e6);
  };
  await run(4_096);
  console.log(`\nlexical engine: ${(await run(32_768)).toFixed(0)} short texts per second of one core`);
}

/** Runs long speech until stopped; returns the seconds of audio received. */
function speakOn(url, key) {
  const text = "It was a bright cold day in April, and the clocks were striking thirteen. ".repeat(420);
  const body = JSON.stringify({
    model: "patchbay-speech",
    input: text.slice(0, 4_096),
    voice: "alloy",
    response_format: "pcm",
  });
  let isOn = true;
  let bytes = 0;
  const once = () =>
    new Promise((resolve) => {
      const request = http.request(
        `${url}/v1/audio/speech`,
        { method: "POST", headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } },
        (reply) => {
          reply.on("data", (chunk) => {
            bytes += chunk.length;
            if (!isOn) request.destroy();
          });
          reply.on("close", resolve);
        },
      );
      request.on("error", resolve);
      request.end(body);
    });
  const done = (async () => {
    while (isOn) await once();
  })();
  return {
    async stop() {
      isOn = false;
      await done;
      return bytes / 48_000;
    },
  };
}

async function benchBeside() {
  const product = await startFor(["node", ".next/patchbay/main.mjs"], { env: { PATCHBAY_API_ONLY: "1" } });
  const key = await claim(product.url);
  const target = {
    url: `${product.url}/v1/embeddings`,
    pid: product.pid,
    headers: { authorization: `Bearer ${key}` },
    body: (i) => JSON.stringify({ model: "patchbay-embed", input: shortText(i), encoding_format: "base64" }),
  };
  const settings = { connections: 1, seconds: 5 };
  const alone = await load(target, settings);
  const speech = speakOn(product.url, key);
  const beside = await load(target, settings);
  const seconds = await speech.stop();
  printRows("One embeddings caller, alone and with concurrent long speech (CPU includes speech)", [
    ["alone", alone],
    ["with long speech", beside],
  ]);
  console.log(`${seconds.toFixed(0)} s of speech were generated meanwhile`);
  await product.stop();
}

export async function benchEmbeddings() {
  await benchEngine();
  await benchBeside();
}
