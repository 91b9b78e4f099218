/** CPU per embeddings call at 64 connections: the Node adapter, the Next adapter and a bare proxy in one run. */
import { fork } from "node:child_process";
import { load, printRows, residentMb } from "./load.mjs";
import { claim, startFor } from "./product.mjs";

const MAIN = ["node", ".next/patchbay/main.mjs"];

function startBare(role, ...args) {
  return new Promise((resolve) => {
    const child = fork(new URL("./bare-proxy.mjs", import.meta.url), [role, ...args]);
    child.once("message", (port) =>
      resolve({ url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() }),
    );
  });
}

function target(product, key) {
  return {
    url: `${product.url}/v1/embeddings`,
    pid: product.pid,
    headers: { authorization: `Bearer ${key}` },
    body: (i) =>
      JSON.stringify({
        model: "patchbay-embed",
        input: `a short text, number ${i}`,
        encoding_format: "base64",
      }),
  };
}

export async function benchGateway() {
  const product = await startFor(MAIN);
  const key = await claim(product.url);
  const nextAlone = await startFor(["node", "node_modules/next/dist/bin/next", "start"], {
    env: { PATCHBAY_SETUP_OPEN: "1" },
  });
  const nextKey = await claim(nextAlone.url);
  const upstream = await startBare("upstream");
  const proxy = await startBare("proxy", new URL(upstream.url).port);
  const rows = [
    ["Node adapter (keys, limits, ledger)", await load(target(product, key))],
    ["Next adapter (the same handlers)", await load(target(nextAlone, nextKey))],
    ["bare Node proxy (no processing)", await load(target(proxy, "none"))],
  ];
  printRows("Embeddings of one short text, base64, 64 connections", rows);
  console.log(`ready after ${product.readyMs.toFixed(0)} ms (process start to 200 from /api/health/ready)`);
  if (process.argv.includes("--idle")) {
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    console.log(`resident 60 s after the last call: ${residentMb(product.pid).toFixed(0)} MB`);
  }
  proxy.stop();
  upstream.stop();
  await nextAlone.stop();
  await product.stop();
}
